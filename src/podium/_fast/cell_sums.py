"""Moments of positions inside cells, in one pass; of all cells, or of those that hold rows."""

from __future__ import annotations

import math

import numpy as np

from podium._fast.compiled import compiled, compiled_reduction

_BLOCK = 256  # rows located at once: this part vectorizes, searching and adding to cells do not

# Which cells hold values, and the number of each among them: a hash table of whole numbers, O(1) a value.
#
# Keys are the bits of the cells' numbers as floating point, so that these may be as large as they come. A table has a
# power of two of slots and is at most half full.


FEWEST_SLOTS = 4096
EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)  # the bits of no number
_MIX = np.uint64(0x9E3779B97F4A7C15)  # 2⁶⁴ over the golden ratio: spreads neighbors
_HALF = np.uint64(32)


@compiled
def _slot(key, table):
    """The slot that has the key, or the empty one where it would stand."""
    mask = np.uint64(table.size - 1)
    mixed = (key ^ (key >> _HALF)) * _MIX
    slot = (mixed >> _HALF) & mask
    while table[slot] != key and table[slot] != EMPTY:
        slot = (slot + np.uint64(1)) & mask
    return slot


@compiled
def locate(values, start, per_width, ids, places):
    """The cells of a block of values and the places inside them; how many values."""
    n_rows = min(_BLOCK, values.size - start)
    block = values[start : start + n_rows]
    for i in range(n_rows):
        t = block[i] * per_width
        ids[i] = np.rint(t) + 0.0  # not −0, which has other bits
        places[i] = t - ids[i]
    return n_rows


@compiled
def mark(values, start, per_width, table, n_marked):
    """Add the cells of the values from ``start`` on, until the table is half full: where it ended, and how many."""
    ids, places = np.empty(_BLOCK), np.empty(_BLOCK)
    keys = ids.view(np.uint64)
    while start < values.size and 2 * (n_marked + _BLOCK) <= table.size:
        n_rows = locate(values, start, per_width, ids, places)
        for i in range(n_rows):
            slot = _slot(keys[i], table)
            n_marked += table[slot] == EMPTY
            table[slot] = keys[i]
        start += n_rows
    return start, n_marked


@compiled
def mark_in_row(values, per_width, first, marked):
    """Mark the cells of the values among cells without a gap; those beyond the ends count to the first and the last."""
    ids, places = np.empty(_BLOCK), np.empty(_BLOCK)
    last = marked.size - 1.0
    for start in range(0, values.size, _BLOCK):
        for i in range(locate(values, start, per_width, ids, places)):
            marked[np.uint32(min(max(ids[i] - first, 0.0), last))] = True


@compiled
def fill(keys, table, numbers):
    """Put keys into an empty table, and the number of each beside it unless None."""
    for i in range(keys.size):
        if keys[i] != EMPTY:
            slot = _slot(keys[i], table)
            table[slot] = keys[i]
            if numbers is not None:
                numbers[slot] = i


@compiled
def look_up(keys, n_rows, table, numbers, cells):
    """The number of each key; that of the first cell where a key is in none, so that nothing is read elsewhere."""
    for i in range(n_rows):
        slot = _slot(keys[i], table)
        cells[i] = numbers[slot] if table[slot] == keys[i] else np.uint32(0)


# Sums over all pairs in linear time: moments per cell, tables from cell to cell, a polynomial per cell.
#
# The axis is cut into cells [(c − ½)δ, (c + ½)δ), c whole. A value t lies at x = t/δ − c ∈ [−½, ½) of its cell. Σ_l w_l
# g((t − s_l)/h) ≈ Σ_a x^a Σ_cells Σ_b T[c − c', b, a] M[c', b], with the moments M[c', b] = Σ_l w_l x_l^b of cell c'. δ
# is a power of two, so that x and c are exact. Moments and evaluation cost O(N·q), tables O(cells·reach·q²).
#
# A value outside the cells counts as one in the first or the last of them: no number read or written lies elsewhere.


_look_up, _locate_anywhere = look_up, locate


@compiled
def _locate(values, is_positive, start, per_width, first, table, n_cells, cells, places):
    """The cell of each row of a block, counted from ``first``, and the place inside it; how many rows.

    Where most cells are empty, ``table`` has the numbers of the others; else it is None. Positives have cells of their
    own, after those of the negatives, unless ``is_positive`` is None.
    """
    if table is not None:
        ids = np.empty(_BLOCK)
        n_rows = _locate_anywhere(values, start, per_width, ids, places)
        _look_up(ids.view(np.uint64), n_rows, table[0], table[1], cells)
    else:
        n_rows = _locate_in_row(values, start, per_width, first, n_cells, cells, places)
    if is_positive is not None:
        marks = is_positive[start : start + n_rows]
        for i in range(n_rows):
            cells[i] += np.uint32(marks[i]) * np.uint32(n_cells)
    return n_rows


@compiled
def _locate_in_row(values, start, per_width, first, n_cells, cells, places):
    """The same over cells without a gap."""
    n_rows = min(_BLOCK, values.size - start)
    block = values[start : start + n_rows]  # loops over views, one thing at a time: they vectorize
    last = n_cells - 1.0
    for i in range(n_rows):
        t = block[i] * per_width
        cell = math.floor(t + 0.5)
        offset = cell - first
        offset = offset if offset > 0.0 else 0.0  # NaN, too
        offset = offset if offset < last else last
        cells[i], places[i] = np.uint32(np.int32(offset)), t - cell
    return n_rows


