"""The exponential and the IR push over rows as they come: what stands before and after NumPy's exp, O(N).

NumPy's exp works on several numbers at once, a compiled one does not: these loops fill and read a block of rows that
stays in cache between them. A class is chosen by value, not by a branch, which random labels would mispredict.
"""

from __future__ import annotations

import numpy as np

from podium._fast.compiled import compiled, compiled_reduction


@compiled_reduction
def class_edges(scores, is_positive):
    """The least score of a positive and the largest of a negative."""
    lowest, highest = np.inf, -np.inf
    for i in range(scores.size):
        lowest = min(lowest, scores[i] if is_positive[i] else np.inf)
        highest = max(highest, -np.inf if is_positive[i] else scores[i])
    return lowest, highest


@compiled
def exponents(scores, is_positive, lowest, highest, up, down, out):
    """up·(lowest − s) of positives and down·(s − highest) of negatives: none is above zero."""
    for i in range(scores.size):
        out[i] = up * (lowest - scores[i]) if is_positive[i] else down * (scores[i] - highest)


@compiled_reduction
def class_sums(terms, is_positive, weight):
    """Σ w·term over positives, and over negatives."""
    of_positives = of_negatives = 0.0
    for i in range(terms.size):
        term = terms[i] if weight is None else weight[i] * terms[i]
        of_positives += term if is_positive[i] else 0.0
        of_negatives += 0.0 if is_positive[i] else term
    return of_positives, of_negatives


@compiled
def scale_by_class(terms, is_positive, weight, of_positives, of_negatives):
    """Multiply every term by its weight and by the factor of its class."""
    for i in range(terms.size):
        factor = of_positives if is_positive[i] else of_negatives
        terms[i] *= factor if weight is None else weight[i] * factor


@compiled
def folded_exponents(scores, is_positive, level, highest, out):
    """−|level − s| of positives and s − highest of negatives: none is above zero."""
    for i in range(scores.size):
        out[i] = -abs(level - scores[i]) if is_positive[i] else scores[i] - highest


@compiled_reduction
def sigmoid_sums(scores, is_positive, weight, level, folded, logs):
    """Σ w, Σ w·log(1 + e^z) and Σ w·σ(z) over positives, z = level − s; e^(−|z|) and its log1p are given."""
    count = costs = sigmoids = 0.0
    for i in range(scores.size):
        w = 1.0 if weight is None else weight[i]
        w = w if is_positive[i] else 0.0
        z = level - scores[i]
        count += w
        costs += w * (max(z, 0.0) + logs[i])
        sigmoids += w * ((1.0 if z > 0 else folded[i]) / (1 + folded[i]))
    return count, costs, sigmoids


@compiled
def sigmoids_by_class(scores, is_positive, weight, level, terms, of_positives, of_negatives):
    """From e^(−|z|) to σ(z) of positives, z = level − s; then every term times its weight and factor."""
    for i in range(scores.size):
        sigmoid = (1.0 if level > scores[i] else terms[i]) / (1 + terms[i])
        term = of_positives * sigmoid if is_positive[i] else of_negatives * terms[i]
        terms[i] = term if weight is None else weight[i] * term
