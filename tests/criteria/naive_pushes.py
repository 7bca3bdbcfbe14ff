"""Pushes by their definitions (R09, §2 and §7). Imports nothing of ours."""

from __future__ import annotations

import math

from naive import LOSSES, classes, push_risk


def minus_log(x):
    return math.inf if x == 0 else -math.log(x)


def push_objective(is_positive, scores, p, loss, weight=None):
    """−(1/p) log R_{p,ℓ}; p may be infinite."""
    if math.isinf(p):
        pos, neg = classes(is_positive, scores, weight)
        return minus_log(max(sum(v * LOSSES[loss](s - t) for s, v in pos) for t, _ in neg))
    return minus_log(push_risk(is_positive, scores, p, loss, weight)) / p


def bottom_objective(is_positive, scores, p, loss, weight=None):
    """−(1/p) log Σ_i (Σ_k ℓ(f(x_i) − f(x̃_k)))^p."""
    pos, neg = classes(is_positive, scores, weight)
    return minus_log(sum(v * sum(w * LOSSES[loss](s - t) for t, w in neg) ** p for s, v in pos)) / p


def both_ends_objective(is_positive, scores, p, c, loss, weight=None):
    """−(1/p) log(R_{p,ℓ} + c·R_{p,ℓ}^bottom)."""
    pos, neg = classes(is_positive, scores, weight)
    bottom = sum(v * sum(w * LOSSES[loss](s - t) for t, w in neg) ** p for s, v in pos)
    return minus_log(push_risk(is_positive, scores, p, loss, weight) + c * bottom) / p


def ir_objective(is_positive, scores, weight=None):
    """−(1/n) Σ_i ln(1 + Σ_k e^{−(f(x_i) − f(x̃_k))})."""
    pos, neg = classes(is_positive, scores, weight)
    total = sum(v * math.log1p(sum(w * math.exp(t - s) for t, w in neg)) for s, v in pos)
    return -total / sum(v for _, v in pos)


def price_objective(is_positive, scores, price, loss, weight=None):
    """−log R_{g,ℓ}."""
    pos, neg = classes(is_positive, scores, weight)
    return minus_log(sum(w * price(sum(v * LOSSES[loss](s - t) for s, v in pos)) for t, w in neg))


def crucial_objective(scores, matters, price, loss, weight=None):
    """−log Σ_k g(Σ_i ℓ(f(x_i) − f(x_k)) π(i, k)) over all rows; matters(i, k) is π."""
    rows = range(len(scores))
    weight = [1.0] * len(scores) if weight is None else weight
    total = 0.0
    for k in rows:
        inner = sum(weight[i] * LOSSES[loss](scores[i] - scores[k]) for i in rows if matters(i, k))
        total += weight[k] * price(inner)
    return minus_log(total)
