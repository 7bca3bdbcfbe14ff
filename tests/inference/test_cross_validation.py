import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB

from podium.inference import cross_validated_interval, interval
from podium.metrics import scorer


def table(seed=0, n=400, shift=0.5):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.standard_normal((n, 3)) + shift * y[:, None], y


@pytest.mark.parametrize("phi", ["mww", "power:3"])
def test_the_estimate_is_the_mean_over_folds(phi):
    X, y = table()
    wanted = cross_val_score(GaussianNB(), X, y, scoring=scorer(phi), cv=5).mean()
    assert cross_validated_interval(GaussianNB(), X, y, 5, phi).estimate == pytest.approx(wanted)


def test_one_held_out_part_gives_the_ordinary_interval():
    X, y = table()
    train, test = np.arange(200), np.arange(200, 400)
    found = cross_validated_interval(GaussianNB(), X, y, [(train, test)])
    scores = GaussianNB().fit(X[train], y[train]).predict_proba(X[test])[:, 1]
    wanted = interval(y[test], scores)
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high))


def test_the_variance_is_that_of_independent_folds():
    X, y = table()
    folds = list(StratifiedKFold(4).split(X, y))
    found = cross_validated_interval(GaussianNB(), X, y, folds).standard_error
    parts = [cross_validated_interval(GaussianNB(), X, y, [fold]).standard_error for fold in folds]
    assert found == pytest.approx(np.sqrt(np.sum(np.square(parts))) / 4)


def test_repeating_the_folds_does_not_pretend_to_more_rows():
    X, y = table()
    once = cross_validated_interval(LogisticRegression(), X, y, 5).standard_error
    splitter = RepeatedStratifiedKFold(n_splits=5, n_repeats=4, random_state=0)
    assert cross_validated_interval(LogisticRegression(), X, y, splitter).standard_error > 0.9 * once


def test_labels_may_be_text_and_perfection_leaves_room():
    X, y = table(shift=9.0)
    found = cross_validated_interval(GaussianNB(), X, np.where(y, "ill", "well"), pos_label="ill")
    assert (found.estimate, found.high) == (1, 1)
    assert 0.9 < found.low < 0.995


def test_real_data_stay_inside_the_unit_interval():
    found = cross_validated_interval(GaussianNB(), *load_breast_cancer(return_X_y=True), phi="power:8")
    assert 0.5 < found.low < found.estimate < found.high < 1
