"""Slow obvious definitions of what is said on hits; they import nothing of ours."""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy.stats import betabinom, norm


def expected_hits(y, s, k):
    """Hits among the first k over all orders of tied rows: all rows above the cut, a part of those at it."""
    hits, left = 0.0, k
    for value in sorted(set(s), reverse=True):
        group = [bool(label) for label, score in zip(y, s, strict=True) if score == value]
        hits += sum(group) * min(1.0, left / len(group))
        left = max(0.0, left - len(group))
    return hits


def new_draw_range(y, s, k, n_next, level, at_cut):
    """The range by its formula, one candidate after the other."""
    n = len(y)
    rows = k * n / n_next
    hits = expected_hits(y, s, rows)
    p, z = hits / rows, norm.ppf((1 + level) / 2)
    kept = []
    for h in range(k + 1):
        pooled = (hits + h) / (rows + k)
        variance = (1 + n_next / n) * k * (pooled * (1 - pooled) + (1 - k / n_next) * (p - at_cut) ** 2)
        if max(0.0, abs(h - k * p) - 0.5) ** 2 <= z**2 * variance:
            kept.append(h)
    return min(kept), max(kept)


def new_draw_range_at(prevalence, n_pos, n_neg, precision, at_cut, k, n_next, level):
    """The same where each class was sampled by itself, from the precision and the chance at the cut."""
    q, z = k / n_next, norm.ppf((1 + level) / 2)

    def variances(p):
        c = min(max(p - precision + at_cut, 0), 1)
        tpr, fpr = min(p * q / prevalence, 1), min((1 - p) * q / (1 - prevalence), 1)
        c_pos, c_neg = c - c / (1 + n_pos * tpr), c + (p - c) / (1 + n_neg * fpr)
        of_pos = (prevalence * (1 - c_pos)) ** 2 * tpr * (1 - tpr) / n_pos
        of_neg = ((1 - prevalence) * c_neg) ** 2 * fpr * (1 - fpr) / n_neg
        return k * (p * (1 - p) + (1 - q) * (precision - at_cut) ** 2), n_next**2 * (of_pos + of_neg)

    rows = q * (n_pos + n_neg)
    of_next, of_estimate = variances((precision * rows + 0.5) / (rows + 1))
    kept = []
    for h in range(k + 1):
        pooled = (precision * of_next + h / k * of_estimate) / (of_next + of_estimate)
        if max(0.0, abs(h - k * precision) - 0.5) ** 2 <= z**2 * sum(variances(pooled)):
            kept.append(h)
    return min(kept), max(kept)


def interleavings(n, m):
    """Every order of n labeled and m other rows: how many others stand before each labeled one."""
    for places in itertools.combinations(range(n + m), n):
        yield [place - c for c, place in enumerate(places)]


def interleaving_limits(n, m, tail):
    """The least v with P(V_c > v) ≤ tail, for each c."""
    return [
        next(v for v in range(m + 1) if betabinom.sf(v, m, c + 1, n - c) <= tail * (1 + 1e-9) or v == m)
        for c in range(n)
    ]


def hits_bound(y, s, listed, limits, k):
    """The bound for the first k of a list from its statement, over all labeled rows."""
    n, m = len(y), len(listed)
    pos = sorted((score for label, score in zip(y, s, strict=True) if label), reverse=True)
    neg = sorted((score for label, score in zip(y, s, strict=True) if not label), reverse=True)
    best = 0
    for c, value in enumerate([*neg, -math.inf]):
        best = max(best, min(k, sum(other > value for other in listed)) - limits[c])
    for c, value in enumerate(pos, start=1):
        at_least = m - limits[n - c]
        best = max(best, at_least - max(0, sum(other >= value for other in listed) - k))
    return best


def least_hits_in_any_order(y, s, k):
    """The fewest hits among the first k over the orders of tied rows."""
    order = sorted(range(len(s)), key=lambda i: (-s[i], y[i]))
    return int(np.sum(np.asarray(y)[order[:k]]))
