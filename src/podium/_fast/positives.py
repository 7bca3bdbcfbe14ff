"""Rows of the positives, taken out and put back without a branch that the processor would have to guess."""

from __future__ import annotations

from podium._fast.compiled import compiled


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
