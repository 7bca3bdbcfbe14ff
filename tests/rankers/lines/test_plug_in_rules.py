"""Plug-in rules, scatters and quantiles that lines start from."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression

from podium.datasets import LocationModel
from podium.rankers.lines.prepare import lda, ridge_logistic
from podium.rankers.lines.scatter import robust_scatter, weighted_quantile


def test_the_ridge_penalty_is_the_one_that_predicts_left_out_rows_best():
    X, y = LocationModel(0.2, dimension=5).sample(30, 30, 0)
    found = ridge_logistic(X, y, np.ones(60))
    # second opinion: every row left out in turn, refitted by scikit-learn
    losses = {}
    for penalty in (found.penalty / 100, found.penalty, found.penalty * 100):
        loss = 0.0
        for i in range(60):
            rest = np.arange(60) != i
            p = LogisticRegression(C=1 / penalty).fit(X[rest], y[rest]).predict_proba(X[[i]])[0, int(y[i])]
            loss -= np.log(p)
        losses[penalty] = loss
    assert min(losses, key=losses.get) == found.penalty
    theirs = LogisticRegression(C=1 / found.penalty, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(found.direction, theirs.coef_[0], rtol=1e-3, atol=1e-4)


def test_the_lda_direction_is_scikit_learns():
    X, y = LocationModel(0.2).sample(60, 80, 0)
    ours = lda(X, y, np.ones(140)).direction
    theirs = LinearDiscriminantAnalysis().fit(X, y).coef_[0]
    assert np.corrcoef(ours, theirs)[0, 1] == pytest.approx(1, abs=1e-10)


def test_robust_scatter_ignores_wild_rows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 3))
    _, clean = robust_scatter(X, np.ones(2000))
    X[:60] *= 1000
    _, spoiled = robust_scatter(X, np.ones(2000))
    np.testing.assert_allclose(spoiled, clean, rtol=0.35, atol=0.05)


@pytest.mark.parametrize("unit", [1.0, 1.6, 0.7, 1 / 3])
def test_quantiles_do_not_depend_on_the_unit_of_the_weights(unit):
    for n in (10, 20, 30, 100):
        values = np.random.default_rng(n).permutation(n)
        assert weighted_quantile(values, np.full(n, unit), 0.5) == n // 2 - 1
        assert weighted_quantile(values, np.full(n, unit), 0.75) == int(np.ceil(0.75 * n)) - 1
