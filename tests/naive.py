"""Oracles: the definitions by double loop, slow and obvious. Imports nothing of ours."""

from __future__ import annotations

import math

import numpy as np


# --- pairs ------------------------------------------------------------------------------------------------------------
def wins(a, b):
    """c(a, b) = 1{a > b} + ½·1{a = b}."""
    return 1.0 if a > b else 0.5 if a == b else 0.0


def classes(is_positive, scores, weight=None):
    """Positives and negatives as lists of (score, weight)."""
    weight = [1.0] * len(scores) if weight is None else weight
    pos = [(s, w) for y, s, w in zip(is_positive, scores, weight, strict=True) if y]
    neg = [(s, w) for y, s, w in zip(is_positive, scores, weight, strict=True) if not y]
    return pos, neg


def auc(is_positive, scores, weight=None):
    pos, neg = classes(is_positive, scores, weight)
    won = sum(v * w * wins(s, t) for s, v in pos for t, w in neg)
    return won / (sum(v for _, v in pos) * sum(w for _, w in neg))


# --- ranks ------------------------------------------------------------------------------------------------------------
def mid_rank(t, pooled):
    """Mid-rank of t in the pooled list, t itself being one of it."""
    return sum(z < t for z in pooled) + (sum(z == t for z in pooled) + 1) / 2


def max_rank(t, pooled):
    return sum(z <= t for z in pooled)


def top_position(t, pooled):
    """Position from the top, ties counting against (R09, §5)."""
    return sum(z >= t for z in pooled)


# --- W_φ --------------------------------------------------------------------------------------------------------------
def mean_score(t, pooled, phi):
    """Mean of φ over the ranks of those that tie with t, t itself being one of the pooled list."""
    below, upto = sum(z < t for z in pooled), sum(z <= t for z in pooled)
    return float(sum(phi(j / (len(pooled) + 1)) for j in range(below + 1, upto + 1)) / (upto - below))


def score_at(rank):
    """Instead of their mean, φ at one rank, such as the mid-rank."""
    return lambda t, pooled, phi: phi(rank(t, pooled) / (len(pooled) + 1))


def rank_statistic(is_positive, scores, phi, score=mean_score):
    """W_φ by its definition (CLV21, 2.11)."""
    return sum(score(s, scores, phi) for y, s in zip(is_positive, scores, strict=True) if y)


def omega(is_positive, scores, phi, score=mean_score):
    n, n_total = sum(bool(y) for y in is_positive), len(scores)
    a = [phi(j / (n_total + 1)) for j in range(1, n_total + 1)]
    low, high = sum(a[:n]), sum(a[n_total - n :])
    return (rank_statistic(is_positive, scores, phi, score) - low) / (high - low)


# --- ROC --------------------------------------------------------------------------------------------------------------
def roc_points(is_positive, scores, weight=None):
    """Breakpoints of the curve from the top, one per distinct score, and (0, 0)."""
    pos, neg = classes(is_positive, scores, weight)
    n, m = sum(w for _, w in pos), sum(w for _, w in neg)
    points = [(0.0, 0.0)]
    for t in sorted(set(scores), reverse=True):
        points.append((sum(w for s, w in neg if s >= t) / m, sum(w for s, w in pos if s >= t) / n))
    return points


# --- R09 --------------------------------------------------------------------------------------------------------------
LOSSES = {
    "zero_one": lambda r: 1.0 if r <= 0 else 0.0,
    "exponential": lambda r: math.exp(-r),
    "logistic": lambda r: math.log1p(math.exp(-r)) if r > -700 else -r,
    "hinge": lambda r: max(0.0, 1 - r),
    "squared_hinge": lambda r: max(0.0, 1 - r) ** 2,
}


def push_risk(is_positive, scores, p, loss, weight=None):
    pos, neg = classes(is_positive, scores, weight)
    return sum(w * sum(v * LOSSES[loss](s - t) for s, v in pos) ** p for t, w in neg)


def heights(is_positive, scores):
    pos, neg = classes(is_positive, scores)
    return [sum(s <= t for s, _ in pos) for t, _ in neg]


