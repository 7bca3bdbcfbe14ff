"""Statements of the papers that no function of the library is the subject of, by enumeration or on examples."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from podium import bounds, criteria, metrics
from podium.datasets import LocationModel
from podium.roc import RocCurve


@pytest.mark.parametrize("phi", ["mww", "power:3", "smooth-top:0.9"])
def test_an_optimal_score_has_the_largest_curve_and_the_largest_w(phi):
    # CLV21, Proposition 6; CV08, Lemma 6 and Proposition 7.
    model, fpr, rng = LocationModel(0.3, dimension=4), np.linspace(0, 1, 2_001), np.random.default_rng(0)
    best = RocCurve.from_points(fpr, model.roc(fpr))
    assert np.allclose(model.roc_of(7 * model.theta, fpr), model.roc(fpr))
    for weights in model.theta + rng.normal(0, 0.5, (20, 4)):
        other = RocCurve.from_points(fpr, model.roc_of(weights, fpr))
        assert np.all(model.roc_of(weights, fpr) <= model.roc(fpr) + 1e-12)
        assert other.rank_statistic(phi, 0.3) < best.rank_statistic(phi, 0.3)


def test_the_deficit_of_a_maximizer_is_at_most_twice_the_largest_deviation():
    # CLV21 (4.2), over a finite class: angles in the plane.
    model, rng = LocationModel(0.5, dimension=2), np.random.default_rng(1)
    angles = np.linspace(0, np.pi, 40)
    members = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    truth = np.array([model.auc_of(weights) for weights in members])
    for _ in range(20):
        X, y = model.sample(20, 30, rng)
        empirical = np.array([metrics.auc(y, X @ weights) for weights in members])
        assert truth.max() - truth[empirical.argmax()] <= 2 * np.abs(empirical - truth).max()


def test_the_auc_of_a_sample_has_the_mean_of_the_population():
    # A05, Definition 2.1 and Lemma 2.2, over all samples of 2 positives and 3 negatives on three tied levels.
    positives, negatives = (0, 1, 1, 2), (0, 0, 1)
    population = Fraction(sum((2 * (x > y) + (x == y)) for x in positives for y in negatives), 2 * 12)
    samples = itertools.product(itertools.product(positives, repeat=2), itertools.product(negatives, repeat=3))
    values = [metrics.auc([1, 1, 0, 0, 0], [*x, *y]) for x, y in samples]
    assert np.mean(values) == pytest.approx(float(population), rel=1e-12)


@pytest.mark.parametrize("share", [0.2, 0.5])
@pytest.mark.parametrize("confidence_level", [0.5, 0.9])
def test_the_bound_for_random_labels_holds_by_enumeration(share, confidence_level):
    # A05, Theorem 3.6; CLV21, Remark 4. Scores 0 or 1: the AUC is ½ + (share of ones less share of ones)/2.
    n_total, one_pos, one_neg = 30, 0.7, 0.4
    missed = 0.0
    for n_pos in range(1, n_total):
        n_neg = n_total - n_pos
        k_pos, k_neg = np.arange(n_pos + 1), np.arange(n_neg + 1)
        error = np.abs((k_pos[:, None] / n_pos - k_neg[None, :] / n_neg) - (one_pos - one_neg)) / 2
        weight = binom.pmf(k_pos, n_pos, one_pos)[:, None] * binom.pmf(k_neg, n_neg, one_neg)[None, :]
        limit = bounds.auc_deviation(n_pos, n_neg, confidence_level=confidence_level)
        missed += binom.pmf(n_pos, n_total, share) * weight[error >= limit].sum()
    assert missed <= 1 - confidence_level
    assert missed > 0  # the test would see a bound that is much too small


def test_the_push_risk_moves_no_more_than_twice_the_largest_change_of_scores():
    # R09, Lemma 5: the hinge loss has Lipschitz constant 1.
    rng = np.random.default_rng(2)
    y = np.arange(40) < 15
    largest = 0.0
    for _ in range(200):
        scores, change = rng.normal(size=40), rng.uniform(-0.1, 0.1, 40)
        change = np.where(y, -0.1, 0.1) if rng.random() < 0.5 else change
        for p in (1, 2, 8):
            before, after = (metrics.push_risk(y, s, p, "hinge", normalize=True) for s in (scores, scores + change))
            moved = abs(after - before) / np.abs(change).max()
            assert moved <= 2 + 1e-9
            largest = max(largest, moved)
    assert largest > 1  # the factor 2 cannot be a 1


def test_differences_of_roots_are_below_both_bounds():
    # R09, Lemma 7, (4) and (5).
    a, b = np.meshgrid(np.linspace(0.01, 1, 60), np.linspace(0, 1, 61))
    for p in (1.0, 1.5, 3.0, 16.0):
        difference = np.abs(a ** (1 / p) - b ** (1 / p))
        assert np.all(difference <= np.abs(a - b) * a ** (1 / p - 1) + 1e-12)
        assert np.all(difference <= np.abs(a - b) ** (1 / p) + 1e-12)


@pytest.mark.parametrize("p", [1.5, 4.0])
def test_the_potential_of_theorem_4_is_convex_with_the_printed_gradient_and_its_dual_is_the_push(p):
    # R09, Lemmas 11–13, (10)–(13), with the inner sum over the positives i of one negative k.
    rng = np.random.default_rng(3)

    def gamma(q):
        return np.log(q / (p ** (1 / p) * q.sum(axis=0) ** ((p - 1) / p)))

    def potential(q):
        return np.sum(q * gamma(q))

    q, r = rng.uniform(0.1, 2, (2, 5, 3))
    gradient = 1 / p + gamma(q)  # (11)
    step = 1e-6 * np.eye(15).reshape(15, 5, 3)
    differences = [(potential(q + e) - potential(q - e)) / 2e-6 for e in step]
    assert np.allclose(gradient.ravel(), differences, atol=1e-7)
    assert potential(r) > potential(q) + np.sum(gradient * (r - q))  # Lemma 11
    # (12), (13): at q = e^(−M)·(Σ_i e^(−M))^(p − 1) the distance from 0 is R_p,exp/p.
    scores, y = rng.normal(size=8), np.arange(8) < 5
    loss = np.exp(-(scores[y][:, None] - scores[~y][None, :]))
    q = loss * loss.sum(axis=0) ** (p - 1)
    distance = -potential(q) + np.sum((1 / p + gamma(q)) * q)
    risk = np.exp(-p * criteria.PNormPush(p).value_and_gradient(scores, y)[0])
    assert distance == pytest.approx(risk / p, rel=1e-12)
