"""Pairs won: how many of one class each item of the other beats, ties counting one half. O(n + m) after the sorts."""

from __future__ import annotations

import numpy as np

from podium._fast.compiled import compiled, compiled_reduction


def wins(pos, neg):
    """How many of the other class each positive beats, and each negative, ties counting one half; both ascend.

    #{neg < a} + ½·#{neg = a} for every positive a, and the same with the classes exchanged.
    """
    of_pos, of_neg = np.zeros(len(pos) + 1), np.zeros(len(neg) + 1)  # a spare place: see the loop
    _add_wins(pos, neg, of_pos, of_neg)
    return of_pos[:-1], of_neg[:-1]


@compiled
def _add_wins(pos, neg, of_pos, of_neg):
    """What is added to is chosen before it is known whether to advance: so one place more than rows."""
    n, m = len(pos), len(neg)
    # Two merges side by side, without branches on the data: (i, j) with equal positives first, where a positive meets
    # those below it and a negative those up to it, and (k, l) with equal negatives first, where it is the other way.
    i = j = k = l = 0  # noqa: E741
    while i < n and j < m and k < n and l < m:
        reached = np.int64(pos[i] <= neg[j])
        passed = np.int64(pos[k] < neg[l])
        of_pos[i] += 0.5 * j * reached
        of_neg[j] += 0.5 * i * (1 - reached)
        of_pos[k] += 0.5 * l * passed
        of_neg[l] += 0.5 * k * (1 - passed)
        i += reached
        j += 1 - reached
        k += passed
        l += 1 - passed  # noqa: E741
    while i < n and j < m:
        reached = np.int64(pos[i] <= neg[j])
        of_pos[i] += 0.5 * j * reached
        of_neg[j] += 0.5 * i * (1 - reached)
        i += reached
        j += 1 - reached
    while k < n and l < m:
        passed = np.int64(pos[k] < neg[l])
        of_pos[k] += 0.5 * l * passed
        of_neg[l] += 0.5 * k * (1 - passed)
        k += passed
        l += 1 - passed  # noqa: E741
    of_pos[i:n] += 0.5 * m
    of_pos[k:n] += 0.5 * m
    of_neg[j:m] += 0.5 * n
    of_neg[l:m] += 0.5 * n


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


@compiled_reduction
def variance(values):
    """Of two or more values, about their mean."""
    total = 0.0
    for value in values:
        total += value
    mean = total / len(values)
    squares = 0.0
    for value in values:
        squares += (value - mean) ** 2
    return squares / (len(values) - 1)
