"""Tie groups of a two-class sample: one merge of the sorted classes, O(N) after the sorts.

A group is a distinct score with the mass (count, or sum of weights) of its positives and of its negatives. Merges are
written without branches on the data: the order of random scores cannot be predicted, and a missed branch costs more
than the rest of the step.
"""

from __future__ import annotations

import numpy as np

from podium._fast.compiled import compiled


def merge_counts(pos, neg):
    """Groups of two ascending arrays: distinct values, ascending, with counts of positives and of negatives.

    Long arrays are made by NumPy, here as everywhere in this room: its own lie on huge pages.
    """
    n_total = len(pos) + len(neg)
    values, pos_count, neg_count = (
        np.empty(n_total, pos.dtype),
        np.empty(n_total, np.int64),
        np.empty(n_total, np.int64),
    )
    n_groups = _merge_counts(pos, neg, values, pos_count, neg_count)
    return tuple(_first(n_groups, array) for array in (values, pos_count, neg_count))


def _first(n, array):
    """The first of many, which do not keep the others in memory."""
    return array[:n] if 2 * n > len(array) else array[:n].copy()


@compiled
def _merge_counts(pos, neg, values, pos_count, neg_count):
    n, m = len(pos), len(neg)
    i = j = 0
    value = min(pos[0], neg[0])
    g = n_in = m_in = np.int64(0)
    while i < n and j < m:
        a, b = pos[i], neg[j]
        from_pos = np.int64(a <= b)
        next_value = min(a, b)
        fresh = np.int64(next_value != value)
        value = next_value
        g += fresh
        n_in = n_in * (1 - fresh) + from_pos
        m_in = m_in * (1 - fresh) + (1 - from_pos)
        i += from_pos
        j += 1 - from_pos
        values[g] = value
        pos_count[g] = n_in
        neg_count[g] = m_in
    for l in range(i, n):  # noqa: E741  (what is left of one class lies at the top)
        fresh = np.int64(pos[l] != value)
        value = pos[l]
        g += fresh
        n_in = n_in * (1 - fresh) + 1
        m_in = m_in * (1 - fresh)
        values[g] = value
        pos_count[g] = n_in
        neg_count[g] = m_in
    for l in range(j, m):  # noqa: E741
        fresh = np.int64(neg[l] != value)
        value = neg[l]
        g += fresh
        n_in = n_in * (1 - fresh)
        m_in = m_in * (1 - fresh) + 1
        values[g] = value
        pos_count[g] = n_in
        neg_count[g] = m_in
    return g + 1


@compiled
def merge_weights(scores, is_positive, weight, order):
    """Groups of weighted scores in the given ascending order."""
    values = np.empty(len(scores), scores.dtype)
    pos_mass = np.zeros(len(scores))
    neg_mass = np.zeros(len(scores))
    g = -1
    for l in order:  # noqa: E741
        if g < 0 or scores[l] != values[g]:
            g += 1
            values[g] = scores[l]
        if is_positive[l]:
            pos_mass[g] += weight[l]
        else:
            neg_mass[g] += weight[l]
    return values[: g + 1].copy(), pos_mass[: g + 1].copy(), neg_mass[: g + 1].copy()


def number_groups(ordered, rows):
    """The distinct values of an ascending array, and the number of each row's group."""
    distinct, group = np.empty(len(ordered), ordered.dtype), np.empty(len(ordered), np.int64)
    n_groups = _number_groups(ordered, rows, distinct, group)
    return distinct[:n_groups], group


@compiled
def _number_groups(ordered, rows, distinct, group):
    g = -1
    for i in range(len(ordered)):
        if i == 0 or ordered[i] != ordered[i - 1]:
            g += 1
            distinct[g] = ordered[i]
        group[rows[i]] = g
    return g + 1


def rank_bounds(pos, neg):
    """Of every positive, both classes ascending: how many of all scores lie below it, and how many up to it."""
    below, upto = np.empty(len(pos) + 1, np.int64), np.empty(len(pos) + 1, np.int64)  # a spare place: see the loop
    _rank_bounds(pos, neg, below, upto)
    return below[:-1], upto[:-1]


@compiled
def _rank_bounds(pos, neg, below, upto):
    """A place is written before it is known whether to advance: so one more than rows."""
    n, m = len(pos), len(neg)
    # Two merges side by side, (i, j) for "below" and (k, l) for "up to": their latencies overlap.
    i = j = k = l = 0  # noqa: E741
    while i < n and j < m and k < n and l < m:
        below[i] = j
        upto[k] = l
        reached = np.int64(pos[i] <= neg[j])
        passed = np.int64(pos[k] < neg[l])
        i += reached
        j += 1 - reached
        k += passed
        l += 1 - passed  # noqa: E741
    while i < n and j < m:
        below[i] = j
        reached = np.int64(pos[i] <= neg[j])
        i += reached
        j += 1 - reached
    while k < n and l < m:
        upto[k] = l
        passed = np.int64(pos[k] < neg[l])
        k += passed
        l += 1 - passed  # noqa: E741
    below[i:] = m
    upto[k:] = m
    _add_own_class(pos, below, upto)


@compiled
def _add_own_class(pos, below, upto):
    n_ties = 0
    for i in range(1, len(pos)):
        n_ties += np.int64(pos[i] == pos[i - 1])
    if n_ties == 0:
        for i in range(len(pos)):
            below[i] += i
            upto[i] += i + 1
        return
    start = 0
    while start < len(pos):
        end = start + 1
        while end < len(pos) and pos[end] == pos[start]:
            end += 1
        below[start:end] += start
        upto[start:end] += end
        start = end


def curve(pos, neg):
    """ROC breakpoints of two ascending arrays from the top: false and true positive rates, thresholds; and n, m."""
    n, m = len(pos), len(neg)
    fpr, tpr, thresholds = (np.empty(n + m + 1) for _ in range(3))
    n_points = _curve(pos, neg, fpr, tpr, thresholds)
    return _first(n_points, fpr), _first(n_points, tpr), _first(n_points, thresholds), n, m


@compiled
def _curve(pos, neg, fpr, tpr, thresholds):
    n, m = len(pos), len(neg)
    fpr[0] = tpr[0] = 0.0
    thresholds[0] = np.inf
    i, j = n - 1, m - 1
    value = max(pos[i], neg[j])
    g = np.int64(1)
    while i >= 0 and j >= 0:
        a, b = pos[i], neg[j]
        from_pos = np.int64(a >= b)
        next_value = max(a, b)
        g += np.int64(next_value != value)
        value = next_value
        i -= from_pos
        j -= 1 - from_pos
        fpr[g] = (m - 1 - j) / m
        tpr[g] = (n - 1 - i) / n
        thresholds[g] = value
    for l in range(i, -1, -1):  # noqa: E741  (what is left of one class lies at the bottom)
        g += np.int64(pos[l] != value)
        value = pos[l]
        fpr[g] = 1.0
        tpr[g] = (n - l) / n
        thresholds[g] = value
    for l in range(j, -1, -1):  # noqa: E741
        g += np.int64(neg[l] != value)
        value = neg[l]
        fpr[g] = (m - l) / m
        tpr[g] = 1.0
        thresholds[g] = value
    return g + 1
