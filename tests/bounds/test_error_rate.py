"""Error rates beside the AUC: A05 (16), (17), Cortes and Mohri; CV08's inequality on estimated ranks."""

from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest
from scipy.stats import binom, ks_1samp

from podium import bounds, metrics, phi


def test_the_tail_and_the_variance_are_those_of_a_binomial_count():
    n, rate = 60, 0.3
    errors = np.arange(n + 1)
    probability = binom.pmf(errors, n, rate)
    for epsilon in (0.02, 0.1, 0.2):
        missed = probability[np.abs(errors / n - rate) >= epsilon - 1e-12].sum()
        assert missed <= bounds.error_rate_tail(n, epsilon)
    assert bounds.error_rate_tail(n, bounds.error_rate_deviation(n, confidence_level=0.9)) == pytest.approx(0.1)
    assert bounds.error_rate_variance(rate, n) == pytest.approx(binom.var(n, rate) / n**2)


def areas_of_all_lists(n, m, k):
    """By enumeration of every order and threshold with k rows on the wrong side: n·m·AUC of each."""
    found = []
    for places in combinations(range(n + m), n):  # of the positives, from the bottom
        is_positive = [i in places for i in range(n + m)]
        won = sum(is_positive[i] and not is_positive[j] for i in range(n + m) for j in range(i))
        for cut in range(n + m + 1):  # rows from here on are called positive
            wrong = sum(is_positive[:cut]) + sum(not label for label in is_positive[cut:])
            if wrong == k:
                found.append(won)
    return found


@pytest.mark.parametrize(("n", "m", "k"), [(3, 4, 2), (2, 5, 0), (4, 3, 5), (3, 3, 3), (1, 6, 1), (4, 4, 8)])
def test_mean_and_deviation_of_the_auc_are_those_over_all_lists_with_so_many_errors(n, m, k):
    areas = np.array(areas_of_all_lists(n, m, k)) / (n * m)
    found = bounds.auc_given_errors(n, m, k, confidence_level=0.8)
    assert found.mean == pytest.approx(areas.mean(), abs=1e-12)
    assert found.standard_deviation == pytest.approx(areas.std(), abs=1e-9)
    assert found.low - 1e-9 <= areas.mean() <= found.high + 1e-9
    assert np.mean((areas >= found.low - 1e-9) & (areas <= found.high + 1e-9)) >= 0.8


@pytest.mark.parametrize(("n", "m", "k"), [(30, 70, 12), (500, 500, 100), (10, 200, 9), (40, 60, 40)])
def test_the_mean_is_the_closed_form_of_cortes_and_mohri(n, m, k):
    # NIPS 2003, Proposition 2, for k ≤ min(m, n):
    # 1 − k/(m+n) − (n−m)²(m+n+1)/(4mn)·(k/(m+n) − Σ_{x<k} C(m+n, x)/Σ_{x≤k} C(m+n+1, x))
    total = n + m
    ratio = Fraction(sum(comb(total, x) for x in range(k)), sum(comb(total + 1, x) for x in range(k + 1)))
    closed = 1 - Fraction(k, total) - Fraction((n - m) ** 2 * (total + 1), 4 * n * m) * (Fraction(k, total) - ratio)
    assert bounds.auc_given_errors(n, m, k).mean == pytest.approx(float(closed), rel=1e-9)


def test_estimated_ranks_cost_no_more_than_promised_and_the_inequality_holds_sample_by_sample():
    rng, n, m = np.random.default_rng(0), 60, 90
    for spec in ("auc", "power:3"):
        slope, missed = phi.resolve(spec).sup_norm_derivative, 0
        for _ in range(300):
            positive, negative = rng.beta(2, 1, n), rng.random(m)

            def pooled(t):
                return n / (n + m) * np.asarray(t) ** 2 + m / (n + m) * np.asarray(t)

            both = np.concatenate([positive, negative])
            statistic = metrics.rank_statistic(np.arange(n + m) < n, both, spec, scale="mean")
            gap = abs(statistic - phi.resolve(spec).value(pooled(positive)).mean())
            assert gap <= slope * (1 / (n + m + 1) + ks_1samp(both, pooled).statistic) + 1e-12
            missed += gap > bounds.rank_statistic_rank_deviation(n, m, spec, confidence_level=0.5)
        assert missed <= 150
    with pytest.raises(ValueError, match="bounded derivative"):
        bounds.rank_statistic_rank_deviation(n, m, "logrank")
