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


@compiled
def twice_wins(first, second):
    """Σ over ``first`` of #{second < a} + #{second ≤ a}; both ascend."""
    n, m = len(first), len(second)
    total = np.int64(0)
    i = j = l = 0  # noqa: E741
    while i < n and j < m:
        a = first[i]
        while j < m and second[j] < a:
            j += 1
        while l < m and second[l] <= a:
            l += 1  # noqa: E741
        total += j + l
        i += 1
    return total + 2 * np.int64(m) * (n - i)
