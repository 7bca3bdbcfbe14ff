"""Rows of two classes apart and back together, without branches: classes in random order would mispredict them."""

from __future__ import annotations

import numpy as np

from podium._fast.compiled import compiled


@compiled
def split(values, is_first):
    """The values of the first class and those of the other, each in the order of the rows."""
    n = values.size
    n_first = is_first.sum()
    first, other = np.empty(n_first + 1), np.empty(n - n_first + 1)
    i = j = 0
    for r in range(n):
        first[i] = values[r]
        other[j] = values[r]
        i += is_first[r]
        j += 1 - is_first[r]
    return first[:n_first], other[: n - n_first]


@compiled
def join(first, other, is_first):
    """The inverse of :func:`split`."""
    both = np.concatenate((first, other))
    values = np.empty(is_first.size)
    i, j = 0, first.size
    for r in range(is_first.size):
        values[r] = both[i if is_first[r] else j]
        i += is_first[r]
        j += 1 - is_first[r]
    return values
