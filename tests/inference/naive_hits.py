"""Slow obvious definitions of what is said on hits; they import nothing of ours."""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq, minimize
from scipy.special import expit
from scipy.stats import betabinom, norm, t


def expected_hits(y, s, k):
    """Hits among the first k over all orders of tied rows: all rows above the cut, a part of those at it."""
    hits, left = 0.0, k
    for value in sorted(set(s), reverse=True):
        group = [bool(label) for label, score in zip(y, s, strict=True) if score == value]
        hits += sum(group) * min(1.0, left / len(group))
        left = max(0.0, left - len(group))
    return hits


def expected_precision(y, s, share):
    """Ten rows of a line along the list beside the rows above the cut; the line by Firth's penalized likelihood."""
    y, n = np.asarray(y, bool), len(y)
    place = np.array([norm.ppf((np.sum(s < one) + np.sum(s == one) / 2) / n) for one in s])

    def penalized(beta):
        p = expit(beta[0] + beta[1] * place)
        w = p * (1 - p)
        information = w.sum() * (w @ place**2) - (w @ place) ** 2
        return -np.log(np.where(y, p, 1 - p)).sum() - np.log(information) / 2

    start, rise = minimize(penalized, [0.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}).x
    if rise < 0:
        start, rise = np.log(y.sum() / (~y).sum()), 0.0
    upto = norm.ppf(1 - share)  # below it no row is among the first ones
    mean = quad(lambda z: norm.pdf(z) * expit(start + rise * z), max(upto, -12), 12)[0] / share
    return (expected_hits(y, s, share * n) + 10 * mean) / (share * n + 10)


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


def all_kept(n, m, level):
    """Limits that all V_c keep at once with this probability, by counting orders: those of the largest local level."""
    orders = list(interleavings(n, m))
    tails = sorted({float(betabinom.sf(v, m, c + 1, n - c)) for c in range(n) for v in range(m)}, reverse=True)
    for tail in tails:
        limits = interleaving_limits(n, m, tail)
        if (
            tail <= 1 - level
            and np.mean([all(v <= b for v, b in zip(o, limits, strict=True)) for o in orders]) >= level
        ):
            return [*limits, m]
    return [*interleaving_limits(n, m, 0.0), m]


def any_list_bound(y, s, limits, k):
    """The bound for a list that is not known: rows of it above a labeled row have limits from all labeled rows, too."""
    n, m, best = len(y), limits[-1], 0
    for c, value in enumerate([*sorted((b for a, b in zip(y, s, strict=True) if not a), reverse=True), -math.inf]):
        rows = sum(other > value for other in s)
        above = m - limits[n - rows]  # no fewer than stand above the last of these labeled rows
        best = max(best, min(k, above) - limits[c])
    for c, value in enumerate(sorted((b for a, b in zip(y, s, strict=True) if a), reverse=True), start=1):
        upto = limits[sum(other >= value for other in s)]
        best = max(best, m - limits[n - c] - max(0, upto - k))
    return best


def recall_range(y, s, k, at_cut, level):
    """Of a list as long as this one without ties: where (r − R)² = z² V r̄(1 − r̄), and half a positive further."""
    n, prevalence = len(y), sum(y) / len(y)
    above = [sum(other > value for other in s) < k for value in s]
    recall = sum(a and b for a, b in zip(above, y, strict=True)) / sum(y)
    parts = [(a * (label - at_cut) - recall * label) / prevalence for a, label in zip(above, y, strict=True)]
    z, each = norm.ppf((1 + level) / 2), np.var(parts) / n  # of the recall here, and of that there
    variance = 2 * each / (recall * (1 - recall))

    def excess(r):
        pooled = (recall + r) / 2
        return (r - recall) ** 2 - z**2 * variance * pooled * (1 - pooled)

    ends = brentq(excess, -1, recall), brentq(excess, recall, 2)
    return recall, max(0.0, ends[0] - 0.5 / sum(y)), min(1.0, ends[1] + 0.5 / sum(y))


def recall_of_few(y, s, k, low, high, level):
    """From the range of hits, and from that of the positives in a list as long as this one."""
    n, n_pos = len(y), sum(y)
    reach = norm.ppf((1 + level) / 2) * math.sqrt(2 * n_pos * (1 - n_pos / n))
    recall = expected_hits(y, s, k) / n_pos
    return recall, min(low / (n_pos + reach), recall), min(max(high / max(n_pos - reach, high, 1), recall), 1)


def clustered_quantile(y, s, k, clusters, at_cut, level):
    """Inflation of the variance and the quantile of Student's t, leaving out clusters of equal size in turn."""
    above = [sum(other > value for other in s) < k for value in s]
    parts = np.array([a * (label - at_cut) for a, label in zip(above, y, strict=True)])
    parts = parts - parts.mean()
    names = sorted(set(clusters))
    share = 1 / len(names)
    change = [sum(p for p, c in zip(parts, clusters, strict=True) if c == name) for name in names]
    change = np.array(change) * math.sqrt(1 - share) / (1 - share)
    total, fourth = sum(change**2), sum(change**4)
    freedom = 2 * total**2 / (fourth - total**2 / len(names))
    return max(1.0, total / sum(parts**2)), t.ppf((1 + level) / 2, freedom)


def fixed_range(n_pos, n_neg, k, hits, mean, variance, level):
    """Of a list with the same positives: every number of hits that a score test of one list against the other keeps."""
    least, most, z = max(0, k - n_neg), min(k, n_pos), norm.ppf((1 + level) / 2)
    dispersion = variance * (most - least) / ((mean - least) * (most - mean))
    kept = []
    for h in range(least, most + 1):
        middle = (hits + h) / 2
        allowed = 2 * z**2 * dispersion * (middle - least) * (most - middle) / (most - least)
        if max(0.0, abs(h - hits) - 0.5) ** 2 <= allowed:
            kept.append(h)
    return min(kept), max(kept)
