import numpy as np
import pytest
from scipy.stats import fisher_exact, mannwhitneyu, median_test

from inference import naive_rank_tests as naive
from podium import InputError
from podium.inference import rank_test
from registry import all_phi

SAMPLES = {
    "distinct": ([1.2, 3.4, 2.2, 5.0], [0.3, 0.9, 2.0, 1.1, 4.1]),
    "ties": ([1, 3, 2, 2, 5], [0, 1, 2, 2, 1]),
    "nearly all tied": ([1, 1, 1, 2], [1, 1, 0]),
}
ALTERNATIVES = ["two-sided", "greater", "less"]


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("levels", [None, 2])
def test_the_asymptotic_mww_test_is_scipys_without_continuity_correction(alternative, levels):
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal(30) + 0.5, rng.standard_normal(40)
    if levels:
        x, y = np.round(x * levels), np.round(y * levels)
    wanted = mannwhitneyu(x, y, alternative=alternative, method="asymptotic", use_continuity=False)
    found = rank_test(x, y, alternative=alternative, method="asymptotic")
    assert found.pvalue == pytest.approx(wanted.pvalue, rel=1e-10)
    assert (len(x) + len(y) + 1) * found.statistic - len(x) * (len(x) + 1) / 2 == pytest.approx(wanted.statistic)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("n", "m"), [(3, 4), (8, 5), (20, 25)])
def test_the_exact_mww_test_is_scipys(alternative, n, m):
    rng = np.random.default_rng(n)
    x, y = rng.standard_normal(n) + 0.4, rng.standard_normal(m)
    wanted = mannwhitneyu(x, y, alternative=alternative, method="exact").pvalue
    assert rank_test(x, y, alternative=alternative, method="exact").pvalue == pytest.approx(wanted, rel=1e-10)


@pytest.mark.parametrize("samples", SAMPLES.values(), ids=SAMPLES)
@pytest.mark.parametrize("phi", all_phi(9), ids=str)
def test_exact_tests_and_null_moments_are_those_of_enumeration_for_every_phi(phi, samples):
    x, y = samples
    n_total = len(x) + len(y)
    bound = phi.bind(n_total)
    at_rank = bound.value(np.arange(1, n_total + 1) / (n_total + 1))
    scores = naive.mood([*x, *y]) if str(phi) == "median" else naive.tie_averaged([*x, *y], lambda r: at_rank[r - 1])
    lower, upper, mean, error = naive.tails(scores, len(x), slack=1e-10 * np.ptp(scores))
    found = {a: rank_test(x, y, phi, alternative=a, method="exact") for a in ALTERNATIVES}
    assert found["less"].pvalue == pytest.approx(lower)
    assert found["greater"].pvalue == pytest.approx(upper)
    assert found["two-sided"].pvalue == pytest.approx(min(2 * min(lower, upper), 1))
    assert (found["less"].null_mean, found["less"].null_standard_error) == pytest.approx((mean, error), abs=1e-12)


@pytest.mark.parametrize("levels", [None, 2])
@pytest.mark.parametrize("phi", ["mww", "power:2", "power:3", "power:8", "savage"])
@pytest.mark.parametrize(("n", "m"), [(5, 5), (7, 6), (9, 2), (2, 9), (1, 8)])
def test_equal_sums_are_never_told_apart_by_rounding(phi, n, m, levels):
    for seed in range(3):
        values = np.random.default_rng(seed).standard_normal(n + m)
        values = values if levels is None else np.round(levels * values)
        fractions = naive.tie_averaged(values.tolist(), naive.rational_scores(phi, n + m))
        lower, upper, *_ = naive.tails(fractions, n)
        for alternative, wanted in (("less", lower), ("greater", upper)):
            found = rank_test(values[:n], values[n:], phi, alternative=alternative, method="exact").pvalue
            assert found == pytest.approx(wanted, rel=1e-12)


def test_the_exact_logrank_test_is_that_of_products_of_whole_numbers():
    for seed in range(5):
        ranks = np.random.default_rng(seed).permutation(np.arange(1, 15))
        lower, upper = naive.logrank_tails(ranks.tolist(), 7)
        for alternative, wanted in (("less", lower), ("greater", upper)):
            found = rank_test(ranks[:7], ranks[7:], "logrank", alternative=alternative, method="exact").pvalue
            assert found == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("levels", [None, 1, 2])
@pytest.mark.parametrize(("n", "m"), [(30, 41), (20, 20), (9, 14)])
def test_the_median_test_is_moods(n, m, levels):
    rng = np.random.default_rng(n)
    x, y = rng.standard_normal(n) + 0.5, rng.standard_normal(m)
    if levels:
        x, y = np.round(x * levels), np.round(y * levels)
    wanted = median_test(x, y, ties="below", correction=False)
    found = rank_test(x, y, "median", method="asymptotic")
    # Pearson's chi-square divides by N where the variance of the exact distribution has N − 1.
    assert found.zscore**2 == pytest.approx(wanted.statistic * (n + m - 1) / (n + m), rel=1e-10)
    exact = rank_test(x, y, "median", method="exact", alternative="greater").pvalue
    assert exact == pytest.approx(fisher_exact(wanted.table, alternative="greater").pvalue, rel=1e-9)


