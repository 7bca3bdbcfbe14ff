from itertools import combinations

import numpy as np
import pytest
from scipy.stats import binom, f, studentized_range, t

import naive
from podium import InputError
from podium._types import Sample
from podium.inference import compare, influence_values, interval
from podium.inference.comparisons.pairs import max_t_quantile, omnibus, pair_contrasts
from podium.inference.intervals.limits import loss_and_gain, pseudo_event_limits
from podium.inference.lists.influence import Covariance, covariance_of_rows
from podium.inference.lists.ranking import Ranking
from podium.phi import resolve
from samples import draw

CASES = [(0, 40, None), (1, 40, 2), (2, 25, 1), (5, 60, 4)]


def two_scorers(case):
    y, a = draw(*case)
    b = a + np.random.default_rng(9).integers(-1, 2, len(a)) / 2
    return y, a, b


@pytest.mark.parametrize("case", CASES)
def test_a_paired_comparison_of_aucs_is_delongs_test_ties_included(case):
    y, a, b = two_scorers(case)
    va, vb = naive.delong_components(y, a), naive.delong_components(y, b)
    cov = naive.delong_covariance
    error = (cov(y, va, va) + cov(y, vb, vb) - 2 * cov(y, va, vb)) ** 0.5
    z = (naive.auc(y, a) - naive.auc(y, b)) / error
    found = compare(y, a, b)
    assert (found.statistic, found.standard_error) == pytest.approx((z, error), abs=1e-10)
    # Student's law with Welch and Satterthwaite's degrees of freedom, as of two means
    parts = [np.var(np.subtract(va, vb)[rows], ddof=1) / rows.sum() for rows in (y, ~y)]
    freedom = sum(parts) ** 2 / (parts[0] ** 2 / (y.sum() - 1) + parts[1] ** 2 / ((~y).sum() - 1))
    assert found.degrees_of_freedom == pytest.approx(freedom)
    assert found.pvalue == pytest.approx(2 * t.sf(abs(z), freedom), abs=1e-10)
    assert (found.low, found.high) == pytest.approx(
        found.difference + t.ppf([0.025, 0.975], freedom) * error, abs=1e-10
    )


@pytest.mark.parametrize("case", CASES)
def test_each_scorer_errs_on_the_side_of_the_other_as_far_as_limits_with_part_of_an_event_say(case):
    y, a, b = two_scorers(case)
    found, z = compare(y, a, b, "power:8"), 1.959963984540054
    values = np.array([influence_values(y, s, "power:8") for s in (a, b)])
    cov = covariance_of_rows(values, Sample(a, y)).total
    reach = []
    for s, variance in zip((a, b), np.diag(cov), strict=True):
        ranking = Ranking(Sample(s, y), resolve("power:8"))
        events = [0.45 * event for event in loss_and_gain(ranking)]
        low, high, _ = pseudo_event_limits(ranking.omega, variance, *events, 0.95)
        reach.append(((ranking.omega - low) / z, (high - ranking.omega) / z))
    rho, sides = cov[0, 1] / np.sqrt(cov[0, 0] * cov[1, 1]), []
    for one, other in ((reach[0][0], reach[1][1]), (reach[0][1], reach[1][0])):
        seen = cov[0, 0] + cov[1, 1] - 2 * cov[0, 1]
        grown = seen * (one**2 + other**2) / (cov[0, 0] + cov[1, 1])
        sides.append(np.sqrt(min(one**2 + other**2 - 2 * rho * one * other, grown)))
    quantiles = [(found.difference - found.low) / sides[0], (found.high - found.difference) / sides[1]]
    assert found.statistic == pytest.approx(found.difference / sides[0 if found.difference > 0 else 1])
    assert quantiles[0] == pytest.approx(t.ppf(0.975, found.degrees_of_freedom), rel=0.02)  # each side has its own
    assert found.standard_error == pytest.approx(np.sqrt(seen))


def test_a_scorer_of_one_value_has_no_error_and_another_keeps_its_own():
    y, a, _ = two_scorers(CASES[1])
    found, alone = compare(y, a, np.zeros(len(y)), "power:8"), interval(y, a, "power:8", method="jackknife")
    assert found.standard_error == pytest.approx(alone.standard_error)
    assert abs(found.statistic) > 1.5


@pytest.mark.parametrize("phi", ["mww", "power:3", "van-der-waerden"])
def test_an_unpaired_comparison_adds_the_variances(phi):
    y, a, _ = two_scorers(CASES[0])
    z, c = draw(7, 50, 3)
    found = compare(y, a, c, phi, paired=False, y_true_b=z)
    one, other = (interval(labels, s, phi, method="jackknife") for labels, s in ((y, a), (z, c)))
    assert found.difference == pytest.approx(one.estimate - other.estimate)
    assert found.standard_error == pytest.approx(np.hypot(one.standard_error, other.standard_error))
    assert ("share of positives" in found.note) == (phi != "mww")


