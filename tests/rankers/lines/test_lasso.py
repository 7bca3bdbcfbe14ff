"""The L1 penalty of lines: the minimum of scikit-learn, the conditions of a minimum, and few columns among many."""

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from podium import LinearRanker, metrics
from podium.exceptions import InputError


def table(n_rows=150, n_columns=20, seed=0):
    """Rows of which the first three columns matter."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, n_columns)) * np.linspace(0.5, 2, n_columns)
    return X, rng.random(n_rows) < expit(1.5 * X[:, 0] - X[:, 1] + 0.5 * X[:, 2] - 0.5)


@pytest.mark.parametrize("penalty", [0.003, 0.02, 0.1])
@pytest.mark.parametrize("weighted", [False, True])
def test_at_log_loss_it_is_the_l1_regression_of_scikit_learn(penalty, weighted):
    X, y = table()
    weight = np.random.default_rng(1).integers(1, 4, len(y)).astype(float) if weighted else np.ones(len(y))
    ours = LinearRanker("logloss", l1=penalty, scaling=None).fit(X, y, weight).coef_
    theirs = LogisticRegression(
        C=1 / (penalty * weight.sum()), l1_ratio=1, solver="saga", tol=1e-8, max_iter=20_000
    ).fit(X, y, weight)
    np.testing.assert_allclose(ours, theirs.coef_[0], atol=1e-4)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_the_conditions_of_a_minimum_hold(kind):
    X, y = table(80, 200)
    for penalty in (0.01, 0.05):
        ranker = LinearRanker("logloss", l1=penalty, scaling=None).fit(kind(X), y)
        scores = X @ ranker.coef_
        # The intercept is no part of the ranker: it is where the residuals sum to zero.
        low, high = -20.0, 20.0
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (middle, high) if expit(scores + middle).sum() < y.sum() else (low, middle)
        slope = X.T @ (expit(scores + low) - y) / len(y)
        used = ranker.coef_ != 0
        np.testing.assert_allclose(slope[used], -penalty * np.sign(ranker.coef_[used]), atol=1e-5)
        assert np.abs(slope[~used]).max() <= penalty + 1e-5
        assert 0 < used.sum() < 80


def test_a_penalty_beyond_the_largest_uses_no_column():
    X, y = table()
    for criterion in ("logloss", "auc"):
        ranker = LinearRanker(criterion, l1=10.0).fit(X, y)
        assert not ranker.coef_.any()
        assert metrics.auc(y, ranker.decision_function(X)) == 0.5


@pytest.mark.parametrize("criterion", ["auc", "power:3", "push:2"])
def test_a_criterion_is_climbed_on_the_columns_that_the_penalty_leaves(criterion):
    X, y = table()
    chosen = LinearRanker("logloss", l1=0.05).fit(X, y).coef_ != 0
    ranker = LinearRanker(criterion, l1=0.05).fit(X, y)
    np.testing.assert_array_equal(ranker.coef_ != 0, chosen)
    assert np.ptp(ranker.coef_[chosen] / ranker.plug_in_[chosen]) > 1e-3
    np.testing.assert_allclose(ranker.decision_function(X), X @ ranker.coef_ - ranker.threshold_)


def test_few_columns_among_many_are_found():
    X, y = table(400, 800)
    X_new, y_new = table(2000, 800, seed=1)
    every, few = (LinearRanker(l1=l1).fit(X, y) for l1 in (0, "cv"))
    area = {ranker.l1: metrics.auc(y_new, ranker.decision_function(X_new)) for ranker in (every, few)}
    best = max(
        metrics.auc(y_new, LogisticRegression(C=C, l1_ratio=1, solver="liblinear").fit(X, y).decision_function(X_new))
        for C in (0.03, 0.1, 0.3)
    )
    assert area["cv"] > max(best - 0.01, area[0] + 0.05)
    assert (few.coef_ != 0).sum() < 100
    assert few.coef_[0] != 0


def test_a_weight_is_a_number_of_equal_rows():
    X, y = table()
    times = 1 + np.arange(len(y)) % 3
    weighted = LinearRanker(l1="cv").fit(X, y, times).coef_
    repeated = LinearRanker(l1="cv").fit(X.repeat(times, axis=0), y.repeat(times)).coef_
    np.testing.assert_allclose(weighted, repeated, atol=1e-5 * np.abs(repeated).max())


@pytest.mark.parametrize("l1", [-1, "auto", np.nan])
def test_a_penalty_is_a_number_or_cv(l1):
    with pytest.raises(InputError, match="l1 must be"):
        LinearRanker(l1=l1).fit(*table())
