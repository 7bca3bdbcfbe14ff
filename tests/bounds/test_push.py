"""Bounds on the p-norm risk: the printed formula, simulation, covering numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from podium.bounds import log_covering_linear, push_log_tail, push_sample_size


def test_theorem_2_is_evaluated_as_printed_where_it_does_not_underflow():
    n_pos, n_neg, epsilon, p, covering = 900, 700, 0.8, 1.5, 40.0
    printed = (
        2 * covering * (math.exp(-2 * (epsilon / 4) ** (2 * p) * n_neg) + math.exp(-(epsilon**2) / 8 * n_pos) * n_neg)
    )
    assert push_log_tail(n_pos, n_neg, epsilon, p, log_covering=math.log(40)) == pytest.approx(
        math.log(printed), rel=1e-12
    )


def test_theorem_3_is_evaluated_as_printed_where_it_does_not_underflow():
    n_pos, n_neg, epsilon, p, r_min = 900, 700, 0.4, 3, 0.6
    negatives = 2 * n_neg * epsilon**2 / 16 * r_min ** (2 * (p - 1))
    printed = 2 * (math.exp(-negatives) + math.exp(-(epsilon**2) / 8 * n_pos) * n_neg)
    assert push_log_tail(n_pos, n_neg, epsilon, p, r_min=r_min) == pytest.approx(math.log(printed), rel=1e-12)


def test_theorem_3_at_a_small_least_risk_is_theorem_2():
    assert push_log_tail(500, 500, 0.4, 4, r_min=0.05) == push_log_tail(500, 500, 0.4, 4)


def test_sharp_form_is_always_below_the_printed_one():
    for n_pos, n_neg, p in [(1, 1, 1), (10, 10**7, 2), (10**7, 10, 64)]:
        assert push_log_tail(n_pos, n_neg, 0.3, p, method="sharp") < push_log_tail(n_pos, n_neg, 0.3, p)


@pytest.mark.parametrize("p", [1, 2, 4])
def test_simulated_risks_exceed_the_sharp_tail_no_more_often_than_promised(p):
    # Both classes uniform, one scorer: P(x₊ ≤ y) = y, so that R_p = (1/(p + 1))^(1/p).
    n_draws, n_pos, n_neg = 10_000, 25, 25
    rng = np.random.default_rng(5)
    positives, negatives = rng.random((n_draws, n_pos)), rng.random((n_draws, n_neg))
    heights = (positives[:, :, None] <= negatives[:, None, :]).mean(axis=1)
    shortfall = (1 / (p + 1)) ** (1 / p) - (heights**p).mean(axis=1) ** (1 / p)
    true_risk = (1 / (p + 1)) ** (1 / p)
    for epsilon in (0.02, 0.1, 0.5, 0.9):
        tail = math.exp(push_log_tail(n_pos, n_neg, epsilon, p, r_min=true_risk, method="sharp"))
        assert (shortfall >= epsilon).mean() <= tail
    # The two steps of the proof, each without the halving of ε that hides them: one-sided and without ln K.
    on_these_negatives = (negatives**p).mean(axis=1) ** (1 / p)
    empirical = (heights**p).mean(axis=1) ** (1 / p)
    for step in (0.05, 0.1, 0.2):
        assert (true_risk - on_these_negatives >= step).mean() <= math.exp(
            -2 * n_neg * (step * true_risk ** (p - 1)) ** 2
        )
        assert (on_these_negatives - empirical >= step).mean() <= math.exp(-2 * n_pos * step**2)


def test_sample_size_is_the_first_to_suffice():
    n_total = push_sample_size(0.4, 0.5, 2, log_covering=3.0)
    assert push_log_tail(n_total // 2, n_total - n_total // 2, 0.4, 2, log_covering=3.0) <= math.log(0.05)
    half = (n_total - 2) // 2
    assert push_log_tail(half, half, 0.4, 2, log_covering=3.0) > math.log(0.05)


def test_covering_of_the_plane_covers_it():
    radius, weight_norm = 0.5, 1.0
    spacing = radius * math.sqrt(2)  # a square grid with circles of that radius covers the disc
    grid = np.arange(-2, 3) * spacing
    centers = np.array([(x, y) for x in grid for y in grid if math.hypot(x, y) <= weight_norm + radius])
    angles = np.linspace(0, 2 * np.pi, 100)
    disc = np.concatenate([r * np.stack([np.cos(angles), np.sin(angles)], axis=1) for r in np.linspace(0, 1, 20)])
    assert np.linalg.norm(disc[:, None] - centers[None], axis=2).min(axis=1).max() <= radius + 1e-12
    assert math.log(len(centers)) <= log_covering_linear(radius, 2, weight_norm, 1.0) == pytest.approx(math.log(25))


def test_covering_number_of_a_single_scorer_is_one():
    assert log_covering_linear(0.1, 30, 0.0, 5.0) == 0.0