def _loops(q):
    """The loops for q moments; q is fixed when they compile, so that they unroll."""

    @compiled
    def add_moments(values, weight, is_positive, per_width, first, table, moments):
        """moments[c − first, b] += w x^b for every row; ``weight`` is None where all weigh one."""
        cells, places = np.empty(_BLOCK, np.uint32), np.empty(_BLOCK)
        n_cells = moments.shape[0] if is_positive is None else moments.shape[0] // 2
        for start in range(0, values.size, _BLOCK):
            n_rows = _locate(values, is_positive, start, per_width, first, table, n_cells, cells, places)
            for i in range(n_rows):
                term = 1.0 if weight is None else weight[start + i]
                for b in range(q):
                    moments[cells[i], b] += term
                    term *= places[i]

    @compiled
    def evaluate(values, per_width, first, table, lower, upper, at_lower, at_upper):
        """Two polynomials per cell at every row; coefficients of rising powers."""
        cells, places = np.empty(_BLOCK, np.uint32), np.empty(_BLOCK)
        for start in range(0, values.size, _BLOCK):
            n_rows = _locate(values, None, start, per_width, first, table, lower.shape[0], cells, places)
            for i in range(n_rows):
                a, b = lower[cells[i], q - 1], upper[cells[i], q - 1]
                for k in range(q - 2, -1, -1):
                    a = a * places[i] + lower[cells[i], k]
                    b = b * places[i] + upper[cells[i], k]
                at_lower[start + i], at_upper[start + i] = a, b

    @compiled
    def subtract(values, weight, is_positive, per_width, first, table, coefficients, out):
        """Subtract w · polynomial from ``out``, at every row."""
        cells, places = np.empty(_BLOCK, np.uint32), np.empty(_BLOCK)
        n_cells = coefficients.shape[0] if is_positive is None else coefficients.shape[0] // 2
        for start in range(0, values.size, _BLOCK):
            n_rows = _locate(values, is_positive, start, per_width, first, table, n_cells, cells, places)
            for i in range(n_rows):
                a = coefficients[cells[i], q - 1]
                for k in range(q - 2, -1, -1):
                    a = a * places[i] + coefficients[cells[i], k]
                out[start + i] -= a if weight is None else a * weight[start + i]

    return add_moments, evaluate, subtract


LOOPS = {q: _loops(q) for q in (4, 6, 8)}


@compiled_reduction
def local_polynomials(ids, moments, occupied, table, first, coefficients):
    """Coefficients of the cells ``ids[first:]``, as many as there are rows to fill, from the cells within reach.

    Returns the mass to the left of these, and which they are: from the first to before the last. ``ids`` are ascending
    whole numbers; ``table[a, reach + d, b]`` is what moment b of a cell d further right adds to coefficient a. Over
    cells without a gap the sum is a dot product of contiguous rows. Cells that are not occupied are left at zero.
    """
    n_cells, q = moments.shape
    reach = table.shape[1] // 2
    n_filled = coefficients.shape[0]
    below, begin, end = np.empty(n_filled), np.empty(n_filled, np.int64), np.empty(n_filled, np.int64)
    flat_moments, flat_table = moments.ravel(), table.reshape(table.shape[0], -1)
    run_end = np.empty(n_cells, np.int64)  # where the cells without a gap from here end
    for j in range(n_cells - 1, -1, -1):
        run_end[j] = run_end[j + 1] if j + 1 < n_cells and ids[j + 1] - ids[j] == 1 else j + 1
    left, right, passed = 0, 0, 0.0
    for k in range(n_filled):
        here = ids[first + k]
        # Differences, not sums with the reach: those of large numbers round, and reach beyond the table.
        while here - ids[left] > reach:
            passed += moments[left, 0]
            left += 1
        while right < n_cells and ids[right] - here <= reach:
            right += 1
        below[k], begin[k], end[k] = passed, left, right
        coefficients[k] = 0.0
        if not occupied[first + k]:
            continue
        j = left
        while j < right:
            stop = min(run_end[j], right)
            offset = int(ids[j] - here) + reach
            run = flat_moments[j * q : stop * q]
            here_to = slice(offset * q, (offset + stop - j) * q)
            for a in range(0, coefficients.shape[1], 2):  # two at once: each moment is read once for both
                even, odd = flat_table[a, here_to], flat_table[a + 1, here_to]
                sum_even, sum_odd = 0.0, 0.0
                for i in range(run.size):
                    sum_even += run[i] * even[i]
                    sum_odd += run[i] * odd[i]
                coefficients[k, a] += sum_even
                coefficients[k, a + 1] += sum_odd
            j = stop
    return below, begin, end


@compiled
def distances_to_left(centers, moments, width, end):
    """Σ w (center_k − s) over the rows of the cells before ``end[k]``, which ascend, for every cell k.

    Walking upwards only non-negative numbers are added: nothing cancels, however far away the first cell lies.
    """
    result = np.empty(centers.size)
    total, mass, passed = 0.0, 0.0, 0
    for k in range(centers.size):
        if k > 0:
            total += mass * (centers[k] - centers[k - 1])
        while passed < end[k]:
            total += moments[passed, 0] * (centers[k] - centers[passed]) - moments[passed, 1] * width
            mass += moments[passed, 0]
            passed += 1
        result[k] = total
    return result
