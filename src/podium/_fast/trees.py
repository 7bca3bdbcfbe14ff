"""Loops of trees: the best stump, partitions of binned columns, and scores of forests."""

from __future__ import annotations

import numpy as np

from podium._fast.compiled import compiled

# The best threshold of all columns, by one scan over binned columns: O(rows · columns).


@compiled
def steepest_stump(bins, n_bins, gradient):
    """Column c and bin b for which |Σ g over rows with bins[c] > b| is largest, and that sum.

    ``bins`` holds a column per row of the matrix; ``n_bins`` how many bins each has.
    """
    best_column, best_bin, best_sum = 0, 0, 0.0
    for c in range(bins.shape[0]):
        sums = np.zeros(n_bins[c])
        for r in range(gradient.size):
            sums[bins[c, r]] += gradient[r]
        above = 0.0
        for b in range(n_bins[c] - 2, -1, -1):
            above += sums[b + 1]
            if abs(above) > abs(best_sum):
                best_column, best_bin, best_sum = c, b, above
    return best_column, best_bin, best_sum


# Small classification trees over binned columns, and the way of rows through a tree: O(rows · columns) a level.
#
# A column has up to 256 bins; bin 0 holds what is missing or unknown. A split sends some bins of one column to the
# left: a table of 256 bits serves thresholds, missing values and sets of categories alike.


WORDS = 4  # of 64 bits each


@compiled
def _drawn(columns, n_drawn, state):
    """Bring ``n_drawn`` columns, drawn without replacement, to the front; the new state of the generator."""
    for k in range(min(n_drawn, columns.size - 1)):
        state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        other = k + np.intp((state >> np.uint64(33)) % np.uint64(columns.size - k))
        columns[k], columns[other] = columns[other], columns[k]
    return state


@compiled
def _fill(codes, is_positive, weight, rows, columns, sums):
    """Mass of negatives and of positives in every bin of some columns."""
    for j in columns:
        sums[j] = 0.0
    for r in rows:
        label = np.intp(is_positive[r])
        for j in columns:
            sums[j, codes[r, j], label] += weight[r]


@compiled
def _impurity(pos, neg):
    return pos * neg / (pos + neg) if pos + neg > 0 else 0.0


@compiled
def _ordered(sums, n_bins, is_categorical, order, costs):
    """The bins that hold rows, without bin 0 of numbers: by value, or by share of positives. How many they are."""
    count = 0
    for b in range(0 if is_categorical else 1, n_bins):
        if sums[b, 0] + sums[b, 1] > 0:
            order[count] = b
            count += 1
    if is_categorical:
        for i in range(1, count):  # by insertion: stable, and categories are few
            b = order[i]
            share = sums[b, 1] * costs[1] / (sums[b, 1] * costs[1] + sums[b, 0] * costs[0])
            j = i - 1
            while j >= 0:
                a = order[j]
                if sums[a, 1] * costs[1] / (sums[a, 1] * costs[1] + sums[a, 0] * costs[0]) <= share:
                    break
                order[j + 1] = a
                j -= 1
            order[j + 1] = b
    return count


@compiled
def _best_cut(sums, n_bins, is_categorical, costs, total, least, by_area, order):
    """The best cut of one column: (gain, fall of impurity, bins to the left in ``order``, how many, missing left)."""
    count = _ordered(sums, n_bins, is_categorical, order, costs)
    gain, fall, best, missing_left = -1.0, 0.0, -1, False
    neg_0, pos_0 = (0.0, 0.0) if is_categorical else (sums[0, 0], sums[0, 1])
    whole = _impurity(total[1] * costs[1], total[0] * costs[0])
    has_missing = neg_0 + pos_0 > 0
    neg_left, pos_left = 0.0, 0.0
    for i in range(count if has_missing else count - 1):
        neg_left += sums[order[i], 0]
        pos_left += sums[order[i], 1]
        for with_missing in range(2 if has_missing else 1):
            if with_missing and i == count - 1:
                continue  # nothing would be on the other side
            neg = neg_left + (neg_0 if with_missing else 0.0)
            pos = pos_left + (pos_0 if with_missing else 0.0)
            if neg + pos < least or total[0] + total[1] - neg - pos < least:
                continue
            p, q = pos * costs[1], neg * costs[0]
            p_rest, q_rest = (total[1] - pos) * costs[1], (total[0] - neg) * costs[0]
            drop = whole - _impurity(p, q) - _impurity(p_rest, q_rest)
            score = abs(p - q) + abs(p_rest - q_rest) if by_area else drop
            if score > gain + 1e-12 or (score > gain - 1e-12 and drop > fall + 1e-12):
                gain, fall, best, missing_left = score, drop, i, with_missing == 1
    return gain, fall, best, missing_left