def reverse_heights(is_positive, scores):
    pos, neg = classes(is_positive, scores)
    return [sum(s <= t for t, _ in neg) for s, _ in pos]


# --- the top of the list, averaged over orders inside tie groups ------------------------------------------------------
def mean_over_orders(is_positive, scores, statistic, n_draws=4000, seed=0):
    """Mean and standard error of statistic(labels from the top) over random orders inside tie groups."""
    rng = np.random.default_rng(seed)
    draws = []
    for _ in range(n_draws):
        order = sorted(range(len(scores)), key=lambda i: (-scores[i], rng.random()))
        draws.append(statistic([is_positive[i] for i in order]))
    return float(np.mean(draws)), float(np.std(draws) / math.sqrt(n_draws))


# --- inference --------------------------------------------------------------------------------------------------------
def delong_components(is_positive, scores):
    """V of every positive and V' of every negative, in input order (DeLong, DeLong and Clarke-Pearson 1988)."""
    pos, neg = classes(is_positive, scores)
    return [
        sum(wins(s, t) for t, _ in neg) / len(neg) if y else sum(wins(t, s) for t, _ in pos) / len(pos)
        for y, s in zip(is_positive, scores, strict=True)
    ]


def delong_covariance(is_positive, components_a, components_b):
    """Covariance of two AUCs from their components."""
    total = 0.0
    for label in (True, False):
        a = [v for y, v in zip(is_positive, components_a, strict=True) if bool(y) is label]
        b = [v for y, v in zip(is_positive, components_b, strict=True) if bool(y) is label]
        mean_a, mean_b, n = sum(a) / len(a), sum(b) / len(b), len(a)
        total += sum((v - mean_a) * (w - mean_b) for v, w in zip(a, b, strict=True)) / (n - 1) / n
    return total


def leave_one_out(is_positive, scores, phi_of):
    """ω̂ without each row in turn; ``phi_of(n_items)`` is the φ of a list of that length."""
    rows = range(len(scores))
    return [
        omega([is_positive[j] for j in rows if j != i], [scores[j] for j in rows if j != i], phi_of(len(scores) - 1))
        for i in rows
    ]


def jackknife_variance(is_positive, scores, phi_of):
    omegas = leave_one_out(is_positive, scores, phi_of)
    total = 0.0
    for label in (True, False):
        part = [w for y, w in zip(is_positive, omegas, strict=True) if bool(y) is label]
        mean = sum(part) / len(part)
        total += (len(part) - 1) / len(part) * sum((w - mean) ** 2 for w in part)
    return total


def hajek_variance(is_positive, scores, phi):
    """Variance of W_φ/n by its projection, φ' being a difference over the ranks of a tie group."""
    pos, neg = ([s for s, _ in part] for part in classes(is_positive, scores))
    n, m, size = len(pos), len(neg), len(scores) + 1

    def moved(x, by):  # the value of the group of x, by one more row at the score ``by``
        below, upto = sum(z < x for z in scores), sum(z <= x for z in scores)
        if x < by:
            return 0.0
        old = phi((below + 0.5) / size) if x > by else mean_score(x, scores, phi)
        return (phi((upto + 0.5) / size) - old) / (upto - below)

    a = [mean_score(x, scores, phi) + sum(moved(pos[l], x) for l in range(n) if l != i) for i, x in enumerate(pos)]  # noqa: E741
    b = [m / n * sum(moved(x, t) for x in pos) for t in neg]
    return float(np.var(a, ddof=1) / n + np.var(b, ddof=1) / m)


def event_size(is_positive, scores, phi_of, k, direction):
    """The mean loss (direction −1) or gain of one more row, each literally added with the score of its site."""
    before = omega(is_positive, scores, phi_of(len(scores)))
    lower = higher = 0.0
    for label in (True, False):  # one more negative at each positive, one more positive at each negative
        sites = [s for y, s in zip(is_positive, scores, strict=True) if bool(y) is label]
        for site in sites:
            after = omega([*is_positive, not label], [*scores, site], phi_of(len(scores) + 1))
            loss = max(direction * (after - before), 0.0)
            lower += loss**k / len(sites)
            higher += loss ** (k + 1) / len(sites)
    return higher / lower if lower > 1e-15**k else 0.0
