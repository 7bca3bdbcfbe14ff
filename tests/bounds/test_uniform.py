"""Scorers learned on the sample: Figure 3 of A05, sizes, simulation of the supremum over a class."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

from podium.bounds import (
    auc_penalty,
    auc_uniform_deviation,
    auc_uniform_log_tail,
    auc_uniform_sample_size,
    count_sign_patterns,
    freund_deviation,
    freund_sample_size,
    log_rank_shatter,
    log_sign_patterns,
)

ONE_FEATURE = math.log(3)  # r(F, n, m) for linear scorers on R: up, down, constant


def freund_one_feature(n_pos, n_neg):
    return freund_deviation(n_pos, n_neg, math.log(8 * n_pos + 1), math.log(8 * n_neg + 1), confidence_level=0.99)


def test_log_tail_and_deviation_are_inverse_to_each_other():
    epsilon = auc_uniform_deviation(400, 900, 7.0, confidence_level=0.97)
    assert auc_uniform_log_tail(400, 900, 7.0, epsilon) == pytest.approx(math.log(0.03), rel=1e-12)


def test_figure_3_the_bound_is_tighter_than_that_of_freund_et_al_wherever_either_is_below_a_half():
    for share, longest in {1 / 2: 1e5, 1 / 10: 1e5, 1 / 100: 1e6, 1 / 1000: 1e7}.items():
        meaningful = 0
        for n_total in np.linspace(longest / 100, longest, 100):
            n_pos = round(share * n_total)
            ours = auc_uniform_deviation(n_pos, round(n_total) - n_pos, ONE_FEATURE, confidence_level=0.99)
            theirs = freund_one_feature(n_pos, round(n_total) - n_pos)
            if min(ours, theirs) < 0.5:
                meaningful += 1
                assert ours < theirs
        assert meaningful > 50


def test_figure_3_at_its_right_end_for_equal_classes():
    assert auc_uniform_deviation(50_000, 50_000, ONE_FEATURE, confidence_level=0.99) == pytest.approx(0.0476, abs=5e-5)
    assert freund_one_feature(50_000, 50_000) == pytest.approx(0.0800, abs=5e-5)


def test_shatter_coefficients_of_figure_3_are_sign_patterns():
    assert [count_sign_patterns(1, n * n) for n in (1, 2, 50)] == [3, 3, 3]
    assert [count_sign_patterns(2, n) for n in (2, 3, 50)] == [4 * n + 1 for n in (2, 3, 50)]


def test_fifteen_features_need_659056_per_class_in_print_and_32145_by_the_sharp_form():
    printed = auc_uniform_sample_size(0.1, 0.5, lambda n, m: log_rank_shatter(2 * n, 2 * m, 15))
    assert printed == 2 * 659_056
    # The sharp form with the printed bound (2ek/d)^d on the orders of k pairs, then with their exact number.
    loose = auc_uniform_sample_size(0.1, 0.5, lambda n, m: log_rank_shatter(min(n, m), 1, 15), method="sharp")
    exact = auc_uniform_sample_size(0.1, 0.5, lambda n, m: log_sign_patterns(15, min(n, m)), method="sharp")
    assert (loose, exact) == (2 * 34_586, 2 * 32_145)


def test_with_fifteen_features_the_bound_of_freund_et_al_is_the_tighter_one():
    for n in (150, 10_000, 10**6):
        shatter = log_sign_patterns(16, 2 * n)
        ours = auc_uniform_deviation(n, n, log_rank_shatter(2 * n, 2 * n, 15, method="central"))
        assert freund_deviation(n, n, shatter, shatter) < ours


def test_the_penalty_of_the_first_class_is_the_mean_part_of_the_sharp_bound_and_each_place_adds_to_it():
    chance = math.sqrt((1 / 40 + 1 / 70) * math.log(1 / 0.05) / 2)
    first = auc_uniform_deviation(40, 70, 4.0, method="sharp") - chance
    assert auc_penalty(40, 70, 4.0, k=1) == pytest.approx(first, rel=1e-12)
    # exp(−2t²/V) at t = √(V ln k) is k⁻²
    added = auc_penalty(40, 70, 4.0, k=3) - first
    assert math.exp(-2 * added**2 / (1 / 40 + 1 / 70)) == pytest.approx(1 / 9, rel=1e-9)


def test_sample_sizes_are_the_first_to_suffice():
    n_total = freund_sample_size(0.3, 0.25, lambda n: math.log(4 * n + 1), confidence_level=0.99)
    n_pos = round(n_total / 4)
    assert freund_one_feature(n_pos, n_total - n_pos) <= 0.3
    n_pos = round((n_total - 1) / 4)
    assert freund_one_feature(n_pos, n_total - 1 - n_pos) > 0.3


def test_simulated_suprema_over_linear_scorers_exceed_the_bounds_no_more_often_than_promised():
    n_draws, n_pos, n_neg = 10_000, 12, 18
    rng = np.random.default_rng(3)
    angles = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    directions = np.stack([np.cos(angles), np.sin(angles)])
    positives = rng.standard_normal((n_draws, n_pos, 2)) @ directions + 0.7 * directions[0]
    negatives = rng.standard_normal((n_draws, n_neg, 2)) @ directions
    aucs = np.zeros((n_draws, len(angles)))
    for i in range(n_pos):
        aucs += (positives[:, i, None, :] > negatives).mean(axis=1) / n_pos
    suprema = np.abs(aucs - norm.cdf(0.7 * directions[0] / math.sqrt(2))).max(axis=1)
    bounds = [
        auc_uniform_deviation(n_pos, n_neg, log_sign_patterns(2, n_pos), method="sharp"),
        auc_uniform_deviation(n_pos, n_neg, log_rank_shatter(2 * n_pos, 2 * n_neg, 2)),
        freund_deviation(n_pos, n_neg, log_sign_patterns(3, 2 * n_pos), log_sign_patterns(3, 2 * n_neg)),
    ]
    for bound in bounds:
        assert (suprema >= bound).mean() <= 0.05
    # The two halves of the sharp form: the mean of the supremum, and its deviation from that mean.
    mean_bound = bounds[0] - math.sqrt((1 / n_pos + 1 / n_neg) * math.log(1 / 0.05) / 2)
    assert suprema.mean() <= mean_bound
    assert (suprema >= suprema.mean() + bounds[0] - mean_bound).mean() <= 0.05
