"""Which cells hold values, and the number of each among them: a hash table of whole numbers, O(1) a value.

Keys are the bits of the cells' numbers as floating point, so that these may be as large as they come. A table has a
power of two of slots and is at most half full.
"""

from __future__ import annotations

import numpy as np

from podium._fast.compiled import compiled

_BLOCK = 256  # values located at once: this part vectorises, the search does not
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
