"""Loops over lists: splitting by class, tie groups, wins over negatives, and what moves when a row leaves."""

from __future__ import annotations

import numpy as np

from podium._fast.compiled import compiled, compiled_reduction

# Rows of two classes apart and back together, without branches: classes in random order would mispredict them.


@compiled
def split(values, is_first):
    """The values of the first class and those of the other, each in the order of the rows."""
    n = values.size
    n_first = is_first.sum()
    # One spare place each: both are written at every step, only one advances.
    first, other = np.empty(n_first + 1, values.dtype), np.empty(n - n_first + 1, values.dtype)
    i = j = 0
    for r in range(n):
        first[i] = values[r]
        other[j] = values[r]
        i += is_first[r]
        j += 1 - is_first[r]
    return first[:n_first], other[: n - n_first]


@compiled
def join(both, n_first, is_first, values):
    """The inverse of :func:`split`: fills ``values`` from ``both``, the first class followed by the other."""
    i = 0
    for r in range(is_first.size):
        chosen = np.int64(is_first[r])
        values[r] = both[np.uint64(chosen * i + (1 - chosen) * (n_first + r - i))]  # arithmetic, not a choice
        i += chosen


@compiled
def take(values, is_positive, out):
    """The values of the positives, one after the other; ``out`` has room for all rows and one more."""
    n_pos = 0
    for i in range(values.size):
        out[n_pos] = values[i]
        n_pos += is_positive[i]
    return out[:n_pos]


@compiled
def put(values, is_positive, out):
    """Each value at the row of its positive, zero elsewhere."""
    k, last = 0, values.size - 1
    for i in range(is_positive.size):
        out[i] = values[min(k, last)] * is_positive[i]
        k += is_positive[i]


# Means of a table over windows of ranks: what tied rows are worth. O(N) for the windows of the groups of one list.


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


# Tables of a function of the rank, filled between nodes.


@compiled
def fill_between_nodes(heights, weights, table):
    """Fill ``table``, a stretch of places for every six heights in a row, by the six rows of ``weights``.

    A loop rather than a product of matrices: that would wake the threads of the linear algebra library.
    """
    n_places = weights.shape[1]
    w0, w1, w2, w3, w4, w5 = weights[0], weights[1], weights[2], weights[3], weights[4], weights[5]
    for k in range(len(heights) - 5):
        h0, h1, h2 = heights[k], heights[k + 1], heights[k + 2]
        h3, h4, h5 = heights[k + 3], heights[k + 4], heights[k + 5]
        stretch = table[k * n_places : (k + 1) * n_places]
        for i in range(n_places):
            stretch[i] = h0 * w0[i] + h1 * w1[i] + h2 * w2[i] + h3 * w3[i] + h4 * w4[i] + h5 * w5[i]


# Tie groups of a two-class sample: one merge of the sorted classes, O(N) after the sorts.
#
# A group is a distinct score with the mass (count, or sum of weights) of its positives and of its negatives. Merges are
# written without branches on the data: the order of random scores cannot be predicted, and a missed branch costs more
# than the rest of the step.


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


# Pairs won: how many of one class each item of the other beats, ties counting one half. O(n + m) after the sorts.


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


# Rank sums of the positives after one item has left the list or joined it, at every tie group: O(G) for G groups.
#
# An item that leaves lowers the ranks of everything above it by 1 and takes the last rank from what ties with it; one
# that joins raises them and gives its tie group one rank more. The mean scores of the groups over their old and new
# ranks come in as arrays; groups ascend. Long arrays are NumPy's own, which lie on huge pages, not made in compiled
# loops.


def sums_above(pos, above):
    """Σ_{h>g} pos_h·above_h for every group g."""
    result = np.empty(len(above))
    _add_from_top(pos, above, result)
    return result


def sums_without(pos, unchanged, shrunk, lowered):
    """Sums once an item of group g has left: a positive, and a negative."""
    return _changed_sums(pos, unchanged, shrunk, lowered, -1)


def sums_with(pos, unchanged, grown, raised):
    """Sums once an item has joined the tie of group g: a positive, and a negative."""
    return _changed_sums(pos, unchanged, grown, raised, 1)


def _changed_sums(pos, unchanged, own, above, change):
    positive, negative = np.empty(len(pos)), sums_above(pos, above)
    _add_from_below(pos, unchanged, own, change, positive, negative)
    return positive, negative


@compiled
def _add_from_top(pos, above, result):
    total = 0.0
    for g in range(len(pos) - 1, -1, -1):
        result[g] = total
        total += pos[g] * above[g]


@compiled
def _add_from_below(pos, unchanged, own, change, positive, negative):
    """``negative`` holds the sums of the groups above."""
    below = 0.0
    for g in range(len(pos)):
        others = below + negative[g]
        positive[g] = others + (pos[g] + change) * own[g]
        negative[g] = others + pos[g] * own[g]
        below += pos[g] * unchanged[g]


@compiled_reduction
def total(values, mass):
    """Sum of values that occur ``mass`` times."""
    result = 0.0
    for g in range(len(values)):
        result += mass[g] * values[g]
    return result


@compiled
def half_cumulated(mass):
    """Mass below each group, and half of its own."""
    result = np.empty(len(mass))
    below = 0.0
    for g in range(len(mass)):
        result[g] = below + mass[g] / 2
        below += mass[g]
    return result


@compiled_reduction
def spread(values, mass):
    """Mean, and sum of squares about it, of values that occur ``mass`` times."""
    count = total = 0.0
    for g in range(len(values)):
        count += mass[g]
        total += mass[g] * values[g]
    mean = total / count
    squares = 0.0
    for g in range(len(values)):
        squares += mass[g] * (values[g] - mean) ** 2
    return mean, squares


@compiled_reduction
def losses(values, mass, level, direction, power):
    """Sums of powers, 1 or 2 and the next, of how far values lie beyond ``level`` in the direction −1 or +1."""
    lower = higher = 0.0
    for g in range(len(values)):
        loss = max(direction * (values[g] - level), 0.0)
        raised = mass[g] * (loss if power == 1 else loss * loss)
        lower += raised
        higher += raised * loss
    return lower, higher
