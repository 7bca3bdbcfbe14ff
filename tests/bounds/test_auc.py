"""One fixed scorer, or finitely many: formulas, brute force, Figures 1 and 2 of A05, simulation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.stats import norm

from podium.bounds import (
    auc_chebyshev,
    auc_deviation,
    auc_finite_class_deviation,
    auc_finite_class_sample_size,
    auc_finite_class_tail,
    auc_normal,
    auc_sample_size,
    auc_tail,
    auc_variance,
    auc_variance_max,
    kl_interval,
    kl_sample_size,
)

N_DRAWS = 10_000


def sample_aucs(positives, negatives):
    """The AUC of each row, ties one half."""
    above = (positives[:, :, None] > negatives[:, None, :]).mean(axis=(1, 2))
    tied = (positives[:, :, None] == negatives[:, None, :]).mean(axis=(1, 2))
    return above + tied / 2


def drawn_aucs(n_pos, n_neg, law, seed=0):
    """10,000 sample AUCs and the true one."""
    rng = np.random.default_rng(seed)
    shape_pos, shape_neg = (N_DRAWS, n_pos), (N_DRAWS, n_neg)
    if law == "normal":
        return sample_aucs(rng.normal(1, 1, shape_pos), rng.normal(0, 1, shape_neg)), norm.cdf(1 / math.sqrt(2))
    if law == "coin":  # a positive outranks all or none: the variance of Eq. 14 is attained when positives are few
        return sample_aucs(rng.choice([-1.0, 1.0], shape_pos), np.zeros(shape_neg)), 0.5
    return sample_aucs(rng.integers(0, 3, shape_pos), rng.integers(0, 2, shape_neg)), 1 / 3 + 1 / 3


def test_tail_and_deviation_are_inverse_to_each_other():
    assert auc_tail(40, 70, auc_deviation(40, 70, confidence_level=0.97)) == pytest.approx(0.03, rel=1e-12)
    assert auc_finite_class_tail(
        40, 70, 9, auc_finite_class_deviation(40, 70, 9, confidence_level=0.97)
    ) == pytest.approx(0.03, rel=1e-12)


def test_185_per_class_instead_of_369_for_a_deviation_of_a_tenth_at_95_percent():
    assert math.ceil(auc_sample_size(0.1, 0.5) / 2) == 369
    assert math.ceil(auc_sample_size(0.1, 0.5, method="hoeffding") / 2) == 185
    assert auc_deviation(369, 369) <= 0.1 < auc_deviation(368, 368)
    assert auc_deviation(185, 185, method="hoeffding") <= 0.1 < auc_deviation(184, 184, method="hoeffding")


def test_figure_1_chebyshev_is_above_mcdiarmid_and_the_normal_approximation_below():
    confidence_level = 0.99
    # sqrt(N) times the three curves at each share of positives; A05 plots them without printing values.
    constants = {1 / 2: (3.2552, 7.0711, 1.8214), 1 / 10: (5.4254, 15.8114, 4.0728), 1 / 100: (16.3582, 50.0, 12.8791)}
    for share, (mcdiarmid, chebyshev, normal) in constants.items():
        for n_total in (1_000, 10_000, 1_000_000):
            n_pos = round(share * n_total)
            n_neg = n_total - n_pos
            root = math.sqrt(n_total)
            assert auc_deviation(n_pos, n_neg, confidence_level=confidence_level) * root == pytest.approx(
                mcdiarmid, abs=1e-4
            )
            assert auc_chebyshev(0.5, n_pos, n_neg, confidence_level=confidence_level) * root == pytest.approx(
                chebyshev, abs=1e-4
            )
            assert auc_normal(0.5, n_pos, n_neg, confidence_level=confidence_level) * root == pytest.approx(
                normal, abs=1e-4
            )
            assert normal < mcdiarmid < chebyshev


def test_figure_2_an_auc_needs_one_over_rho_one_minus_rho_times_the_sample_of_an_error_rate():
    error_rate = math.log(2 / 0.05) / (2 * 0.02**2)  # Hoeffding, A05 Eq. 16
    for share, factor in {0.5: 4.0, 0.1: 1 / 0.09, 0.01: 1 / 0.0099}.items():
        assert auc_sample_size(0.02, share) / error_rate == pytest.approx(factor, rel=1e-12)


def test_hoeffding_is_never_looser_than_mcdiarmid():
    for n_pos, n_neg in itertools.product((1, 2, 7, 50, 10**7), repeat=2):
        assert auc_deviation(n_pos, n_neg, confidence_level=0.9, method="hoeffding") < auc_deviation(
            n_pos, n_neg, confidence_level=0.9
        )


@pytest.mark.parametrize(("n_pos", "n_neg"), [(1, 1), (2, 3), (3, 2)])
def test_variance_equals_enumeration_of_all_samples(n_pos, n_neg):
    positive_values, negative_values = (1.0, 4.0, 5.0), (0.0, 2.0, 3.0)  # no ties
    grids = itertools.product(positive_values, repeat=n_pos), itertools.product(negative_values, repeat=n_neg)
    samples = list(itertools.product(*grids))
    values = sample_aucs(np.array([x for x, _ in samples]), np.array([y for _, y in samples]))
    wins = np.array([[x > y for y in negative_values] for x in positive_values], dtype=float)
    p1, p2 = (wins.mean(axis=0) ** 2).mean(), (wins.mean(axis=1) ** 2).mean()
    assert values.var() == pytest.approx(auc_variance(wins.mean(), p1, p2, n_pos, n_neg), rel=1e-12)
    assert values.var() <= auc_variance_max(wins.mean(), n_pos, n_neg)


def test_largest_variance_is_attained_when_each_positive_beats_all_negatives_or_none():
    assert auc_variance(0.3, 0.3**2, 0.3, 5, 40) == pytest.approx(auc_variance_max(0.3, 5, 40), rel=1e-12)


@pytest.mark.parametrize("auc", [0.0, 0.2, 0.5, 0.95, 0.999, 1.0])
@pytest.mark.parametrize("k", [1, 20, 1000, 10**7])
def test_kl_interval_solves_its_equation_and_lies_within_hoeffding(auc, k):
    low, high = kl_interval(auc, k, 3 * k)
    radius = math.log(2 / 0.05) / k
    hoeffding = auc_deviation(k, 3 * k, method="hoeffding")
    assert auc - hoeffding - 1e-12 <= low <= auc <= high <= auc + hoeffding + 1e-12
    for limit in (low, high):
        if 1e-9 < limit < 1 - 1e-9:
            terms = [a * math.log(a / b) for a, b in ((auc, limit), (1 - auc, 1 - limit)) if a > 0]
            assert sum(terms) == pytest.approx(radius, rel=1e-6)


def test_kl_interval_of_a_perfect_ranking_has_a_closed_form():
    assert kl_interval(1.0, 50, 60) == (pytest.approx((0.05 / 2) ** (1 / 50), rel=1e-12), 1.0)


def test_kl_sample_size_is_where_the_interval_enters_the_wanted_width():
    n_total = math.ceil(kl_sample_size(0.9, 0.05, 0.5) / 2) * 2
    low, high = kl_interval(0.9, n_total // 2, n_total // 2)
    assert low >= 0.85
    assert high <= 0.95
    assert kl_interval(0.9, n_total // 2 - 2, n_total // 2 - 2).low < 0.85


def test_finite_class_of_one_is_the_fixed_scorer_and_huge_classes_do_not_overflow():
    assert auc_finite_class_tail(30, 40, 1, 0.2) == pytest.approx(auc_tail(30, 40, 0.2), rel=1e-12)
    assert auc_finite_class_deviation(30, 40, 1) == auc_deviation(30, 40)
    assert auc_finite_class_sample_size(0.1, 0.3, 1) == auc_sample_size(0.1, 0.3)
    huge = 2**32_000  # a thousand weights of 32 bits
    assert auc_finite_class_tail(30, 40, huge, 0.2) == math.inf
    bits = auc_finite_class_deviation(10**7, 10**7, huge) ** 2 * 10**7 - math.log(2 / 0.05)
    assert bits == pytest.approx(32_000 * math.log(2), rel=1e-9)


@pytest.mark.parametrize("law", ["normal", "coin", "tied"])
@pytest.mark.parametrize(("n_pos", "n_neg"), [(5, 5), (6, 20), (20, 6)])
@pytest.mark.parametrize("confidence_level", [0.7, 0.95])
def test_simulated_aucs_exceed_the_bounds_no_more_often_than_promised(law, n_pos, n_neg, confidence_level):
    values, truth = drawn_aucs(n_pos, n_neg, law)
    deviations = np.abs(values - truth)
    limits = [
        auc_deviation(n_pos, n_neg, confidence_level=confidence_level),
        auc_deviation(n_pos, n_neg, confidence_level=confidence_level, method="hoeffding"),
        auc_chebyshev(truth, n_pos, n_neg, confidence_level=confidence_level),
    ]
    for limit in limits:
        assert (deviations >= limit).mean() <= 1 - confidence_level
    possible, drawn = np.unique(values, return_inverse=True)
    limits = np.array([kl_interval(value, n_pos, n_neg, confidence_level=confidence_level) for value in possible])
    misses = (truth < limits[:, 0]) | (truth > limits[:, 1])
    assert misses[drawn].mean() <= 1 - confidence_level


def test_disjoint_pairs_are_as_many_as_the_smaller_class_has_rows():
    for n_pos, n_neg in ((30, 90), (90, 30)):
        expected = math.sqrt(math.log(2 / 0.1) / (2 * 30))
        assert auc_deviation(n_pos, n_neg, confidence_level=0.9, method="hoeffding") == pytest.approx(expected)
