"""Means of a table over windows of ranks: what tied rows are worth. O(N) for the windows of the groups of one list."""

from __future__ import annotations

import numpy as np

from podium._fast.compiled import compiled


@compiled
def means(below, upto, table):
    """Mean of ``table`` over the ranks from below + 1 to upto, 0 where there is none; equal neighbors are summed once.

    Sums of the ranks themselves, not differences of cumulated ones: those of a long list would have lost digits.
    """
    result = np.empty(len(below))
    for g in range(len(below)):
        if g > 0 and below[g] == below[g - 1] and upto[g] == upto[g - 1]:
            result[g] = result[g - 1]
            continue
        total = 0.0
        for rank in range(below[g] + 1, upto[g] + 1):
            total += table[rank]
        result[g] = total / max(upto[g] - below[g], 1)
    return result