def test_equal_scorers_of_a_short_and_of_a_long_list_are_told_apart_no_more_often_than_said():
    rng, short, long = np.random.default_rng(8), np.arange(60) < 12, np.arange(600) < 150
    found, n_draws = 0, 400
    for _ in range(n_draws):
        a, b = (rng.normal(size=len(y)) + 2.5 * y for y in (short, long))
        found += compare(short, a, b, y_true_b=long, paired=False).pvalue <= 0.05
    assert found <= binom.ppf(0.999, n_draws, 0.05)


def test_the_test_of_two_lists_rejects_where_zero_is_outside_the_limits():
    y, z = np.arange(80) % 4 == 0, np.arange(300) % 3 == 0
    for shift in np.linspace(0.0, 2.5, 15):
        rng = np.random.default_rng(2)
        a, b = rng.normal(size=80) + 2 * y, rng.normal(size=300) + shift * z
        found = compare(y, a, b, "power:3", y_true_b=z, paired=False)
        assert (found.pvalue < 0.05) == (not found.low < 0 < found.high)


def test_swapping_the_scorers_turns_the_sign_and_the_alternative():
    y, a, b = two_scorers(CASES[0])
    one, other = compare(y, a, b, "power:3", alternative="greater"), compare(y, b, a, "power:3", alternative="less")
    assert one.statistic == pytest.approx(-other.statistic)
    assert one.pvalue == pytest.approx(other.pvalue)
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low))
    two_sided = compare(y, a, b, "power:3").pvalue
    assert min(one.pvalue, 1 - one.pvalue) == pytest.approx(two_sided / 2)


