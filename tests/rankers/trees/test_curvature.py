"""Gradient and curvature of a criterion as trees see them."""

import numpy as np
import pytest

from podium._types import Sample
from podium.criteria import BottomPush, IRPush, LogLoss, PNormPush, RankStatistic, SmoothPartialAuc
from podium.rankers.trees.curvature import NewtonObjective


def rows_of(n_rows=40, seed=0, weighted=False):
    rng = np.random.default_rng(seed)
    is_positive = np.arange(n_rows) % 3 == 0
    weight = rng.integers(1, 4, n_rows).astype(float) if weighted else None
    return Sample(rng.standard_normal(n_rows) * 2 + is_positive, is_positive, weight)


def second_differences(criterion, rows, step=1e-3):
    def at(j, change):
        scores = rows.scores.copy()
        scores[j] += change
        return criterion.value_and_gradient(scores, rows.is_positive, rows.weight)[1][j]

    return np.array([(at(j, step) - at(j, -step)) / (2 * step) for j in range(len(rows.scores))])


SMOOTH = [
    LogLoss(),
    PNormPush(1),
    PNormPush(4),
    BottomPush(3),
    IRPush(),
    RankStatistic("auc", "logistic", 1.0, relative=False, tol=1e-10),
    RankStatistic("auc", "logistic", 0.4, relative=False, tol=1e-10),
    PNormPush(4) + 0.5 * BottomPush(2),
]


@pytest.mark.parametrize("criterion", SMOOTH, ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_gradient_is_that_of_finite_differences(criterion, weighted):
    rows, step = rows_of(weighted=weighted), 1e-5

    def value(j, change):
        scores = rows.scores.copy()
        scores[j] += change
        return criterion.value_and_gradient(scores, rows.is_positive, rows.weight)[0]

    expected = [(value(j, step) - value(j, -step)) / (2 * step) for j in range(len(rows.scores))]
    gradient, _ = criterion.gradient_and_row_curvature(rows)
    np.testing.assert_allclose(gradient, expected, rtol=1e-4, atol=1e-8)


@pytest.mark.parametrize("criterion", SMOOTH, ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_curvature_bounds_the_second_derivative(criterion, weighted):
    rows = rows_of(weighted=weighted)
    _, curvature = criterion.gradient_and_row_curvature(rows)
    assert (np.abs(second_differences(criterion, rows)) <= curvature * (1 + 1e-6) + 1e-9).all()


def test_the_curvature_of_log_loss_is_exact():
    rows = rows_of()
    _, curvature = LogLoss().gradient_and_row_curvature(rows)
    np.testing.assert_allclose(curvature, -second_differences(LogLoss(), rows), rtol=1e-5)


@pytest.mark.parametrize("phi", ["power:3", "early-recognition:5"])
def test_the_curvature_of_a_convex_phi_bounds_what_bends_down(phi):
    # up to terms among positives, which cancel in the gradient: the documented exception
    criterion = RankStatistic(phi, "logistic", 1.0, relative=False, tol=1e-10)
    rows = rows_of(200)
    _, curvature = criterion.gradient_and_row_curvature(rows)
    excess = -second_differences(criterion, rows) - curvature
    assert (excess[~rows.is_positive] <= 1e-9).all()
    assert (excess > 0.1 * curvature.mean()).mean() < 0.05


@pytest.mark.parametrize("criterion", [*SMOOTH, RankStatistic("power:3"), SmoothPartialAuc(0.2)], ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_trees_see_the_gradient_and_a_positive_curvature_of_the_mean_of_log_loss(criterion, weighted):
    rows = rows_of(weighted=weighted)
    objective = NewtonObjective(criterion, rows.is_positive, rows.weight)
    first, second = objective(rows.scores)
    _, gradient = criterion.value_and_gradient(rows.scores, rows.is_positive, rows.weight)
    size = np.linalg.norm(first) / np.linalg.norm(gradient)
    np.testing.assert_allclose(first, -size * gradient, rtol=1e-9, atol=1e-12)
    assert second.min() > 0
    weight = np.ones(len(first)) if rows.weight is None else rows.weight
    share = np.average(rows.is_positive, weights=weight)
    assert second.sum() / weight.sum() == pytest.approx(share * (1 - share))


@pytest.mark.parametrize("criterion", [RankStatistic("auc"), SmoothPartialAuc()], ids=str)
def test_a_relative_bandwidth_starts_with_a_step_of_log_loss(criterion):
    y = rows_of().is_positive
    first, second = NewtonObjective(criterion, y, None)(np.zeros(len(y)))
    assert (np.sign(first) == np.where(y, -1, 1)).all()
    assert second.min() > 0


@pytest.mark.parametrize(
    "criterion", [LogLoss(), PNormPush(4), IRPush(), RankStatistic("auc", relative=False)], ids=str
)
def test_a_weight_is_as_many_rows_to_the_objective(criterion):
    rows = rows_of(weighted=True)
    times = rows.weight.astype(int)
    first, second = NewtonObjective(criterion, rows.is_positive, rows.weight)(rows.scores)
    again = NewtonObjective(criterion, rows.is_positive.repeat(times), None)(rows.scores.repeat(times))
    np.testing.assert_allclose(first.repeat(times) / rows.weight.repeat(times), again[0], rtol=1e-5, atol=1e-9)
    np.testing.assert_allclose(second.repeat(times) / rows.weight.repeat(times), again[1], rtol=1e-5, atol=1e-9)
