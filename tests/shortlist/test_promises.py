"""Every promise of a shortlist, exactly: all outcomes of tiny samples, and definitions by loops."""

import itertools
from fractions import Fraction
from math import comb, factorial

import numpy as np
import pytest
from scipy.stats import norm

from podium.inference import hits_lower_bound
from podium.shortlist import by_cost, by_fdr, by_fpr, by_precision, by_recall, operating_point, recall_reached
from podium.shortlist.cost import _Profits
from shortlist import naive_shortlist as naive

GRID = (np.arange(60) + 0.5) / 60  # of a uniform number: every share that occurs here is a multiple of 1/60


class Fixed:
    """A source of random numbers that are all the same."""

    def __init__(self, value):
        self.value = value

    def random(self, size=None):
        return self.value if size is None else np.full(size, self.value)


@pytest.fixture
def uniform(monkeypatch):
    """A seed is then the random number itself."""
    monkeypatch.setattr(np.random, "default_rng", Fixed)


def multisets(n_atoms, n):
    """Every way to draw n times among equally likely atoms, order left out, with its probability."""
    for counts in itertools.product(range(n + 1), repeat=n_atoms):
        if sum(counts) == n:
            ways = factorial(n) // np.prod([factorial(count) for count in counts], dtype=object)
            yield counts, float(Fraction(int(ways), n_atoms**n))


# --- few false among the chosen ---------------------------------------------------------------------------------------
POOL = np.array([0, 0, 1, 0, 1, 0, 0, 1, 0, 1], dtype=bool), np.array([1, 2, 2, 3, 3, 3, 4, 4, 5, 6.0])


@pytest.mark.parametrize("fdr", [0.1, 0.2, 0.3])
def test_with_ties_broken_at_random_a_negative_is_chosen_with_exactly_the_nominal_probability(fdr, uniform):
    # Each of ten exchangeable rows is the new one in turn. Uniform p-values of negatives: P(negative and chosen) = fdr.
    y, s = POOL
    chosen = 0
    for new in np.flatnonzero(~y):
        rest = np.arange(10) != new
        found = [by_fdr(y[rest], s[rest], s[[new]], fdr=fdr, randomize=True, rng=u).n_chosen for u in GRID]
        chosen += np.mean(found)
    assert chosen / 10 == pytest.approx(fdr, abs=1e-12)


@pytest.mark.parametrize("ties", [True, False])
@pytest.mark.parametrize("fdr", [0.2, 0.25, 0.5])
def test_over_all_choices_of_the_new_rows_the_mean_share_of_negatives_is_at_most_nominal(fdr, ties):
    y, s = POOL
    s = s if ties else np.arange(10) + 0.0
    shares = []
    for new in map(list, itertools.combinations(range(10), 2)):
        rest = np.delete(np.arange(10), new)
        chosen = by_fdr(y[rest], s[rest], s[new], fdr=fdr).chosen
        assert chosen.tolist() == naive.conformal_selection(y[rest], s[rest], s[new], fdr)
        shares.append((chosen & ~y[new]).sum() / max(1, chosen.sum()))
    assert np.mean(shares) <= fdr


def test_of_a_single_new_row_the_p_value_is_a_count_over_all_calibration_rows_and_itself():
    y, s = POOL
    for value in np.arange(0.5, 7):
        p = Fraction(1 + int(np.sum(~y & (s >= value))), 11)
        for fdr in (0.09, 0.0909, 0.091, 0.18, 0.182, 0.27, 0.273, 0.36, 0.37, 0.63, 0.64):
            assert by_fdr(y, s, [value], fdr=fdr).n_chosen == (p <= Fraction(str(fdr)))


@pytest.mark.parametrize("fdr", [0.15, 0.3, 0.6])
def test_weighted_rows_are_chosen_by_the_procedure_of_benjamini_and_hochberg(fdr):
    y, s = POOL
    w, w_new, new = np.arange(1.0, 11), np.array([3.0, 0.5, 1, 8]), np.array([6.5, 5, 3, 4])
    expected = naive.benjamini_hochberg(naive.weighted_pvalues(y, s, w, new, w_new), fdr)
    assert by_fdr(y, s, new, fdr=fdr, weights=(w, w_new)).chosen.tolist() == expected


