"""Pairs in the right order, counted cell by cell: O(N), nothing beyond a cell is put in order.

The rarer class of a cell is settled, the other looked up in its finer cells.
"""

from __future__ import annotations

import numpy as np

from podium._fast.compiled import compiled
from podium._fast.order import settle


@compiled
def twice_wins(values, starts, n_cells, settled, unit, room):
    """Twice the number of pairs in which a row of the class looked up is above one of the class settled.

    ``values`` are by cell, those of the negatives before those of the positives; ``settled`` is 0 for the former. Below
    2⁶³ for up to 4·10⁹ rows.
    """
    total = passed = np.int64(0)
    own, other = settled * n_cells, (1 - settled) * n_cells
    for c in range(n_cells):
        begin, end = starts[own + c], starts[own + c + 1]
        looked_up = values[starts[other + c] : starts[other + c + 1]]
        total += 2 * passed * looked_up.size
        if end > begin and looked_up.size > 0:
            total += _within(values[begin:end], looked_up, unit, room)
        passed += end - begin
    return total


@compiled
def _within(settled, looked_up, unit, room):
    low, high = settle.span(settled)
    total = np.int64(0)
    if low == high:
        for i in range(looked_up.size):
            total += np.int64(looked_up[i] > low) + np.int64(looked_up[i] >= low)
        return total * settled.size
    cells, starts, ordered, _ = room
    n_fine, slope = settle.fine_cells(settled, low, high, unit)
    settle.locate(settled, low, unit, slope, n_fine, cells)
    settle.sort_by_cell(settled, None, cells, n_fine, starts, ordered, None)
    settle.locate(looked_up, low, unit, slope, n_fine, cells)
    for i in range(looked_up.size):
        x, c = looked_up[i], np.uint32(cells[i])
        begin, end = starts[c], starts[c + 1]
        first = ordered[np.uint32(begin)]  # there is one place more than scores
        total += 2 * begin + np.int64(begin < end) * (np.int64(x > first) + np.int64(x >= first))
        if end - begin > 1:
            total += _further(ordered, begin + 1, end, x)
    return total


@compiled
def _further(ordered, begin, end, x):
    """#{< x} + #{≤ x} among the values from ``begin`` to ``end``, which ascend."""
    total = np.int64(0)
    low, high = begin, end
    while low < high:
        middle = (low + high) // 2
        if ordered[middle] < x:
            low = middle + 1
        else:
            high = middle
    total += low - begin
    high = end
    while low < high:
        middle = (low + high) // 2
        if ordered[middle] <= x:
            low = middle + 1
        else:
            high = middle
    return total + low - begin
