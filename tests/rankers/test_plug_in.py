import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

from podium import LinearRanker


def test_rows_that_are_drawn_stand_for_those_that_are_not():
    # Many rows, few positives: all of these are taken, but only some of the negatives.
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40_000, 2))
    y = X @ [1.0, 0.5] + rng.logistic(size=40_000) > 5.5
    ours = LinearRanker("logloss", random_state=0).fit(X, y)
    theirs = LogisticRegression().fit(X, y)
    assert y.mean() < 0.01
    assert ours.criterion_value_ == pytest.approx(-log_loss(y, theirs.predict_proba(X)), rel=0.02)


def test_the_plug_in_is_logistic_regression_where_discriminant_analysis_is_not_clearly_better():
    nearer = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = rng.exponential(size=(150, 3)) ** 1.5  # the scatter of the classes differs: the directions, too
        y = X @ [0.6, 0.3, -0.4] + rng.logistic(size=150) > 1
        direction = LinearRanker("auc").fit(X, y).plug_in_
        logistic, lda = LogisticRegression(C=1.0).fit(X, y), LinearDiscriminantAnalysis().fit(X, y)
        nearer.append(_cosine(direction, logistic.coef_[0]) > _cosine(direction, lda.coef_[0]))
    assert np.mean(nearer) >= 7 / 8


def _cosine(a, b):
    return a @ b / (np.linalg.norm(a) * np.linalg.norm(b))
