from itertools import combinations

import numpy as np
import pytest
from scipy.stats import betabinom, binom

from podium.exceptions import InputError
from podium.inference import rank_interval


def limits(n_known, n_next, **options):
    """By how many known rows are above a row: its limits."""
    found = rank_interval(-np.arange(n_known + 1) - 0.5, -np.arange(1.0, n_known + 1), n_next=n_next, **options)
    return found.low, found.high


@pytest.mark.parametrize(("n_known", "n_next"), [(1, 4), (6, 9), (25, 8), (12, 40), (150, 30)])
@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
def test_whatever_share_of_the_population_is_above_a_row_its_rank_is_within_the_limits_as_often_as_said(
    n_known, n_next, level
):
    low, high = limits(n_known, n_next, confidence_level=level)
    ahead = np.arange(n_next)
    inside = (low[:, None] <= 1 + ahead) & (1 + ahead <= high[:, None])
    for share in np.linspace(0, 1, 41):
        known, others = binom.pmf(np.arange(n_known + 1), n_known, share), binom.pmf(ahead, n_next - 1, share)
        assert known @ inside @ others >= level - 1e-12


@pytest.mark.parametrize(("n_known", "n_next"), [(3, 6), (5, 8), (8, 5)])
@pytest.mark.parametrize("level", [0.6, 0.9])
def test_in_all_orders_of_known_and_next_rows_limits_hold_together_as_often_as_said(n_known, n_next, level):
    low, high = limits(n_known, n_next, simultaneous=True, confidence_level=level)
    held, orders, m = 0, 0, n_next - 1
    for places in combinations(range(n_known + m), n_known):
        is_known = np.isin(np.arange(n_known + m), places)
        above = np.concatenate([[0], np.cumsum(is_known)])  # of a row that may stand anywhere
        ahead = np.concatenate([[0], np.cumsum(~is_known)])
        held += bool(((low[above] <= 1 + ahead) & (1 + ahead <= high[above])).all())
        orders += 1
    assert held / orders >= level - 0.015  # the level is found by 4,000 draws


@pytest.mark.parametrize(("n_known", "n_next"), [(7, 20), (60, 7), (90, 1)])
def test_limits_are_quantiles_of_beta_binomial_laws(n_known, n_next):
    low, high = limits(n_known, n_next, confidence_level=0.9)
    m, a = n_next - 1, np.arange(1, n_known + 1)
    assert list(low[1:] - 1) == list(betabinom.ppf(0.05, m, a, n_known + 1 - a))
    assert list(high[:-1] - 1) == list(betabinom.ppf(0.95, m, a, n_known + 1 - a))
    assert (low[0], high[-1]) == (1, n_next)


def test_of_many_known_rows_limits_are_those_of_places_on_the_safe_side():
    few, many = limits(1000, 500), limits(1000, 500, simultaneous=True)
    a = np.arange(1, 1001)
    exact = 1 + betabinom.ppf(0.025, 499, a, 1001 - a)
    assert (few[0][1:] <= exact).all()
    assert np.mean(exact - few[0][1:]) < 3
    assert (many[0] <= few[0]).all()
    assert (many[1] >= few[1]).all()
    assert (np.diff(few[0]) >= 0).all()


def test_rows_that_tie_share_the_best_rank_and_count_known_rows_alike_on_either_side():
    found = rank_interval([3, 1, 3, 2], [5, 3, 3, 1, 0], n_next=50)
    assert list(found.rank) == [1, 4, 1, 3]
    apart = rank_interval([3.5, 2.5], [5, 3, 3, 1, 0], n_next=50)
    assert (found.low[0], found.high[0]) == (apart.low[0], apart.high[1])
    assert found.low[0] == found.low[2]


@pytest.mark.parametrize("simultaneous", [True, False])
def test_next_lists_of_coarse_scores_are_within_the_limits(simultaneous):
    rng, n_draws, held = np.random.default_rng(0), 300, 0
    rows = np.arange(-2.0, 3.0)
    for _ in range(n_draws):
        known, others = np.round(rng.normal(size=40)), np.round(rng.normal(size=59))
        found = rank_interval(rows, known, n_next=60, simultaneous=simultaneous)
        best, last = (1 + np.sum(others > each) for each in rows), (1 + np.sum(others >= each) for each in rows)
        held += np.mean([(a >= b) & (c <= d) for a, b, c, d in zip(best, found.low, last, found.high, strict=True)])
    assert held / n_draws >= 0.93


def test_known_rows_are_needed():
    with pytest.raises(InputError, match="n_next"):
        rank_interval([1, 2], [1, 2], n_next=0)
