import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

import naive
from podium import kernels, phi
from podium._types import Sample
from podium.criteria import RankStatistic, resolve
from podium.criteria.rank_statistic.cellwise import CellwiseRanks
from podium.criteria.rounds import run_over
from podium.exceptions import DegenerateSampleError, InputError, InputTypeError
from podium.sums.frame import PLAIN
from podium.sums.spread import Spread

PHIS = ["mww", "power:3", "smooth-top:0.9", "early-recognition:20", "logistic", "logrank", "van-der-waerden", "dcg"]
every_phi = pytest.mark.parametrize("phi_name", PHIS)
every_kernel = pytest.mark.parametrize("kernel", list(kernels.BY_NAME))
relative_or_not = pytest.mark.parametrize("relative", [True, False])


def sample(n=60, seed=0):
    rng = np.random.default_rng(seed)
    is_positive = np.arange(n) % 3 == 0
    return rng.standard_normal(n) + 0.8 * is_positive, is_positive, rng.integers(1, 4, n).astype(float)


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
    value, gradient, term = naive.smoothed_matrices(
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


@every_phi
@every_kernel
def test_value_and_gradient_are_the_double_sums_of_the_paper(phi_name, kernel):
    scores, is_positive, weight = sample(24)
    criterion = RankStatistic(phi_name, kernel, bandwidth=0.3, relative=False, tol=1e-12)
    bound = criterion.phi.bind(weight.sum())
    value, gradient = criterion.value_and_gradient(scores, is_positive, weight)
    expected = naive.smoothed_rank_statistic(scores, is_positive, weight, bound.value, kernel, 0.3)
    assert value == pytest.approx(expected, rel=1e-10)
    expected = naive.smoothed_gradient(scores, is_positive, weight, bound.derivative, kernel, 0.3)
    np.testing.assert_allclose(gradient, expected, rtol=0, atol=1e-10 * np.abs(expected).max())


@every_phi
@every_kernel
@relative_or_not
def test_gradient_agrees_with_central_differences(phi_name, kernel, relative):
    scores, is_positive, weight = sample(20)
    criterion = RankStatistic(phi_name, kernel, bandwidth=0.6, relative=relative, tol=1e-12)
    _, gradient = criterion.value_and_gradient(scores, is_positive, weight)
    step = 1e-5
    for j in range(len(scores)):
        shift = step * (np.arange(len(scores)) == j)
        up, _ = criterion.value_and_gradient(scores + shift, is_positive, weight)
        down, _ = criterion.value_and_gradient(scores - shift, is_positive, weight)
        # Third derivatives reach λ² for the smooth top share; K' jumps for Laplace and Epanechnikov.
        assert (up - down) / (2 * step) == pytest.approx(gradient[j], rel=1e-4, abs=1e-4 * np.abs(gradient).max())


@pytest.mark.parametrize("name", list(hard_samples()))
@pytest.mark.parametrize("tol", [1e-6, 1e-10])
@pytest.mark.parametrize(
    ("phi_name", "kernel"),
    [
        ("mww", "gaussian"),
        ("power:3", "gaussian"),
        ("smooth-top:0.9", "gaussian"),
        ("logrank", "gaussian"),
        ("mww", "logistic"),
        ("power:3", "laplace"),
        ("power:3", "triweight"),
    ],
)
def test_accuracy_is_kept_on_hard_samples_at_every_bandwidth(name, tol, kernel, phi_name):
    scores = hard_samples()[name]
    _, is_positive, weight = sample(len(scores))
    for bandwidth in (None, 1e-6, 1e-3, 2.0, 1e6):
        assert_accurate(RankStatistic(phi_name, kernel, bandwidth, tol=tol), scores, is_positive, weight)
    for bandwidth in (1e-3, 0.2):
        assert_accurate(RankStatistic(phi_name, kernel, bandwidth, relative=False, tol=tol), scores, is_positive)


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


HEAVY_TAILS = {
    "Cauchy": lambda rng, n: rng.standard_cauchy(n),
    "beyond whole numbers": lambda rng, n: np.where(rng.random(n) < 0.01, 1e18, 1.0) * rng.standard_normal(n),
    "two far groups": lambda rng, n: rng.standard_normal(n) + 1e9 * (rng.random(n) < 0.5),
}


@pytest.mark.parametrize("tol", [1e-6, 1e-10])
@pytest.mark.parametrize("phi_name", ["auc", "power:3", "van-der-waerden"])
@pytest.mark.parametrize("name", HEAVY_TAILS)
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


@every_kernel
def test_a_positive_above_one_negative_gives_the_two_term_formula(kernel):
    _, gradient = RankStatistic(kernel=kernel, bandwidth=2.0, relative=False).value_and_gradient([1.0, 0.0], [1, 0])
    slope = naive.KERNELS[kernel].pdf(0.5) / (2 * 2.0)
    np.testing.assert_allclose(gradient, [slope, -slope], rtol=1e-6)


@every_kernel
def test_smoothed_ranks_tend_to_midranks_less_half_as_bandwidth_vanishes(kernel):
    scores, is_positive, _ = sample(200)
    scores = np.round(scores, 1)  # ties
    value, _ = RankStatistic("mww", kernel, bandwidth=1e-7, relative=False).value_and_gradient(scores, is_positive)
    midranks = rankdata(scores)[is_positive]
    assert value == pytest.approx(np.mean(midranks - 0.5) / len(scores), rel=1e-12)


@every_kernel
def test_smoothed_ranks_tend_to_one_half_as_bandwidth_grows(kernel):
    scores, is_positive, _ = sample(200)
    value, gradient = RankStatistic("mww", kernel, bandwidth=1e12).value_and_gradient(scores, is_positive)
    assert value == pytest.approx(0.5, abs=1e-10)
    assert np.abs(gradient).max() < 1e-10


@every_phi
@every_kernel
def test_gradient_sums_to_zero(phi_name, kernel):
    scores, is_positive, weight = sample(300)
    for relative in (True, False):
        _, gradient = RankStatistic(phi_name, kernel, relative=relative).value_and_gradient(scores, is_positive, weight)
        assert abs(gradient.sum()) <= 1e-12 * np.abs(gradient).sum()


@every_phi
@every_kernel
def test_a_relative_bandwidth_makes_the_value_invariant_to_scale(phi_name, kernel):
    scores, is_positive, weight = sample(300)
    criterion = RankStatistic(phi_name, kernel, tol=1e-10)
    value, gradient = criterion.value_and_gradient(scores, is_positive, weight)
    scaled_value, scaled_gradient = criterion.value_and_gradient(3 * scores + 7, is_positive, weight)
    assert scaled_value == pytest.approx(value, rel=1e-9)
    np.testing.assert_allclose(3 * scaled_gradient, gradient, atol=1e-9 * np.abs(gradient).max())
    assert abs(gradient @ scores) <= 1e-9 * np.linalg.norm(gradient) * np.linalg.norm(scores)


@every_kernel
@relative_or_not
def test_permuting_rows_permutes_the_gradient(kernel, relative):
    scores, is_positive, weight = sample(300)
    order = np.random.default_rng(3).permutation(300)
    criterion = RankStatistic("power:3", kernel, relative=relative)
    value, gradient = criterion.value_and_gradient(scores, is_positive, weight)
    permuted, permuted_gradient = criterion.value_and_gradient(scores[order], is_positive[order], weight[order])
    assert permuted == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(permuted_gradient, gradient[order], atol=1e-12 * np.abs(gradient).max())


@every_kernel
@relative_or_not
def test_whole_weights_equal_repeated_rows(kernel, relative):
    scores, is_positive, weight = sample(100)
    weight[::7] = 0.0
    times = weight.astype(int)
    criterion = RankStatistic("dcg", kernel, relative=relative)
    value, gradient = criterion.value_and_gradient(scores, is_positive, weight)
    repeated_value, repeated = criterion.value_and_gradient(np.repeat(scores, times), np.repeat(is_positive, times))
    assert value == pytest.approx(repeated_value, rel=1e-9)
    np.testing.assert_allclose(
        np.repeat(gradient, times), repeated * np.repeat(weight, times), atol=1e-9 * np.abs(gradient).max()
    )
    assert not gradient[weight == 0].any()


@every_kernel
@pytest.mark.parametrize("bandwidth", [None, 1e-5])
@pytest.mark.parametrize("weighted", [True, False])
def test_merged_chunks_equal_the_whole(kernel, bandwidth, weighted):
    scores, is_positive, weight = sample(1000)
    scores[::5] = np.round(scores[::5], 1)
    order = np.argsort(~is_positive, kind="stable")  # the first chunks hold positives only, the last none
    scores, is_positive, weight = scores[order], is_positive[order], weight[order]
    criterion = RankStatistic("power:3", kernel, bandwidth)
    value, gradient = criterion.value_and_gradient(scores, is_positive, weight if weighted else None)
    for n_chunks in (2, 7):
        chunks = [
            Sample(scores[part], is_positive[part], weight[part] if weighted else None)
            for part in np.array_split(np.arange(1000), n_chunks)
        ]
        merged, gradients = criterion.over_chunks(chunks)
        assert merged == pytest.approx(value, rel=1e-12)
        np.testing.assert_allclose(np.concatenate(gradients), gradient, atol=1e-12 * np.abs(gradient).max())


@relative_or_not
def test_equal_scores_give_one_half_and_a_zero_gradient_if_the_bandwidth_follows_their_spread(relative):
    is_positive = np.array([True, False, False])
    value, gradient = RankStatistic("power:2", bandwidth=1.0, relative=relative).value_and_gradient(
        [0.1] * 3, is_positive
    )
    assert value == pytest.approx(0.25, rel=1e-6)
    if relative:
        assert not gradient.any()
    else:
        assert gradient[0] > 0 > gradient[1] == gradient[2]


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
    cdf = np.array([naive.KERNELS["gaussian"].cdf((t - scores) / 0.1).mean() for t in positives])
    assert value == pytest.approx(np.mean(cdf**3), rel=1e-6)
    density = np.array([naive.KERNELS["gaussian"].pdf((t - scores) / 0.1).mean() / 0.1 for t in positives])
    np.testing.assert_allclose(gradient[is_positive], 3 * cdf**2 * density / 5, rtol=1e-3)
    assert abs(gradient.sum()) <= 1e-12 * np.abs(gradient).sum()


@pytest.mark.parametrize("spec", ["top:0.9", "median", "dcg:10"])
def test_a_phi_that_jumps_is_refused_with_the_smooth_one_to_train_with(spec):
    with pytest.raises(InputError, match=f"train with '{phi.resolve(spec).smooth_alternative()}'"):
        RankStatistic(spec)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"bandwidth": 0.0}, InputError),
        ({"bandwidth": "wide"}, InputTypeError),
        ({"tol": 1e-15}, InputError),
        ({"kernel": "box"}, InputError),
        ({"phi": "powr:3"}, InputError),
        ({"relative": "yes"}, InputError),
    ],
)
def test_unusable_parameters_are_refused(arguments, error):
    with pytest.raises(error):
        RankStatistic(**arguments)