@pytest.mark.parametrize(("n", "m"), [(60, 2), (2, 60), (100, 1), (1, 100), (8, 10)])
@pytest.mark.parametrize("phi", ["mww", "power:3", "logrank", "savage", "median"])
def test_a_handful_against_many_is_exact_by_default_and_the_same_from_either_side(phi, n, m):
    values = np.random.default_rng(n).standard_normal(n + m)
    one = rank_test(values[:n], values[n:], phi)
    other = rank_test(values[n:], values[:n], phi)
    assert (one.method, other.method) == ("exact", "exact")
    assert one.pvalue == pytest.approx(other.pvalue, rel=1e-9)
    if m == 1 and phi != "median":  # the only value of y has one of N ranks
        rank = int((values > values[-1]).sum()) + 1
        assert one.pvalue == pytest.approx(min(1, 2 * min(rank, n + 2 - rank) / (n + 1)))


@pytest.mark.parametrize(
    ("phi", "scores"),
    [
        # Normal scores Φ⁻¹(j/9), logrank −log(1 − j/9), signs of j − 4.5 and Savage's 1/8 + … for the ranks 1, …, 8.
        ("savage", [0.125, 0.2679, 0.4345, 0.6345, 0.8845, 1.2179, 1.7179, 2.7179]),
        ("van-der-waerden", [-1.2206, -0.7647, -0.4307, -0.1397, 0.1397, 0.4307, 0.7647, 1.2206]),
        ("logrank", [0.1178, 0.2513, 0.4055, 0.5878, 0.8109, 1.0986, 1.5041, 2.1972]),
        ("median", [-1, -1, -1, -1, 1, 1, 1, 1]),
    ],
)
def test_the_classical_scores_are_those_of_the_textbooks(phi, scores):
    ranks = np.array([2, 5, 7, 8])
    found = rank_test(ranks, [1, 3, 4, 6], phi)
    assert found.statistic == pytest.approx(np.array(scores)[ranks - 1].sum(), abs=2e-4)
    assert found.null_mean == pytest.approx(np.mean(scores) * 4, abs=2e-4)


@pytest.mark.parametrize("phi", ["mww", "median", "power:8"])
def test_permutation_tends_to_exact(phi):
    rng = np.random.default_rng(1)
    x, y = np.round(2 * rng.standard_normal(9)) + 1, np.round(2 * rng.standard_normal(8))
    exact = rank_test(x, y, phi, method="exact").pvalue
    drawn = rank_test(x, y, phi, method="permutation", n_resamples=40_000, rng=0).pvalue
    assert drawn == pytest.approx(exact, abs=4 * np.sqrt(exact / 40_000) + 1 / 40_000)


def test_a_seed_fixes_the_permutations():
    rng = np.random.default_rng(1)
    x, y = rng.standard_normal(30) + 0.5, rng.standard_normal(30)
    one, same, other = (rank_test(x, y, method="permutation", n_resamples=500, rng=seed).pvalue for seed in (3, 3, 4))
    assert one == same
    assert one != other


def test_auto_is_exact_when_small_permutes_where_phi_jumps_and_else_asymptotic():
    rng = np.random.default_rng(0)
    x = rng.standard_normal(200)
    assert rank_test(x[:8], x[8:16]).method == "exact"
    assert rank_test(x[:18], x[18:38]).method == "exact"
    assert rank_test(x[:8], x[8:18], "power:8").method == "exact"
    assert rank_test(x[:100], x[100:], "median").method == "exact"  # a hypergeometric distribution
    assert rank_test(x[:100], x[100:], "dcg:50").method == "permutation"
    assert rank_test(x[:5], x[5:], "power:3").method == "permutation"
    assert rank_test(x[:100], x[100:], "power:3").method == "asymptotic"


def test_equal_values_are_no_evidence():
    assert rank_test([1, 1, 1], [1, 1]).pvalue == 1
    assert rank_test([2.0], [2.0], "van-der-waerden").pvalue == 1


def test_an_exact_test_too_large_says_what_to_do():
    rng = np.random.default_rng(0)
    with pytest.raises(InputError, match=r"too many values(.|\n)*permutation"):
        rank_test(rng.random(25), rng.random(25), "van-der-waerden", method="exact")


@pytest.mark.parametrize(("alternative", "pvalue"), [("greater", 1 / 100), ("two-sided", 2 / 100), ("less", 1.0)])
def test_a_permutation_pvalue_counts_the_observed_split_and_is_never_zero(alternative, pvalue):
    x, y = np.arange(40.0) + 100, np.arange(50.0)  # no random split comes near
    found = rank_test(x, y, alternative=alternative, method="permutation", n_resamples=99, rng=0)
    assert found.pvalue == pytest.approx(pvalue, rel=1e-12)
