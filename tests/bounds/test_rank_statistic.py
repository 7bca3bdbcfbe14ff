"""Bounds on W_φ: bounded differences by brute force, the bias, simulation, penalties."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from podium.bounds import (
    auc_deviation,
    log_rank_shatter,
    paper_penalty,
    rank_statistic_bias,
    rank_statistic_deviation,
    rank_statistic_penalty,
    rank_statistic_sample_size,
    rank_statistic_sensitivity,
    rank_statistic_span,
    rank_statistic_uniform_deviation,
    rank_statistic_uniform_sample_size,
)
from podium.phi import resolve

PHIS = [
    "auc", "power:3", "top:0.6", "smooth-top:0.6", "dcg:2", "logrank", "van-der-waerden", "median",
    "early-recognition:20",
]  # fmt: skip
SMOOTH = ["auc", "power:3", "power:1.5", "smooth-top:0.6:10:10", "logistic", "early-recognition:5"]


def rank_scores(n_total, phi):
    return resolve(phi).bind(n_total).value(np.arange(1, n_total + 1) / (n_total + 1))


def values_on_all_score_vectors(n_pos, n_neg, phi, ties="averaged"):
    """W_φ/n on every vector of N scores out of N + 1 levels; axis i is the score of observation i.

    N + 1 levels are enough for every order of the N scores and one more, to which one of them may move.
    """
    n_total = n_pos + n_neg
    scores = np.array(list(itertools.product(range(n_total + 1), repeat=n_total)))
    positives = scores[:, :n_pos, None]
    below, tied = (scores[:, None, :] < positives).sum(axis=2), (scores[:, None, :] == positives).sum(axis=2)
    if ties == "mid":
        contributions = resolve(phi).bind(n_total).value((below + (tied + 1) / 2) / (n_total + 1))
    else:
        sums = np.concatenate([[0.0], np.cumsum(rank_scores(n_total, phi))])
        contributions = (sums[below + tied] - sums[below]) / tied
    return contributions.mean(axis=1).reshape((n_total + 1,) * n_total)


def summed_squared_differences(table):
    """The largest change of the table along each axis, squared and summed."""
    return sum((table.max(axis=axis) - table.min(axis=axis)).max() ** 2 for axis in range(table.ndim))


@pytest.mark.parametrize("phi", PHIS)
@pytest.mark.parametrize(("n_pos", "n_neg"), [(1, 1), (1, 4), (4, 1), (2, 2), (2, 3), (3, 2), (3, 3)])
def test_sensitivity_is_attained_and_never_exceeded_ties_included(phi, n_pos, n_neg):
    table = values_on_all_score_vectors(n_pos, n_neg, phi)
    exact = rank_statistic_sensitivity(n_pos, n_neg, phi)
    assert summed_squared_differences(table) == pytest.approx(exact, rel=1e-12)
    assert table.max() - table.min() == pytest.approx(rank_statistic_span(n_pos, n_neg, phi), rel=1e-12, abs=1e-15)


def test_with_ties_phi_at_the_mid_rank_moves_further_than_its_average_except_for_the_auc():
    at_mid_ranks = summed_squared_differences(values_on_all_score_vectors(3, 2, "power:3", ties="mid"))
    assert at_mid_ranks > 1.1 * rank_statistic_sensitivity(3, 2, "power:3")
    at_mid_ranks = summed_squared_differences(values_on_all_score_vectors(3, 2, "auc", ties="mid"))
    assert at_mid_ranks == pytest.approx(rank_statistic_sensitivity(3, 2, "auc"))


@pytest.mark.parametrize(("n_pos", "n_neg"), [(1, 1), (3, 8), (150, 150), (10**6, 10**5)])
def test_for_the_auc_the_deviation_is_that_of_mcdiarmid(n_pos, n_neg):
    to_auc = rank_statistic_span(n_pos, n_neg, "auc")
    assert rank_statistic_deviation(n_pos, n_neg, "auc") / to_auc == pytest.approx(
        auc_deviation(n_pos, n_neg), rel=1e-8
    )


@pytest.mark.parametrize("phi", SMOOTH)
@pytest.mark.parametrize(("n_pos", "n_neg"), [(1, 1), (3, 5), (40, 10), (500, 1500)])
def test_bias_bound_holds_when_both_classes_are_alike(phi, n_pos, n_neg):
    mean = rank_scores(n_pos + n_neg, phi).mean()  # every order is equally likely
    population = float(resolve(phi).integral(np.array(1.0)))
    assert abs(mean - population) <= rank_statistic_bias(n_pos, n_neg, phi)


@pytest.mark.parametrize("phi", SMOOTH)
@pytest.mark.parametrize(("n_pos", "n_neg"), [(1, 1), (2, 9), (9, 2)])
def test_bias_bound_holds_when_all_positives_are_on_top(phi, n_pos, n_neg):
    n_total = n_pos + n_neg
    mean = rank_scores(n_total, phi)[n_neg:].mean()
    integral = resolve(phi).integral(np.array([n_neg / n_total, 1.0]))
    population = (integral[1] - integral[0]) * n_total / n_pos
    assert abs(mean - population) <= rank_statistic_bias(n_pos, n_neg, phi)


def test_bias_without_a_second_derivative_takes_the_longer_way():
    assert rank_statistic_bias(50, 50, "power:1.5") == pytest.approx(1.5 * math.sqrt(103) / 202)
    assert rank_statistic_bias(50, 50, "power:2") == pytest.approx(2 / 101 + 2 * 103 / (8 * 101**2))


@pytest.mark.parametrize("phi", PHIS)
def test_simulated_statistics_exceed_the_deviation_no_more_often_than_promised(phi):
    n_draws, n_pos, n_neg = 10_000, 12, 8
    rng = np.random.default_rng(1)
    ranks = rng.permuted(np.tile(np.arange(n_pos + n_neg), (n_draws, 1)), axis=1)[:, :n_pos]
    scores = rank_scores(n_pos + n_neg, phi)
    deviations = np.abs(scores[ranks].mean(axis=1) - scores.mean())  # classes alike: the mean is exact
    for confidence_level in (0.5, 0.95):
        bound = rank_statistic_deviation(n_pos, n_neg, phi, confidence_level=confidence_level)
        assert (deviations >= bound).mean() <= 1 - confidence_level


def test_simulated_suprema_over_linear_scorers_exceed_the_uniform_deviation_no_more_often_than_promised():
    n_draws, n_pos, n_neg, phi = 10_000, 15, 15, "power:3"
    rng = np.random.default_rng(2)
    angles = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    sample = rng.standard_normal((n_draws, n_pos + n_neg, 2)) @ np.stack([np.cos(angles), np.sin(angles)])
    ranks = sample.argsort(axis=1).argsort(axis=1)[:, :n_pos]
    values = rank_scores(n_pos + n_neg, phi)[ranks].mean(axis=1)
    suprema = np.abs(values - 1 / 4).max(axis=1)  # classes alike: W_φ = ∫u³
    log_shatter = log_rank_shatter(2 * n_pos, 2 * n_neg, 2, method="central")
    bound = rank_statistic_uniform_deviation(n_pos, n_neg, phi, log_shatter, confidence_level=0.8)
    assert (suprema >= bound).mean() <= 0.2
    assert suprema.mean() <= rank_statistic_penalty(n_pos, n_neg, phi, log_shatter, k=1) + rank_statistic_bias(
        n_pos, n_neg, phi
    )


@pytest.mark.parametrize("phi", ["auc", "power:3", "early-recognition:20", "dcg:10", "van-der-waerden"])
def test_sample_size_of_a_rank_statistic_is_where_its_deviation_comes_down_for_good(phi):
    def deviation(n_total):
        return rank_statistic_deviation(round(n_total / 2), n_total - round(n_total / 2), phi)

    n_total = rank_statistic_sample_size(0.2, 0.5, phi)
    rounding = 1 + 1 / n_total  # one positive more or less among N
    assert deviation(n_total) <= 0.2
    assert all(deviation(n_total + more) <= 0.2 * rounding for more in (1, 2, 10, 100, 10 * n_total))
    assert all(deviation(n_total - fewer) > 0.2 / rounding for fewer in (1, 2, n_total // 10))


def test_uniform_sample_size_of_a_rank_statistic_is_the_first_to_suffice():
    def log_shatter(n_pos, n_neg):
        return log_rank_shatter(2 * n_pos, 2 * n_neg, 3, method="central")

    def deviation(n_total):
        n_pos = round(0.3 * n_total)
        return rank_statistic_uniform_deviation(
            n_pos, n_total - n_pos, "power:2", log_shatter(n_pos, n_total - n_pos), confidence_level=0.9
        )

    n_total = rank_statistic_uniform_sample_size(0.4, 0.3, "power:2", log_shatter, confidence_level=0.9)
    assert deviation(n_total) <= 0.4 < deviation(n_total - 1)


def test_ten_million_per_class_are_no_obstacle():
    # V_φ·N at φ = u³ and equal classes tends to 2·(7/8)² + 2·(7/8)²: the upper half of the steps adds up to 1 − 1/8.
    sensitivity = rank_statistic_sensitivity(10**7, 10**7, "power:3")
    assert sensitivity * 2 * 10**7 == pytest.approx(4 * (7 / 8) ** 2, rel=1e-6)


def test_penalty_grows_with_the_class_and_with_its_place_in_the_sequence():
    sensitivity = rank_statistic_sensitivity(50, 70, "power:3")
    first = rank_statistic_penalty(50, 70, "power:3", 4.0, 1)
    assert first == pytest.approx(math.sqrt(2 * sensitivity * (4 + math.log(2))))
    assert rank_statistic_penalty(50, 70, "power:3", 4.0, 9) - first == pytest.approx(
        math.sqrt(sensitivity * math.log(9))
    )


def test_printed_penalty_has_the_constant_of_the_paper():
    # u²: ‖φ‖ = 1, ‖φ'‖ = 2, ‖φ''‖ = 2, so C = 6·(1 + 36 + 36)
    expected = 0.7 * math.sqrt(3 / 40) + math.sqrt(2 * 6 * 73 * math.log(5) / (0.4**2 * 100))
    assert paper_penalty(100, 5, 3, 0.4, "power:2", b1=0.7) == pytest.approx(expected, rel=1e-12)


def test_the_uniform_deviation_is_the_mean_supremum_and_the_deviation_from_it():
    sensitivity = rank_statistic_sensitivity(40, 60, "power:3")
    expected = math.sqrt(2 * sensitivity * (math.log(2) + 5.0)) + math.sqrt(sensitivity * math.log(1 / 0.1) / 2)
    found = rank_statistic_uniform_deviation(40, 60, "power:3", 5.0, confidence_level=0.9)
    assert found - rank_statistic_bias(40, 60, "power:3") == pytest.approx(expected)