def test_weights_of_one_leave_the_randomized_p_value_as_it_is(uniform):
    y, s = POOL
    for u, fdr, value in itertools.product(GRID[::7], (0.1, 0.3), s):
        plain = by_fdr(y, s, [value], fdr=fdr, randomize=True, rng=u).n_chosen
        ones = np.ones(10), np.ones(1)
        assert by_fdr(y, s, [value], fdr=fdr, randomize=True, rng=u, weights=ones).n_chosen == plain


# --- a share of positives found, of negatives let through -------------------------------------------------------------
@pytest.mark.parametrize("n", [5, 8])
@pytest.mark.parametrize(("rate", "level"), [(0.5, 0.8), (0.7, 0.5)])
def test_over_all_samples_of_a_class_the_rate_is_kept_as_often_as_attained_and_no_cut_further_would_do(n, rate, level):
    values = np.arange(1.0, n + 1)
    k = max(k for k in range(1, n + 1) if naive.binomial_tail(k, n, 1 - rate) >= level)
    cut = by_recall(np.arange(n + 1) < n, np.append(values, 0), values, recall=rate, confidence_level=level)
    assert (cut.threshold, cut.n_chosen) == (k, n - k + 1)
    assert cut.attained_level == pytest.approx(naive.binomial_tail(k, n, 1 - rate), rel=1e-12)
    cut = by_fpr(np.arange(n + 1) == n, np.append(values, 0), np.arange(n + 2), fpr=1 - rate, confidence_level=level)
    assert cut.n_chosen == k  # k − 1 of the n, and the one above them all
    assert n - k < cut.threshold - 1 < n - k + 1e-6


def test_over_all_samples_of_a_population_with_ties_the_rate_is_kept_at_least_as_often():
    kept = {"recall": 0.0, "fpr": 0.0}
    for counts, probability in multisets(4, 5):
        s = np.append(np.repeat(np.arange(4.0), counts), 1.5)
        cut = by_recall(np.arange(6) < 5, s, np.arange(4.0), recall=0.5, confidence_level=0.8)
        kept["recall"] += probability * (cut.n_chosen / 4 >= 0.5)
        cut = by_fpr(np.arange(6) == 5, s, np.arange(4.0), fpr=0.5, confidence_level=0.8)
        kept["fpr"] += probability * (cut.n_chosen / 4 <= 0.5)
    assert min(kept.values()) >= 0.8


@pytest.mark.parametrize("find", [by_recall, by_fpr])
def test_a_randomized_rate_mixes_two_order_statistics_to_exactly_the_level(find, uniform):
    n, level = 7, 0.6
    y = np.arange(n + 1) < n if find is by_recall else np.arange(n + 1) == n
    rate = {"recall": 0.6} if find is by_recall else {"fpr": 0.4}
    k = max(k for k in range(1, n + 1) if naive.binomial_tail(k, n, 0.4) >= level)
    here, next_one = (naive.binomial_tail(one, n, 0.4) for one in (k, k + 1))
    uniforms = (np.arange(400) + 0.5) / 400
    s = np.append(np.arange(1.0, n + 1), 0.0)
    cuts = [find(y, s, **rate, confidence_level=level, randomize=True, rng=u).threshold for u in uniforms]
    usual = find(y, s, **rate, confidence_level=level).threshold
    further = np.mean(np.array(cuts) != usual)
    assert (1 - further) * here + further * next_one == pytest.approx(level, abs=1 / 400)


def test_the_rows_that_a_rate_takes_are_those_with_which_one_order_statistic_is_enough():
    for rate, level in ((0.9, 0.9), (0.8, 0.95)):
        takes = next(n for n in itertools.count(1) if 1 - rate**n >= level)
        y = np.arange(takes + 1) < takes
        assert by_recall(y, np.arange(takes + 1.0), recall=rate, confidence_level=level).threshold == 0
        with pytest.raises(ValueError, match=f"takes {takes} positives"):
            by_recall(y[1:], np.arange(takes + 0.0), recall=rate, confidence_level=level)


