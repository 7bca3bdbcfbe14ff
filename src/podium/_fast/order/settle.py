"""The rows of one cell in exact order: finer cells, one more counting pass, and insertion. O(n) for scores that spread.

Where too many lie closer together than these cells tell apart, a heap sort: never worse than O(n log n).
"""

from __future__ import annotations

import numpy as np

from podium._fast.compiled import compiled, compiled_reduction

_FINE_PER_ROW = 2  # cells: most hold one score or none
_FEW = 12  # rows: insertion alone is faster
_MOVES_PER_ROW = 8  # beyond, a heap sort is faster


@compiled_reduction
def span(values):
    """The smallest and the largest of the values."""
    low = high = values[0]
    for i in range(values.size):
        low = min(low, values[i])
        high = max(high, values[i])
    return low, high


def buffers(n_rows, with_rows):
    """Room to settle up to ``n_rows`` at once: fine cells, where these begin, scores, and row numbers if any."""
    n_fine = _FINE_PER_ROW << max(n_rows - 1, 1).bit_length()
    rows = np.empty(n_rows, np.uint32) if with_rows else None
    return np.empty(n_rows, np.int32), np.empty(n_fine + 1, np.int32), np.empty(n_rows + 1), rows


@compiled
def fine_cells(values, low, high, unit):
    """How many finer cells between two values, and how many per unit."""
    n_fine = _FINE_PER_ROW
    while n_fine < _FINE_PER_ROW * values.size:
        n_fine *= 2
    slope = n_fine / (high * unit - low * unit)
    return n_fine, slope if slope < np.inf else 0.0


@compiled
def locate(values, low, unit, slope, n_fine, cells):
    """The finer cell of each value; those beyond the ends count to the first and the last."""
    base, last = low * unit, n_fine - 1.0
    for i in range(values.size):
        place = (values[i] * unit - base) * slope
        place = place if place > 0.0 else 0.0
        place = place if place < last else last
        cells[i] = np.int32(place)


@compiled
def sort_by_cell(values, rows, cells, n_fine, starts, sorted_values, sorted_rows):
    """Values, and rows unless None, in exact order; ``starts[c]`` is where cell c begins."""
    n = values.size
    for c in range(n_fine + 1):
        starts[c] = 0
    for i in range(n):
        starts[np.uint32(cells[i])] += np.int32(1)
    passed = np.int32(0)
    for c in range(n_fine + 1):
        passed += starts[c]
        starts[c] = passed
    for i in range(n - 1, -1, -1):  # from behind: equal scores keep the order of their rows
        c = np.uint32(cells[i])
        place = starts[c] - np.int32(1)
        starts[c] = place
        sorted_values[np.uint32(place)] = values[i]
        if rows is not None:
            sorted_rows[np.uint32(place)] = rows[i]
    _repair(sorted_values, sorted_rows, n)


@compiled
def settle(values, rows, unit, room):
    """Put the values of one cell in order, in place, and their rows with them unless None."""
    low, high = span(values)
    if low == high:
        return
    if values.size <= _FEW:
        _repair(values, rows, values.size)
        return
    cells, starts, sorted_values, sorted_rows = room
    n_fine, slope = fine_cells(values, low, high, unit)
    locate(values, low, unit, slope, n_fine, cells)
    sort_by_cell(values, rows, cells, n_fine, starts, sorted_values, sorted_rows)
    for i in range(values.size):  # loops, not slices: those take seconds to compile
        values[i] = sorted_values[i]
        if rows is not None:
            rows[i] = sorted_rows[i]


@compiled
def settle_all(values, rows, starts, unit, room):
    """The same for every cell; cell c begins at ``starts[c]``."""
    for c in range(starts.size - 1):
        begin, end = starts[c], starts[c + 1]
        if end - begin > 1:
            settle(values[begin:end], None if rows is None else rows[begin:end], unit, room)


@compiled
def _repair(values, rows, n):
    """The first ``n`` in order, which nearly are."""
    moves_left = _MOVES_PER_ROW * n
    for i in range(1, n):
        value = values[i]
        if not values[i - 1] > value:
            continue
        j = i
        row = np.uint32(0) if rows is None else rows[i]
        while j > 0 and values[j - 1] > value:
            values[j] = values[j - 1]
            if rows is not None:
                rows[j] = rows[j - 1]
            j -= 1
        values[j] = value
        if rows is not None:
            rows[j] = row
        moves_left -= i - j
        if moves_left < 0:
            _heap_sort(values, rows, n)
            return


@compiled
def _heap_sort(values, rows, n):
    """The first half of the rounds makes a heap, the second takes the largest off it again and again."""
    for step in range(n + n // 2 - 1):
        at, end = n // 2 - 1 - step, n
        if at < 0:
            at, end = 0, n + n // 2 - 1 - step
            _swap(values, rows, 0, end)
        while 2 * at + 1 < end:
            child = 2 * at + 1
            if child + 1 < end and values[child + 1] > values[child]:
                child += 1
            if not values[child] > values[at]:
                break
            _swap(values, rows, at, child)
            at = child


@compiled
def _swap(values, rows, i, j):
    value = values[i]
    values[i] = values[j]
    values[j] = value
    if rows is not None:
        row = rows[i]
        rows[i] = rows[j]
        rows[j] = row
