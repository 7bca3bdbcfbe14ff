"""Oracles of the report: its figures from the rows, by loops. Imports nothing of ours."""

from __future__ import annotations

from math import erfc, sqrt


def hits_above(y, s, rows):
    """Hits among the first rows, those that tie counting by their mean over orders; rows need not be whole."""
    hits, left = 0.0, rows
    for value in sorted(set(s), reverse=True):
        group = [bool(a) for a, b in zip(y, s, strict=True) if b == value]
        hits += sum(group) * min(1.0, left / len(group))
        left = max(0.0, left - len(group))
    return hits


def at_budget(y, s, budget, population):
    """What the first ``budget`` of a list of this length hold if it is like these rows."""
    n, n_pos = len(y), sum(bool(a) for a in y)
    rows = budget * n / population
    hits = hits_above(y, s, rows)
    return {
        "hits": hits * population / n,
        "recall": hits / n_pos,
        "lift": (hits / rows) / (n_pos / n),
        "precision": hits / rows,
        "random_hits": budget * n_pos / n,
        "fpr": (rows - hits) / (n - n_pos),
        "tpr": hits / n_pos,
        "threshold": next(t for t in sorted(set(s), reverse=True) if sum(b >= t for b in s) >= rows - 1e-9),
    }


def trend_pvalue(time, value):
    """Two-sided, of √n times the correlation with the number of the moment among all moments."""
    moments = sorted(set(time))
    place = [moments.index(t) for t in time]
    n = len(place)
    a, b = sum(place) / n, sum(value) / n
    both = sum((p - a) * (v - b) for p, v in zip(place, value, strict=True))
    correlation = both / sqrt(sum((p - a) ** 2 for p in place) * sum((v - b) ** 2 for v in value))
    return erfc(abs(correlation) * sqrt(n) / sqrt(2))


def period(y, s, share):
    """The best rows of a stretch of time: how many, and the hits among them."""
    n = max(1, round(share * len(y)))
    best = sorted(range(len(y)), key=lambda i: -s[i])[:n]
    return n, sum(bool(y[i]) for i in best)