@pytest.mark.parametrize("phi", ["auc", "power:8", "dcg"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_an_interval_excludes_zero_where_the_test_rejects(phi, alternative):
    y, a, b = two_scorers(CASES[3])
    pvalue = compare(y, a, b, phi, alternative=alternative).pvalue
    for level, excluded in ((1 - pvalue * 1.001, False), (1 - pvalue * 0.999, True)):
        if 0.5 < level < 1:
            found = compare(y, a, b, phi, alternative=alternative, confidence_level=level)
            assert (not found.low <= 0 <= found.high) != excluded


def test_many_scorers_are_compared_in_pairs_with_holms_correction():
    y, a, b = two_scorers((0, 80, None))
    scorers = {"a": a, "b": b, "noise": np.random.default_rng(1).random(80)}
    found = compare(y, scorers, phi="power:3")
    assert [pair.names for pair in found.pairs] == [("a", "b"), ("a", "noise"), ("b", "noise")]
    for pair in found.pairs:
        alone = compare(y, scorers[pair.names[0]], scorers[pair.names[1]], phi="power:3")
        assert pair.pvalue == pytest.approx(alone.pvalue)
        assert alone.adjusted_pvalue == alone.pvalue
    ordered = sorted(found.pairs, key=lambda pair: pair.pvalue)
    wanted, worst = [], 0.0
    for k, pair in enumerate(ordered):
        worst = max(worst, min((3 - k) * pair.pvalue, 1))
        wanted.append(worst)
    assert [pair.adjusted_pvalue for pair in ordered] == pytest.approx(wanted)
    assert found["a", "noise"].pvalue < 0.01
    assert repr(found).startswith("3 differences in ω of power:3 (p-values by Holm; all equal: p < 0.001): ")


def test_limits_of_many_pairs_hold_together_and_are_wider_than_those_of_one_pair():
    y, a, b = two_scorers((0, 80, None))
    scorers = {"a": a, "b": b, "noise": np.random.default_rng(1).random(80)}
    for alternative in ("two-sided", "greater", "less"):
        for pair in compare(y, scorers, alternative=alternative).pairs:
            alone = compare(y, *(scorers[name] for name in pair.names), alternative=alternative)
            reach, by_itself = pair.difference - pair.low, alone.difference - alone.low
            if alternative == "less":
                reach, by_itself = pair.high - pair.difference, alone.high - alone.difference
            assert 1.1 * by_itself < reach < 1.3 * by_itself  # Bonferroni's would be 1.22 to 1.24


def identity(n_scorers, freedom):
    return Covariance(((np.eye(n_scorers), freedom),))


@pytest.mark.parametrize(("n_scorers", "freedom"), [(3, 10.0), (5, 25.0), (4, np.inf)])
def test_the_quantile_of_independent_scorers_is_tukeys(n_scorers, freedom):
    contrasts = pair_contrasts(n_scorers, list(combinations(range(n_scorers), 2)))
    wanted = studentized_range.ppf(0.95, n_scorers, min(freedom, 1e5)) / np.sqrt(2)
    found = max_t_quantile(identity(n_scorers, freedom), contrasts, freedom, 0.95, "two-sided")
    assert found == pytest.approx(wanted, abs=0.03)


def test_the_omnibus_test_is_hotellings_and_for_two_scorers_the_pair():
    omegas, rng = np.array([0.9, 0.8, 0.85, 0.7]), np.random.default_rng(0)
    root = rng.standard_normal((4, 4)) / 30
    statistic, pvalue = omnibus(omegas, Covariance(((root @ root.T, 20.0),)))
    L = np.eye(4)[1:] - np.eye(4)[0]
    wanted = L @ omegas @ np.linalg.solve(L @ root @ root.T @ L.T, L @ omegas)
    assert statistic == pytest.approx(wanted)
    assert pvalue == pytest.approx(f.sf(wanted * 18 / (20 * 3), 3, 18))
    y, a, b = two_scorers(CASES[0])
    pair = compare(y, a, b, "auc")
    values = np.array([influence_values(y, s, "auc") for s in (a, b)])
    covariance = covariance_of_rows(values, Sample(a, y))
    statistic, pvalue = omnibus(np.array([pair.estimate_a, pair.estimate_b]), covariance)
    assert statistic == pytest.approx(pair.statistic**2)
    assert pvalue == pytest.approx(pair.pvalue)


@pytest.mark.slow
def test_equal_scorers_are_found_unequal_in_five_of_a_hundred_samples():
    rng, rejected, missed = np.random.default_rng(3), 0, 0
    for _ in range(400):
        y = np.arange(60) < 25
        common = rng.standard_normal(60) + y
        found = compare(y, {name: common + rng.standard_normal(60) for name in "abc"})
        rejected += found.omnibus_pvalue <= 0.05
        missed += any(not pair.low <= 0 <= pair.high for pair in found.pairs)
    slack = 4 * np.sqrt(0.05 * 0.95 / 400)
    assert rejected / 400 < 0.05 + slack
    assert missed / 400 < 0.05 + slack


def test_scorers_without_any_loss_are_equal_as_far_as_can_be_seen():
    y = np.arange(60) >= 30
    found = compare(y, {"a": np.arange(60), "b": 2.0 * np.arange(60), "c": 3.0 * np.arange(60)})
    assert (found.omnibus_statistic, found.omnibus_pvalue) == (0.0, 1.0)
    assert all(pair.low < -0.05 for pair in found.pairs)


def test_scorers_that_never_err_differ_by_nothing_but_not_for_certain():
    y = np.arange(60) >= 30
    found = compare(y, np.arange(60), 2.0 * np.arange(60) + y)
    assert (found.difference, found.pvalue) == (0, 1)
    assert found.low < -0.05
    assert found.high > 0.05
    assert "no variation" in found.note


def test_a_scorer_compared_with_its_reverse_is_far_better_and_finite():
    y = np.arange(60) >= 30
    found = compare(y, np.arange(60), -np.arange(60))
    assert found.difference == 1
    assert np.isfinite([found.statistic, found.low, found.high]).all()
    assert found.pvalue < 1e-6


def test_clusters_and_weights_enter_as_in_intervals():
    y, a, b = two_scorers(CASES[0])
    alone = compare(y, a, b, groups=np.arange(40))
    assert alone.standard_error == pytest.approx(compare(y, a, b).standard_error)
    w = np.arange(40) % 3 + 1
    rows = np.repeat(np.arange(40), w)
    weighted, repeated = compare(y, a, b, sample_weight=w), compare(y[rows], a[rows], b[rows])
    assert weighted.standard_error == pytest.approx(repeated.standard_error)
    clustered = compare(y[rows], a[rows], b[rows], groups=rows)
    assert clustered.standard_error > 1.2 * repeated.standard_error


def test_equal_scorers_are_not_told_apart_because_one_cluster_is_far_larger_than_the_others():
    rng, cluster = np.random.default_rng(5), np.repeat(np.arange(60), [60] + [3] * 59)
    y, found, n_draws = cluster % 3 == 0, 0, 300
    for _ in range(n_draws):
        s = rng.normal(size=60)[cluster] + 1.5 * y
        a, b = s + rng.normal(size=(2, 60))[:, cluster] + rng.normal(size=(2, len(y)))
        found += compare(y, a, b, groups=cluster).pvalue <= 0.05
    assert found <= binom.ppf(0.999, n_draws, 0.05)


def test_influence_values_sum_to_zero_over_each_class_and_give_the_variance():
    y, a, _ = two_scorers(CASES[1])
    psi = influence_values(y, a, "power:3")
    assert [psi[y].sum(), psi[~y].sum()] == pytest.approx([0, 0], abs=1e-12)
    n, m = y.sum(), (~y).sum()
    variance = (psi[y] ** 2).sum() / (n * (n - 1)) + (psi[~y] ** 2).sum() / (m * (m - 1))
    assert variance**0.5 == pytest.approx(interval(y, a, "power:3").standard_error)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"score_b": None}, "needs two scorers; got one"),
        ({"score_b": None, "score_a": {"only": np.arange(40.0)}}, "needs two scorers; got 1"),
        ({"paired": False}, "got no y_true_b"),
        ({"y_true_b": [0, 1]}, "has one vector of labels; got y_true_b"),
        ({"paired": False, "y_true_b": [0, 1], "groups": [0]}, "got weights or groups"),
        ({"alternative": "better"}, "alternative must be one of"),
        ({"score_b": [1.0, 2.0]}, "same length"),
    ],
)
def test_what_cannot_be_compared_gets_a_sentence(arguments, message):
    y, a, b = two_scorers(CASES[0])
    with pytest.raises(InputError, match=message):
        compare(y, **{"score_a": a, "score_b": b, **arguments})


