"""Rank tests by listing all splits of the pooled sample. Imports nothing of ours."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np


def tie_averaged(values, score_of_rank):
    """The score of every value: the mean of the scores of the ranks that its tie group takes."""
    scores = []
    for t in values:
        ranks = range(sum(z < t for z in values) + 1, sum(z <= t for z in values) + 1)
        scores.append(sum((score_of_rank(r) for r in ranks), start=0 * score_of_rank(1)) / len(ranks))
    return scores


def mood(values):
    """1 above the median of all values, −1 elsewhere."""
    middle = sorted(values)[(len(values) - 1) // 2 : len(values) // 2 + 1]
    return [1 if 2 * t > middle[0] + middle[-1] else -1 for t in values]


def tails(scores, n_drawn, slack=0):
    """P(W ≤ w), P(W ≥ w), mean and standard deviation of W over all splits; with fractions and no slack, exact."""
    observed = sum(scores[:n_drawn])
    sums = [sum(chosen) for chosen in itertools.combinations(scores, n_drawn)]
    return (
        sum(w <= observed + slack for w in sums) / len(sums),
        sum(w >= observed - slack for w in sums) / len(sums),
        float(np.mean([float(w) for w in sums])),
        float(np.std([float(w) for w in sums])),
    )


def rational_scores(phi, n_total):
    """Scores of the ranks as fractions."""
    if phi == "savage":
        return lambda r: sum(Fraction(1, j) for j in range(n_total - r + 1, n_total + 1))
    power = {"mww": 1, "power:2": 2, "power:3": 3, "power:8": 8}[phi]
    return lambda r: Fraction(r, n_total + 1) ** power


def logrank_tails(ranks, n_drawn):
    """Sums of −log(1 − R/(N + 1)) are ordered as products of N + 1 − R are, downwards: whole numbers, no ties."""
    n_total = len(ranks)
    observed = math.prod(n_total + 1 - r for r in ranks[:n_drawn])
    products = [math.prod(n_total + 1 - r for r in chosen) for chosen in itertools.combinations(ranks, n_drawn)]
    return sum(p >= observed for p in products) / len(products), sum(p <= observed for p in products) / len(products)