@compiled
def _send(bits, order, best, n_bins, is_categorical, missing_left, sums, total):
    """Write which bins go left; bins without rows of a cell go with the larger side, numbers halfway into a gap."""
    mass_left = sums[0, 0] + sums[0, 1] if missing_left else 0.0
    for i in range(best + 1):
        mass_left += sums[order[i], 0] + sums[order[i], 1]
    larger_left = 2 * mass_left > total[0] + total[1]
    bits[:] = np.uint64(0)
    one = np.uint64(1)
    if is_categorical:
        for b in range(256):
            goes_left = larger_left
            if b < n_bins and sums[b, 0] + sums[b, 1] > 0:
                goes_left = False
            if goes_left:
                bits[b // 64] |= one << np.uint64(b % 64)
        for i in range(best + 1):
            bits[order[i] // 64] |= one << np.uint64(order[i] % 64)
        return
    last = order[best]
    after = last + 1
    while after < n_bins and sums[after, 0] + sums[after, 1] == 0:
        after += 1
    if after < n_bins:
        last = (last + after - 1) // 2
    for b in range(1, last + 1):
        bits[b // 64] |= one << np.uint64(b % 64)
    if missing_left or (sums[0, 0] + sums[0, 1] == 0 and larger_left):
        bits[0] |= one


@compiled
def _part(codes, column, bits, rows):
    """Rows that go left before the others, in their order; how many they are."""
    right = np.empty(rows.size, rows.dtype)
    n_left = n_right = 0
    for r in rows:
        b = codes[r, column]
        if (bits[b // 64] >> np.uint64(b % 64)) & np.uint64(1):
            rows[n_left] = r
            n_left += 1
        else:
            right[n_right] = r
            n_right += 1
    rows[n_left:] = right[:n_right]
    return n_left


@compiled
def _totals(is_positive, weight, rows):
    total = np.zeros(2)
    for r in rows:
        total[np.intp(is_positive[r])] += weight[r]
    return total


@compiled
def _best_split(sums, columns, n_bins, is_categorical, costs, total, least, by_area, order, kept):
    """The best column of those drawn: (column or −1, how many bins in ``kept`` go left, whether missing ones do).

    Ties go to the larger fall of impurity, then to the first column: not to the one that was drawn first.
    """
    gain, fall, best, column, missing_left = -1.0, 1e-12, -1, -1, False
    for j in columns:
        score, drop, cut, with_missing = _best_cut(
            sums[j], n_bins[j], is_categorical[j], costs, total, least, by_area, order
        )
        if cut < 0 or drop <= 1e-12 or score < gain - 1e-12:
            continue
        if score <= gain + 1e-12 and (drop < fall - 1e-12 or (drop <= fall + 1e-12 and j > column)):
            continue
        gain, fall, best, column, missing_left = score, drop, cut, j, with_missing
        kept[: cut + 1] = order[: cut + 1]
    return column, best, missing_left


@compiled
def partition(codes, is_positive, weight, rows, n_bins, is_categorical, costs, depth, least, n_drawn, seed):
    """A classification tree of a cell, with costs for negatives and positives: parts told apart by their labels.

    Splits lower the Gini impurity most; the last ones before the full depth make Σ |cost of positives − of negatives|
    of the parts largest, so that at depth one the better part is the best of all that one column can tell apart.
    ``rows`` are sorted by part.
    Returns column, bits and children of every split (−1 − k is part k), the ends of the parts in ``rows`` and the mass
    of negatives and positives of each.
    """
    size = min(2**depth, rows.size)
    column, bits = np.empty(size, np.int32), np.empty((size, WORDS), np.uint64)
    children, ends, mass = np.empty((size, 2), np.int32), np.empty(size, np.intp), np.zeros((size, 2))
    n_splits = n_parts = 0
    columns, order, kept = np.arange(codes.shape[1]), np.empty(256, np.intp), np.empty(256, np.intp)
    sums, state = np.empty((codes.shape[1], 256, 2)), seed
    stack = np.empty((depth + 1, 5), np.intp)  # what is still to be split: first and last row, level, parent, side
    stack[0] = 0, rows.size, 0, -1, 0
    height = 1
    while height > 0:
        height -= 1
        start, stop, level, parent, side = stack[height]
        total, j, best, missing_left = _totals(is_positive, weight, rows[start:stop]), -1, -1, False
        if level < depth and total.min() > 0 and total.sum() >= 2 * least:
            state = _drawn(columns, n_drawn, state)
            drawn = columns[:n_drawn]
            _fill(codes, is_positive, weight, rows[start:stop], drawn, sums)
            by_area = level == depth - 1
            j, best, missing_left = _best_split(
                sums, drawn, n_bins, is_categorical, costs, total, least, by_area, order, kept
            )
        if parent >= 0:
            children[parent, side] = n_splits if j >= 0 else -1 - n_parts
        if j < 0:
            ends[n_parts], mass[n_parts] = stop, total
            n_parts += 1
            continue
        column[n_splits] = j
        _send(bits[n_splits], kept, best, n_bins[j], is_categorical[j], missing_left, sums[j], total)
        middle = start + _part(codes, j, bits[n_splits], rows[start:stop])
        stack[height] = middle, stop, level + 1, n_splits, 1
        stack[height + 1] = start, middle, level + 1, n_splits, 0
        height += 2
        n_splits += 1
    return column[:n_splits], bits[:n_splits], children[:n_splits], ends[:n_parts], mass[:n_parts]


@compiled
def walk(codes, first, column, bits, children, out):
    """The cell in which every row ends: ``first`` is the first split of a cell, −1 where it was not cut."""
    for r in range(codes.shape[0]):
        cell = 0
        while first[cell] >= 0:
            split = first[cell]
            while split >= 0:
                b = codes[r, column[split]]
                goes_left = (bits[split, b // 64] >> np.uint64(b % 64)) & np.uint64(1)
                split = children[split, 0 if goes_left else 1]
            cell = -1 - split
        out[r] = cell


# Forests as arrays: nodes in the order of a walk that goes left first, so that only right children are stored.


@compiled
def left_first(left, right, order, place):
    """The nodes of a tree in the order of that walk, and the place of every node in it; leaves have no children: −1."""
    pending = np.empty(left.size, dtype=np.int64)
    pending[0], n_pending, count = 0, 1, 0
    while n_pending > 0:
        n_pending -= 1
        node = pending[n_pending]
        order[count], place[node] = node, count
        count += 1
        if left[node] >= 0:
            pending[n_pending], pending[n_pending + 1] = right[node], left[node]
            n_pending += 2


@compiled
def add_leaves(X, roots, column, number, right, missing_left, out):
    """Add to every row the numbers of its leaves; where ``column`` is −1 a leaf, else rows up to ``number`` go left."""
    for root in roots:
        for i in range(X.shape[0]):
            node = root
            while column[node] >= 0:
                x = X[i, column[node]]
                goes_left = missing_left[node] if np.isnan(x) else x <= number[node]
                node = node + 1 if goes_left else right[node]
            out[i] += number[node]