def test_a_sample_of_one_class_is_refused():
    with pytest.raises(DegenerateSampleError):
        RankStatistic().value_and_gradient([1.0, 2.0], [True, True])


def test_mean_and_spread_of_merged_chunks_survive_a_huge_outlier():
    scores = np.append(1e9, np.random.default_rng(0).standard_normal(5000))
    rows = [Sample(part, part > 0) for part in (scores[:1], scores[1:3000], scores[3000:])]
    merged = Spread.of(rows[0]) + Spread.of(rows[1]) + Spread.of(rows[2])
    assert merged.mean == pytest.approx(scores.mean(), rel=1e-12)
    assert merged.standard_deviation == pytest.approx(scores.std(), rel=1e-12)
    assert (merged.low, merged.high) == (scores.min(), scores.max())


@pytest.mark.parametrize("spec", ["auc", "power:3", "smooth-top:0.9", phi.Power(2)])
def test_a_phi_means_its_rank_statistic(spec):
    assert resolve(spec) == RankStatistic(spec)


def test_a_criterion_passes_through_and_anything_else_is_refused_with_what_is_understood():
    criterion = RankStatistic("power:4", "laplace")
    assert resolve(criterion) is criterion
    with pytest.raises(InputError, match=r"understood are auc, .*power:3"):
        resolve("powr:3")
    with pytest.raises(InputTypeError, match="understood are auc"):
        resolve(3)