# --- precision --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "scores", [np.arange(11.0), np.array([0, 0, 1, 1, 1, 2, 3, 3, 4, 5, 6.0])], ids=["distinct", "ties"]
)
def test_precision_is_that_of_the_fallback_procedure_for_all_labels_and_false_no_more_often_than_promised(scores):
    false = 0
    for labels in itertools.product([False, True], repeat=11):
        y = np.array(labels)
        if y.all() or not y.any():
            false += y.all()  # refused; counted as a claim all the same
            continue
        found = by_precision(y, scores, scores, precision=0.5, confidence_level=0.8)
        assert np.flatnonzero(found.chosen).tolist() == naive.precision_cut(y, scores, 0.5, 0.8)
        false += found.chosen.any()
    assert 0.01 < false / 2**11 <= 0.2  # coins: every claim of more than a half is false


def test_of_rows_that_are_coins_down_to_any_place_and_negative_below_no_claim_reaches_below_too_often():
    for place in (4, 6, 8):
        false = 0
        for labels in itertools.product([False, True], repeat=place):
            y = np.array([*labels, *[False] * (11 - place)])
            if y.any():  # refused otherwise
                cut = by_precision(y, -np.arange(11.0), -np.arange(11.0), precision=0.5, confidence_level=0.8)
                false += cut.n_chosen >= place
        assert false / 2**place <= 0.2


def test_a_randomized_test_of_precision_claims_what_is_false_with_exactly_the_nominal_probability(uniform):
    # Three of the best rows are looked at first; were all labels coins, any claim of more than a half is false. Of so
    # few rows none is a fresh start.
    claimed = 0.0
    for labels in itertools.product([False, True], repeat=3):
        y = np.array([*labels, True, False])  # both classes
        chosen = [
            by_precision(y, -np.arange(5.0), precision=0.5, confidence_level=0.8, randomize=True, rng=u) for u in GRID
        ]
        claimed += np.mean([one.threshold < np.inf for one in chosen]) / 8
    assert claimed == pytest.approx(0.2, abs=1e-12)


# --- profit -----------------------------------------------------------------------------------------------------------
PAID = np.array([1, 1, 0, 1, 0, 0, 0], dtype=bool), np.array([9, 8, 7, 6, 6, 5, 4.0])


@pytest.mark.parametrize("level", [0.5, 0.9])
def test_limits_of_the_profit_join_those_of_clopper_and_pearson_by_their_distances(level):
    y, s = PAID
    found, cuts = by_cost(y, s, gain=5, cost=2, confidence_level=level), profits_of(y, s, 5, 2)
    z = cuts.quantiles(level)
    expected = naive.profit_limits(y, s, 5, 2, z)
    assert found.thresholds.tolist() == [t for t, *_ in expected]
    for one, (_, profit, low, high) in enumerate(expected):
        assert found.profits[one] == pytest.approx(profit, abs=1e-12)
        assert (found.lows[one], found.highs[one]) == pytest.approx((low, high), abs=1e-9)
    best = max(range(len(expected)), key=lambda one: expected[one][1])
    assert (found.threshold, found.profit) == (expected[best][0], pytest.approx(expected[best][1]))


def profits_of(y, s, gain, cost):
    thresholds = [np.inf, *np.unique(s)[::-1]]
    hits, false = (np.array([np.sum((y == label) & (s >= t)) for t in thresholds]) for label in (True, False))
    return _Profits(hits, false, gain - cost, cost)


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_the_quantile_of_the_profit_is_that_of_the_largest_error_by_loops_over_cuts_and_draws(level):
    y, s = PAID
    cuts, pays = profits_of(y, s, 5, 2), naive.profit_of_rows(y, s, 5, 2)
    n, means = len(y), [sum(row) / len(y) for row in pays]
    largest = []
    for error in cuts.errors(np.arange(len(means)), np.random.default_rng(0))[:2000]:
        widths = naive.profit_widths(pays, [m + e for m, e in zip(means, error, strict=True)])
        spread = [((sum(v * v for v in row) / n - m**2) / n) ** 0.5 for row, m in zip(pays, means, strict=True)]
        largest.append(max(abs(e) / (d * w) for e, d, w in list(zip(error, spread, widths, strict=True))[1:]))
    z = max(np.quantile(largest, level), norm.isf((1 - level) / 2))
    assert cuts.quantiles(level) == pytest.approx(z * np.array(naive.profit_widths(pays, means)), rel=1e-9)


