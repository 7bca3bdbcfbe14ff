"""Samples drawn from an ROC curve: all that a rank method sees of scores is how many positives pass each negative.

In units of their own distributions the negatives are uniforms V and the positives uniforms W, and a positive stands
above a negative where W < R(V), R being the curve. Sorted uniforms come from exponential spacings, without a sort:
O(n + m) a draw.
"""

from __future__ import annotations

import numpy as np

from podium._fast.compiled import compiled


@compiled
def positives_above(fpr, tpr, n_pos, n_neg, n_draws, nodes, rng):
    """Row by row the number of positives above the j-th negative from the top, for the j (from 0) in ``nodes``."""
    result = np.empty((n_draws, len(nodes)), np.int64)
    for draw in range(n_draws):
        result[draw] = _draw(fpr, tpr, n_pos, n_neg, rng)[nodes]
    return result


@compiled
def nested_levels(fpr, tpr, n_draws, pos_low, pos_high, at_neg_low, at_neg_high, rng):
    """Of each draw, the last of the nested bands, from the widest on, that still holds the whole curve.

    Row l of ``pos_low`` and ``pos_high`` are the limits of band l by number of positives; ``at_neg_low`` and
    ``at_neg_high`` the curve at its limits by negative.
    """
    n_levels, n_neg = at_neg_low.shape
    n_pos = pos_low.shape[1] - 2
    result = np.empty(n_draws, np.int64)
    for draw in range(n_draws):
        above = _draw(fpr, tpr, n_pos, n_neg, rng)
        holds, fails = 0, n_levels  # the widest is taken to hold: it is the guaranteed one
        while fails - holds > 1:
            level = (holds + fails) // 2
            inside = True
            for j in range(n_neg):
                k = above[j]
                if at_neg_low[level, j] > pos_high[level, k + 1] or at_neg_high[level, j] < pos_low[level, k]:
                    inside = False
                    break
            if inside:
                holds = level
            else:
                fails = level
        result[draw] = holds
    return result


@compiled
def _draw(fpr, tpr, n_pos, n_neg, rng):
    v = _sorted_uniforms(n_neg, rng)
    w = _sorted_uniforms(n_pos, rng)
    above = np.empty(n_neg, np.int64)
    segment = k = 0
    for j in range(n_neg):
        while fpr[segment + 1] < v[j]:
            segment += 1
        rise = (tpr[segment + 1] - tpr[segment]) / (fpr[segment + 1] - fpr[segment])
        height = tpr[segment] + rise * (v[j] - fpr[segment])
        while k < n_pos and w[k] < height:
            k += 1
        above[j] = k
    return above


@compiled
def _sorted_uniforms(size, rng):
    result = np.empty(size)
    total = 0.0
    for i in range(size):
        total += rng.standard_exponential()
        result[i] = total
    total += rng.standard_exponential()
    return result / total