@pytest.mark.parametrize("paired", [True, False])
def test_a_one_sided_limit_is_one_of_the_two_at_twice_the_error(paired):
    y, s = draw(0)
    other = s + np.random.default_rng(1).standard_normal(len(s))
    options = {"paired": paired} if paired else {"paired": False, "y_true_b": y}
    both = compare(y, s, other, confidence_level=0.9, **options)
    greater = compare(y, s, other, alternative="greater", confidence_level=0.95, **options)
    less = compare(y, s, other, alternative="less", confidence_level=0.95, **options)
    assert (greater.low, less.high) == pytest.approx((both.low, both.high), rel=1e-12)
    assert both.low < both.difference < both.high


@pytest.mark.parametrize("case", CASES[:3])
def test_a_margin_moves_the_hypothesis_of_the_test_and_not_the_limits(case):
    y, a, b = two_scorers(case)
    plain = compare(y, a, b)
    freedom, error, margin = plain.degrees_of_freedom, plain.standard_error, 0.07
    not_worse = t.sf((plain.difference + margin) / error, freedom)
    not_better = t.cdf((plain.difference - margin) / error, freedom)
    expected = {"greater": not_worse, "less": not_better, "two-sided": max(not_worse, not_better)}
    for alternative, pvalue in expected.items():
        found = compare(y, a, b, margin=margin, alternative=alternative)
        assert found.pvalue == pytest.approx(pvalue, abs=1e-12)
        without = compare(y, a, b, alternative=alternative)
        assert (found.low, found.high, found.statistic) == (without.low, without.high, without.statistic)


@pytest.mark.parametrize("paired", [True, False])
def test_scorers_are_equivalent_where_the_interval_at_twice_the_error_lies_within_the_margin(paired):
    rng, y = np.random.default_rng(3), np.arange(300) < 100
    decided = set()
    for shift in np.linspace(0, 0.9, 10):
        a, b = rng.normal(size=(2, 300)) + 1.2 * y
        lists = {} if paired else {"paired": False, "y_true_b": y}
        inside = compare(y, a + shift * y, b, confidence_level=0.9, **lists)
        found = compare(y, a + shift * y, b, margin=0.1, **lists)
        assert (found.pvalue < 0.05) == (max(-inside.low, inside.high) < 0.1)
        decided.add(found.pvalue < 0.05)
    assert decided == {True, False}


def test_scorers_that_differ_by_the_margin_are_found_equivalent_in_five_of_a_hundred_samples():
    rng, y, n_draws, found = np.random.default_rng(5), np.arange(200) < 100, 400, 0
    better, worse = 1.46574, 1.19023  # AUCs of .85 and .80
    for _ in range(n_draws):
        shared = rng.normal(size=200)
        a, b = (np.sqrt(0.5) * (shared + rng.normal(size=200)) + mean * y for mean in (worse, better))
        found += compare(y, a, b, margin=0.05, alternative="greater").pvalue <= 0.05
    assert found <= binom.ppf(0.999, n_draws, 0.05)


@pytest.mark.parametrize(
    ("alternative", "words"),
    [("two-sided", "equivalence within 0.1"), ("greater", "not worse by 0.1"), ("less", "not better by 0.1")],
)
def test_the_sentence_says_what_was_tested(alternative, words):
    y, a, b = two_scorers(CASES[0])
    assert words in repr(compare(y, a, b, margin=0.1, alternative=alternative))
    with pytest.raises(InputError, match="margin"):
        compare(y, a, b, margin=0.0)
