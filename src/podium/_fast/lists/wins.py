"""Pairs won: how many of one class each item of the other beats, ties counting one half. O(n + m) after the sorts."""

from __future__ import annotations

import numpy as np

from podium._fast.compiled import compiled


@compiled
def wins(first, second):
    """#{second < a} + ½·#{second = a} for every a of ``first``; both ascend."""
    n, m = len(first), len(second)
    result = np.zeros(n + 1)  # one spare place: added to before it is known whether to advance
    # Two merges side by side, (i, j) for "below" and (k, l) for "up to", without branches on the data.
    i = j = k = l = 0  # noqa: E741
    while i < n and j < m and k < n and l < m:
        reached = np.int64(first[i] <= second[j])
        passed = np.int64(first[k] < second[l])
        result[i] += 0.5 * j * reached
        result[k] += 0.5 * l * passed
        i += reached
        j += 1 - reached
        k += passed
        l += 1 - passed  # noqa: E741
    while i < n and j < m:
        reached = np.int64(first[i] <= second[j])
        result[i] += 0.5 * j * reached
        i += reached
        j += 1 - reached
    while k < n and l < m:
        passed = np.int64(first[k] < second[l])
        result[k] += 0.5 * l * passed
        k += passed
        l += 1 - passed  # noqa: E741
    result[i:n] += 0.5 * m
    result[k:n] += 0.5 * m
    return result[:n]