def test_draws_of_the_errors_have_the_covariance_of_the_profits_of_the_sample():
    y, s = PAID
    cuts, pays = profits_of(y, s, 5, 2), np.array(naive.profit_of_rows(y, s, 5, 2))
    errors = cuts.errors(np.arange(len(pays)), np.random.default_rng(1))
    expected = np.cov(pays, bias=True) / len(y)
    scale = np.sqrt(np.outer(np.diag(expected), np.diag(expected))) + 1e-12
    assert np.max(np.abs(np.cov(errors.T) - expected) / scale) < 5 * np.sqrt(2 / len(errors))


def test_over_all_samples_of_a_population_the_profit_of_every_cut_is_inside_its_limits_as_often_as_promised():
    gain, cost, level, held = 3.0, 1.0, 0.7, 0.0
    atoms = [(True, 2.0), (False, 2.0), (True, 1.0), (False, 1.0)]
    for counts, probability in multisets(4, 5):
        y, s = (
            np.array(part)
            for part in zip(*[a for a, c in zip(atoms, counts, strict=True) for _ in range(c)], strict=True)
        )
        if y.all() or not y.any():
            held += probability  # refused: nothing is claimed
            continue
        found = by_cost(y, s, gain=gain, cost=cost, confidence_level=level)
        true = [np.mean([(gain * label - cost) * (value >= t) for label, value in atoms]) for t in found.thresholds]
        held += probability * bool(((found.lows <= true) & (true <= found.highs)).all())
    assert held >= level


# --- the recall of a list read so far ---------------------------------------------------------------------------------
@pytest.mark.parametrize("looks", ["once", "repeated"])
def test_what_a_sample_of_the_rest_does_not_refute_is_counted_as_by_definition(looks):
    refuted = naive.refuted_once if looks == "once" else naive.refuted_ever(border=6 * (1 / 0.8 - 1))
    for drawn, hits in [(0, 0), (3, 0), (6, 1), (9, 0), (9, 2), (11, 4)]:
        sampled = np.arange(drawn) < hits
        claim = recall_reached(np.ones(6), sampled, 18, recall=0.8, confidence_level=0.8, looks=looks)
        most = max(d for d in range(hits, 12 - drawn + hits + 1) if d == hits or not refuted(12, d, drawn, hits, 0.2))
        assert claim.missed_high == most - hits
        assert claim.recall_low == pytest.approx((6 + hits) / (6 + most))


@pytest.mark.parametrize("looks", ["once", "repeated"])
@pytest.mark.parametrize("missed", [1, 2, 4])
def test_over_all_orders_of_the_rest_false_claims_are_as_rare_as_promised(looks, missed):
    miss, false, n_orders = 0.3, 0, comb(8, missed)
    for places in itertools.combinations(range(8), missed):
        order = np.isin(np.arange(8), places)
        for n in [4] if looks == "once" else range(9):
            claim = recall_reached(np.ones(5), order[:n], 13, recall=0.7, confidence_level=1 - miss, looks=looks)
            if claim.recall_low > (5 + order[:n].sum()) / (5 + missed) + 1e-12:
                false += 1
                break
    assert false / n_orders <= miss


def test_a_recall_in_a_sentence_is_never_rounded_up():
    claim = recall_reached(np.ones(2), np.zeros(3), 10, confidence_level=0.5, looks="once")
    assert claim.recall_low == pytest.approx(2 / 3)
    assert claim.guarantee.startswith("At least 66.6 % of all positives were found")


# --- a beginning of the list ------------------------------------------------------------------------------------------
def test_the_operating_point_is_the_longest_beginning_with_hits_enough():
    y, s = np.arange(60) >= 30, np.arange(60.0)
    listed = np.arange(20.0, 60) + 0.5
    for precision in (0.3, 0.5, 0.7):
        cut = operating_point(y, s, listed, precision=precision)
        bound = [int(hits) for hits in hits_lower_bound(y, s, listed).hits]  # pinned in tests/inference
        longest = max(k for k in range(1, 41) if Fraction(bound[k - 1], k) >= Fraction(str(precision)))
        assert cut.n_chosen == longest
        assert np.array_equal(listed >= cut.threshold, cut.chosen)
        assert f"{bound[longest - 1]} or more of the first {longest} rows" in cut.guarantee
