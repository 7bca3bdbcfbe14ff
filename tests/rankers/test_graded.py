"""Classes in order: more than two of them."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.datasets import load_wine

from podium import GradientBoostedRanker, LinearRanker, StackedRanker, metrics
from podium.criteria import PNormPush
from podium.exceptions import DegenerateSampleError, InputError
from podium.rankers import GradedRanker


def three_classes(n, seed, scale=1.0):
    """Normal rows whose mean moves along a direction with the class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    X = rng.standard_normal((n, 3)) * [1.0, 2.0, 0.5]
    return X + scale * y[:, None] * [0.8, 0.4, 0.0], y


def test_it_finds_what_scipy_finds_of_all_pairs():
    X, y = three_classes(90, 0)
    fitted = GradedRanker(LinearRanker(shrinkage=0, scaling=None, tol=1e-9, max_iter=1_000)).fit(X, y)

    def loss(theta):
        s = X @ theta
        pairs = (y[:, None] > y[None, :]) * np.log1p(np.exp(-(s[:, None] - s[None, :])))
        return np.log(pairs.sum())

    theirs = minimize(loss, np.zeros(3), tol=1e-10).x
    np.testing.assert_allclose(fitted.estimator_.coef_, theirs, rtol=2e-3, atol=1e-3)


def test_with_two_classes_it_is_the_push():
    X, y = three_classes(200, 1)
    X, y = X[y < 2], y[y < 2]
    graded = GradedRanker(p=4, loss="exponential").fit(X, y)
    plain = LinearRanker(PNormPush(4), shrinkage=0, alpha=1 / len(y), solver="lbfgs").fit(X, y)
    np.testing.assert_allclose(graded.estimator_.coef_, plain.coef_, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("ranker", [LinearRanker(), GradientBoostedRanker(n_estimators=30)], ids=["line", "trees"])
def test_it_orders_all_classes_of_new_rows(ranker):
    X, y = three_classes(3_000, 2)
    new, grades = three_classes(3_000, 3)
    best = metrics.volume_under_surface(grades, new @ [0.8, 0.1, 0.0])  # Σ⁻¹ times the direction
    found = GradedRanker(ranker).fit(X, y).score(new, grades)
    assert found > best - (0.01 if isinstance(ranker, LinearRanker) else 0.05)
    assert found > 1 / 6 + 0.2


def test_a_middle_class_is_told_apart_where_one_cut_cannot():
    # The lower classes differ in one column, the upper ones in another: a single cut sees one of them.
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=4_000)
    X = rng.standard_normal((4_000, 2)) + np.column_stack([2.0 * (y > 0), 2.0 * (y > 1)])
    graded = GradedRanker().fit(X[::2], y[::2]).score(X[1::2], y[1::2])
    one_cut = LinearRanker("auc").fit(X[::2], y[::2] > 1).decision_function(X[1::2])
    assert graded > metrics.volume_under_surface(y[1::2], one_cut) + 0.05


def test_the_rule_of_one_cut_pulls_nowhere():
    # Wine: the class in the middle is told by other columns than the ends.
    X, y = load_wine(return_X_y=True)
    graded = [GradedRanker(ranker).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) for ranker in (None, LinearRanker())]
    pulled = GradedRanker(LinearRanker(shrinkage=1.0)).fit(X[::2], y[::2]).score(X[1::2], y[1::2])
    assert graded[0] == graded[1] > max(0.93, pulled)


def test_a_weight_is_a_number_of_equal_rows_and_labels_may_be_text():
    X, y = three_classes(80, 4)
    weight = np.random.default_rng(0).integers(0, 3, 80)
    names = np.array(["a low one", "b", "c"])[y]
    alpha = LinearRanker(shrinkage=0, alpha=0.1)
    weighted = GradedRanker(alpha).fit(X.tolist(), names, weight)
    repeated = GradedRanker(alpha).fit(X.repeat(weight, axis=0), y.repeat(weight))
    np.testing.assert_allclose(weighted.estimator_.coef_, repeated.estimator_.coef_, rtol=1e-3, atol=1e-4)
    assert weighted.classes_.tolist() == ["a low one", "b", "c"]
    assert clone(weighted).get_params()["p"] == 1.0


def test_what_cannot_be_fitted_is_refused_in_a_sentence():
    X, y = three_classes(60, 5)
    with pytest.raises(InputError, match="ranker for arbitrary criteria"):
        GradedRanker(StackedRanker()).fit(X, y)
    with pytest.raises(InputError, match="early_stopping='auc'"):
        GradedRanker(GradientBoostedRanker(early_stopping="auc")).fit(X, y)
    with pytest.raises(InputError, match="calibrate='platt'"):
        GradedRanker(LinearRanker(calibrate="platt")).fit(X, y)
    with pytest.raises(DegenerateSampleError, match="2 to 20"):
        GradedRanker().fit(X, np.arange(60))
