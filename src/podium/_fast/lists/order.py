"""The rows of a class by ascending score, faster than an argsort: NumPy sorts whole numbers several times as fast."""

from __future__ import annotations

import numpy as np

from podium._fast.compiled import compiled

_MOVES_PER_ROW = 8  # beyond, too many scores differ only in digits that the keys have no room for


def ascending(scores, is_chosen):
    """Row numbers of the chosen rows by ascending score, and these scores.

    The upper bits of a floating-point number, as a whole number, order as the number does; the row number takes the
    lower ones. Scores that agree in the upper bits are settled by insertion.
    """
    centre = np.median(scores[:: len(scores) // 100 + 1])  # leaves more bits for differences where all scores are large
    n_bits = max(int(len(scores) - 1).bit_length(), 1)
    with np.errstate(over="ignore"):  # infinite differences tie, and are settled
        keys = _keys((scores - centre).view(np.int64), is_chosen, n_bits)
    keys.sort()
    rows, values = np.empty(len(keys), np.int64), np.empty(len(keys))
    if not _settled(keys, n_bits, scores, rows, values):
        rows = np.flatnonzero(is_chosen)
        rows = rows[np.argsort(scores[rows])]
        values = scores[rows]
    return rows, values


@compiled
def _keys(bits, is_chosen, n_bits):
    """Of the chosen rows, without branches: classes in random order would mispredict them."""
    keys = np.empty(is_chosen.sum() + 1, np.int64)
    row_bits = np.int64((1 << n_bits) - 1)
    k = 0
    for r in range(bits.size):
        # bits of negative numbers order backwards, unless all but the sign are flipped
        ordered = bits[r] ^ ((bits[r] >> np.int64(63)) & np.int64(0x7FFFFFFFFFFFFFFF))
        keys[k] = (ordered & ~row_bits) | np.int64(r)
        k += is_chosen[r]
    return keys[:-1]


@compiled
def _settled(keys, n_bits, scores, rows, values):
    """Fills rows and values in order; whether that took few moves."""
    row_bits = np.int64((1 << n_bits) - 1)
    for i in range(keys.size):
        rows[i] = keys[i] & row_bits
        values[i] = scores[rows[i]]
    n_moves = 0
    for i in range(1, keys.size):
        row, value, j = rows[i], values[i], i
        while j > 0 and values[j - 1] > value:
            rows[j], values[j] = rows[j - 1], values[j - 1]
            j -= 1
        if j < i:
            rows[j], values[j] = row, value
            n_moves += i - j
            if n_moves > _MOVES_PER_ROW * keys.size:
                return False
    return True
