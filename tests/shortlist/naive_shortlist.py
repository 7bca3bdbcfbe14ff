"""Oracles of shortlists: the definitions by loops over everything. Imports nothing of ours."""

from __future__ import annotations

from fractions import Fraction
from math import comb

from scipy.stats import beta


def conformal_selection(y, s, s_new, fdr):
    """Jin and Candès (2023) with Benjamini–Hochberg, in exact fractions; which rows are chosen."""
    n, m, fdr = len(y), len(s_new), Fraction(str(fdr))
    p = [Fraction(1 + sum(not a and b >= t for a, b in zip(y, s, strict=True)), n + 1) for t in s_new]
    last = max((k for k in range(1, m + 1) if sorted(p)[k - 1] <= fdr * k / m), default=0)
    return [bool(last) and value <= sorted(p)[last - 1] for value in p]


def weighted_pvalues(y, s, w, s_new, w_new):
    total = sum(w)
    return [
        (v + sum(c for a, b, c in zip(y, s, w, strict=True) if not a and b >= t)) / (v + total)
        for t, v in zip(s_new, w_new, strict=True)
    ]


def recall_threshold(pos, recall, level):
    """The k-th smallest positive with the largest k that keeps the recall, or None."""
    n = len(pos)
    possible = [k for k in range(1, n + 1) if beta.sf(recall, n + 1 - k, k) >= level]
    return sorted(pos)[possible[-1] - 1] if possible else None


def fpr_threshold(neg, fpr, level):
    """Rows above this one are chosen: the k-th largest negative with the largest k that holds, or None."""
    n = len(neg)
    possible = [k for k in range(1, n + 1) if beta.cdf(fpr, k, n + 1 - k) >= level]
    return sorted(neg)[-possible[-1]] if possible else None


def binomial_tail(k, n, p):
    return sum(comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(k, n + 1))


def rows_above(s, t):
    return [i for i, value in enumerate(s) if value > t]


def refuted_once(size, positives, drawn, hits, miss):
    """Whether P(Hypergeometric ≤ hits) ≤ miss, by counting samples."""
    total = comb(size, drawn)
    ways = sum(comb(positives, j) * comb(size - positives, drawn - j) for j in range(min(hits, drawn) + 1))
    return Fraction(ways, total) <= Fraction(str(miss))
