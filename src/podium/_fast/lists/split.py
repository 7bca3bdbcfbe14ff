"""Rows of two classes apart and back together, without branches: classes in random order would mispredict them."""

from __future__ import annotations

import numpy as np

from podium._fast.compiled import compiled


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
