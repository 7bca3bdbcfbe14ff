import itertools

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import binom, hypergeom, norm

from inference import naive_hits as naive
from podium._fast.draws import stay_probability, upper_limits
from podium.exceptions import InputError
from podium.inference import hits_lower_bound
from podium.inference.hits.fixed_composition import interleaving_level, log_stay, others_before
from podium.roc.local_levels import log_coverage
from samples import CASES, draw, labeled_scores

SIZES = [(1, 1), (2, 5), (5, 2), (5, 7), (1, 9), (8, 1)]


# --- how rows of two lists interleave ---------------------------------------------------------------------------------
@pytest.mark.parametrize(("n", "m"), [*SIZES, (30, 50), (100, 20), (3, 200)])
@pytest.mark.parametrize("tail", [0.31, 0.051, 0.001])  # no quantile is met exactly
def test_limits_are_quantiles_of_the_beta_binomial_distribution(n, m, tail):
    np.testing.assert_array_equal(upper_limits(n, m, tail), naive.interleaving_limits(n, m, tail))


@pytest.mark.parametrize(("n", "m"), SIZES)
@pytest.mark.parametrize("tail", [0.3, 0.1, 0.03])
def test_the_recursion_counts_the_orders_that_keep_all_limits(n, m, tail):
    limits = upper_limits(n, m, tail)
    kept = [all(v <= limit for v, limit in zip(order, limits, strict=True)) for order in naive.interleavings(n, m)]
    assert stay_probability(n, m, limits) == pytest.approx(np.mean(kept), rel=1e-12)


def test_limits_of_a_million_rows_are_quantiles_still():
    n = 10**6
    limits = upper_limits(n, n, 2e-4)
    for c in (0, 10, 1000, n // 2, n - 10**5):
        broken, one_less = (hypergeom.cdf(c, 2 * n, n, c + limits[c] + more) for more in (1, 0))
        assert broken <= 2e-4 * (1 + 1e-6)
        assert one_less > 2e-4 * (1 - 1e-6)


@pytest.mark.parametrize(("n", "m"), [(20, 20), (20, 2000), (2000, 20), (100, 100), (1000, 5000), (5000, 5000)])
@pytest.mark.parametrize("tail", [1e-4, 2e-3])
def test_what_stands_for_longer_lists_is_on_the_safe_side(n, m, tail):
    exact = log_stay(n, m, tail)
    assert log_coverage(min(n, m), tail, two_sided=False) <= exact + 1e-12


@pytest.mark.parametrize(("n", "m"), [(1, 1), (10, 10), (100, 1000), (1000, 100)])
def test_the_level_is_kept_and_nearly_reached(n, m):
    tail = interleaving_level(n, m, 0.95)
    assert log_stay(n, m, tail) >= np.log(0.95)
    assert tail == 1 - 0.95 or log_stay(n, m, 1.02 * tail) < np.log(0.95) + 1e-3
    assert (np.diff(others_before(n, m, 0.95)) >= 0).all()


# --- the bound --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("n_next", [3, 40])
def test_the_bound_is_that_of_its_statement(case, n_next):
    y, s = draw(*case)
    listed = draw(9, n_next, case[2])[1]
    found = hits_lower_bound(y, s, listed, confidence_level=0.8)
    limits = others_before(len(y), n_next, 0.9)
    expected = [naive.hits_bound(y, s, listed, limits, k) for k in range(1, n_next + 1)]
    np.testing.assert_array_equal(found.hits, expected)


@pytest.mark.slow
@pytest.mark.parametrize("n_levels", [None, 1])
@pytest.mark.parametrize("is_scored", [True, False])
def test_of_all_ways_to_label_a_part_of_the_rows_few_break_the_bound(n_levels, is_scored):
    # Twelve rows: every choice of seven of them as the labeled ones, as exchangeability has it.
    y, s = draw(5, 12, n_levels)
    held = []
    for chosen in itertools.combinations(range(12), 7):
        rows = np.isin(np.arange(12), chosen)
        if y[rows].all() or not y[rows].any():
            continue
        found = hits_lower_bound(y[rows], s[rows], s[~rows] if is_scored else None, n_next=5, confidence_level=0.6)
        least = [naive.least_hits_in_any_order(y[~rows], s[~rows], k) for k in range(1, 6)]
        held.append((np.array(least) >= found.hits).all())
    assert np.mean(held) >= 0.6
    assert is_scored is False or not all(held) or n_levels == 1


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.05, 0.5])
def test_the_bound_holds_at_every_k_as_often_as_promised(share):
    rng = np.random.default_rng(0)
    held = np.zeros(2)

    def population(n_rows):
        y = rng.random(n_rows) < share
        return y, rng.standard_normal(n_rows) + y * np.sqrt(2) * norm.ppf(0.9)

    for _ in range(300):
        (y, s), (next_y, next_s) = population(400), population(300)
        hits = np.cumsum(next_y[np.argsort(-next_s)])
        for i, bound in enumerate((hits_lower_bound(y, s, next_s), hits_lower_bound(y, s, n_next=300))):
            held[i] += (hits >= bound.hits).all()
    assert (held >= binom.ppf(0.001, 300, 0.95)).all()


@given(labeled_scores(), labeled_scores())
def test_bounds_rise_and_are_possible(sample, other):
    y, s = sample
    for bound in (hits_lower_bound(y, s, other[1]), hits_lower_bound(y, s, n_next=len(other[1]))):
        assert len(bound.hits) == bound.n_next == len(other[1])
        assert (np.diff(bound.hits) >= 0).all()
        assert (bound.hits <= np.arange(1, bound.n_next + 1)).all()
        assert (bound.hits >= 0).all()
        assert bound.at(1) == bound.hits[0]


def test_a_list_that_is_known_has_more_hits_for_sure_and_sure_hits_are_many_after_separation():
    y, s = np.repeat([0, 1], 500), np.arange(1000.0)
    known, unknown = hits_lower_bound(y, s, s + 0.5), hits_lower_bound(y, s)
    assert (known.hits >= unknown.hits).all()
    assert known.at(400) > 370
    assert unknown.at(400) > 340


def test_what_cannot_be_answered_is_refused_in_a_sentence():
    y, s = draw(0, 40)
    with pytest.raises(InputError, match="n_next must be the length of next_score, 3"):
        hits_lower_bound(y, s, [1.0, 2.0, 3.0], n_next=4)
    with pytest.raises(InputError, match="the list has 40 rows"):
        hits_lower_bound(y, s).at(41)
    with pytest.raises(InputError, match="confidence_level must be in"):
        hits_lower_bound(y, s, confidence_level=95)
