"""The tolerance of a smoothed rank statistic is kept, whatever the scores look like."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from criteria import naive_smoothed
from criteria.smoothed_samples import sample
from podium import kernels
from podium._fast.cell_sums import LOOPS
from podium._types import Sample
from podium.criteria import RankStatistic
from podium.criteria.rank_statistic.cellwise import CellwiseRanks
from podium.rounds.computation import run_over
from podium.sums.cells import Cells
from podium.sums.frame import PLAIN, Spread


def hard_samples(n=250):
    rng = np.random.default_rng(1)
    normal = rng.standard_normal(n)
    return {
        "normal": normal,
        "Cauchy": rng.standard_cauchy(n),
        "tied": np.round(2 * normal),
        "outlier": np.append(normal[1:], 1e6),
        "outlier first": np.append(-1e6, normal[1:]),
        "far from zero": 1e4 + normal,
        "two far groups": np.where(rng.random(n) < 0.5, normal, 1e5 + normal),
    }


def sums_for(criterion, rows, tol):
    """The sums that the criterion takes for rows."""
    return run_over(criterion._sums(Spread.of(rows), PLAIN, tol), [rows])[0]


def assert_accurate(criterion, scores, is_positive, weight=None, bandwidth=None):
    """Value and gradient against the N × N matrices: tol of the largest entry, or 1e-12 of the largest term."""
    ones = np.ones(len(scores))
    weight_or_one = ones if weight is None else weight
    n_total = weight_or_one.sum()
    bound = criterion.phi.bind(n_total)
    value, gradient, term = naive_smoothed.smoothed_matrices(
        scores,
        is_positive,
        weight_or_one,
        bound.value,
        bound.derivative,
        next(name for name, kernel in kernels.BY_NAME.items() if kernel == criterion.kernel),
        n_total**-0.2 if criterion.bandwidth is None else criterion.bandwidth,
        criterion.relative,
    )
    got_value, got_gradient = criterion.value_and_gradient(scores, is_positive, weight)
    assert got_value == pytest.approx(value, rel=criterion.tol, abs=1e-3 * criterion.tol)
    error = np.abs(got_gradient - gradient).max()
    assert error <= criterion.tol * np.abs(gradient).max() + 1e-12 * term


CRITERIA = [
    ("mww", "gaussian"),
    ("power:3", "gaussian"),
    ("smooth-top:0.9", "gaussian"),
    ("logrank", "gaussian"),
    ("mww", "logistic"),
    ("power:3", "laplace"),
    ("power:3", "triweight"),
]


@pytest.mark.parametrize(
    ("name", "phi_name", "kernel", "tol"),
    [
        (name, *criterion, (1e-6, 1e-10)[(i + j) % 2])
        for i, name in enumerate(hard_samples())
        for j, criterion in enumerate(CRITERIA)
    ],
)
def test_accuracy_is_kept_on_hard_samples_at_every_bandwidth(name, phi_name, kernel, tol):
    scores = hard_samples()[name]
    _, is_positive, weight = sample(len(scores))
    for bandwidth in (None, 1e-6, 1e-3, 2.0, 1e6):
        assert_accurate(RankStatistic(phi_name, kernel, bandwidth, tol=tol), scores, is_positive, weight)
    for bandwidth in (1e-3, 0.2):
        assert_accurate(RankStatistic(phi_name, kernel, bandwidth, relative=False, tol=tol), scores, is_positive)


@pytest.mark.parametrize("order", LOOPS)
@pytest.mark.parametrize("tol", [1e-6, 1e-10])
def test_accuracy_is_kept_with_any_number_of_moments(order, tol, monkeypatch):
    monkeypatch.setattr("podium.sums.cells.LOOPS", {order: LOOPS[order]})
    for scores in hard_samples().values():
        _, is_positive, weight = sample(len(scores))
        assert_accurate(RankStatistic("power:3", tol=tol), scores, is_positive, weight)


def test_short_lists_take_fewer_cells_with_more_moments_than_long_ones():
    def cells(n_rows):
        spread = Spread(n_rows, n_rows // 2, n_rows, n_rows / 2, 1.0, 0.0, float(n_rows), -4.0, 4.0)
        return Cells.fit(kernels.Gaussian(), 0.15, 1e-6, spread)

    assert cells(10_000).order > cells(10_000_000).order
    assert cells(10_000).width > cells(10_000_000).width


@settings(max_examples=60, deadline=None)
@given(
    scores=st.lists(st.floats(-1e3, 1e3, allow_subnormal=False).map(lambda x: round(x, 3)), min_size=2, max_size=12),
    bandwidth=st.floats(1e-3, 1e3),
    data=st.data(),
)
def test_accuracy_is_kept_on_any_small_sample(scores, bandwidth, data):
    labels = data.draw(st.lists(st.booleans(), min_size=len(scores), max_size=len(scores)))
    is_positive = np.array(labels) | (np.arange(len(scores)) == 0)
    is_positive[-1] = False
    for tol in (1e-6, 1e-10):
        assert_accurate(RankStatistic("power:2", bandwidth=bandwidth, relative=False, tol=tol), scores, is_positive)


@pytest.mark.parametrize("tol", [1e-6, 1e-10])
@pytest.mark.parametrize(
    ("phi_name", "bandwidth", "interpolates"),
    [("power:3", 0.2, True), ("early-recognition:20", 0.2, True), ("smooth-top:0.9", 3.0, False)],
)
def test_phi_is_interpolated_in_cells_only_where_that_is_accurate(phi_name, bandwidth, interpolates, tol):
    scores, is_positive, weight = sample(20_000)
    rows = Sample(scores, is_positive, weight)
    criterion = RankStatistic(phi_name, bandwidth=bandwidth, tol=tol)
    spread = Spread.of(rows)
    tol_of_sums = criterion._tolerances(spread)[0]
    steps = next(criterion._ways(spread, PLAIN, tol_of_sums, sums_for(criterion, rows, tol_of_sums)))
    assert isinstance(steps, CellwiseRanks)
    assert steps.field_term(steps.finish(steps.summarize(rows)[0])).is_accurate == interpolates
    value, gradient = criterion.value_and_gradient(scores, is_positive, weight)
    exact_value, exact = replace(criterion, tol=1e-12).value_and_gradient(scores, is_positive, weight)
    assert value == pytest.approx(exact_value, rel=tol)
    np.testing.assert_allclose(gradient, exact, rtol=0, atol=tol * np.abs(exact).max())


def test_single_precision_is_summed_in_double():
    scores, is_positive, _ = sample(500)
    single = (1000 + scores).astype(np.float32)
    value, gradient = RankStatistic().value_and_gradient(single, is_positive)
    expected_value, expected = RankStatistic().value_and_gradient(single.astype(np.float64), is_positive)
    assert value == expected_value
    assert gradient.dtype == np.float64
    np.testing.assert_array_equal(gradient, expected)


def test_five_positives_among_many_rows_feel_the_density_of_the_rest():
    rng = np.random.default_rng(5)
    scores = rng.standard_normal(200_000)
    is_positive = np.zeros(len(scores), bool)
    is_positive[[3, 70_000, 70_001, 150_000, 199_999]] = True
    value, gradient = RankStatistic("power:3", bandwidth=0.1, relative=False).value_and_gradient(scores, is_positive)
    positives = scores[is_positive]
    cdf = np.array([naive_smoothed.KERNELS["gaussian"].cdf((t - scores) / 0.1).mean() for t in positives])
    assert value == pytest.approx(np.mean(cdf**3), rel=1e-6)
    density = np.array([naive_smoothed.KERNELS["gaussian"].pdf((t - scores) / 0.1).mean() / 0.1 for t in positives])
    np.testing.assert_allclose(gradient[is_positive], 3 * cdf**2 * density / 5, rtol=1e-3)
    assert abs(gradient.sum()) <= 1e-12 * np.abs(gradient).sum()


def test_mean_and_spread_of_merged_chunks_survive_a_huge_outlier():
    scores = np.append(1e9, np.random.default_rng(0).standard_normal(5000))
    rows = [Sample(part, part > 0) for part in (scores[:1], scores[1:3000], scores[3000:])]
    merged = Spread.of(rows[0]) + Spread.of(rows[1]) + Spread.of(rows[2])
    assert merged.mean == pytest.approx(scores.mean(), rel=1e-12)
    assert merged.standard_deviation == pytest.approx(scores.std(), rel=1e-12)
    assert (merged.low, merged.high) == (scores.min(), scores.max())


HEAVY_TAILS = {
    "Cauchy": lambda rng, n: rng.standard_cauchy(n),
    "beyond whole numbers": lambda rng, n: np.where(rng.random(n) < 0.01, 1e18, 1.0) * rng.standard_normal(n),
    "two far groups": lambda rng, n: rng.standard_normal(n) + 1e9 * (rng.random(n) < 0.5),
}


@pytest.mark.parametrize(
    ("name", "phi_name", "tol"),
    [
        (name, ("auc", "power:3", "van-der-waerden")[(i + j) % 3], tol)
        for i, name in enumerate(HEAVY_TAILS)
        for j, tol in enumerate((1e-6, 1e-10))
    ],
)
def test_only_cells_that_hold_rows_are_kept_of_heavy_tails(name, phi_name, tol, monkeypatch):
    monkeypatch.setattr("podium.sums.cells._SLAB", 16)  # many slabs
    rng = np.random.default_rng(5)
    scores, n = HEAVY_TAILS[name](rng, 1500), 1500
    is_positive, weight = np.arange(n) % 3 == 0, rng.integers(1, 4, n).astype(float)
    criterion = RankStatistic(phi_name, bandwidth=0.5, relative=False, tol=tol)
    rows = Sample(scores, is_positive, weight)
    sums = sums_for(criterion, rows, tol)
    assert sums.occupied is not None
    assert sums.n_cells < n / 4
    for w in (None, weight):
        assert_accurate(criterion, scores, is_positive, w)
    value, gradient = criterion.value_and_gradient(scores, is_positive, weight)
    merged, parts = criterion.over_chunks([rows.subset(slice(a, b)) for a, b in ((0, 7), (7, 900), (900, n))])
    assert merged == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(np.concatenate(parts), gradient, rtol=0, atol=1e-12 * np.abs(gradient).max())


@pytest.mark.parametrize("relative", [True, False])
def test_heavy_tails_take_no_more_memory_than_light_ones(relative):
    rng = np.random.default_rng(0)
    scores, is_positive = rng.standard_cauchy(200_000), rng.random(200_000) < 0.3
    criterion = RankStatistic(bandwidth=None if relative else 0.1, relative=relative)
    criterion.value_and_gradient(scores, is_positive)
    tracemalloc.start()
    criterion.value_and_gradient(scores, is_positive)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < (16 if relative else 32) * len(scores)  # the gradient alone is 8 bytes a row
