"""Weight, mean and sum of squares about it, in one pass over memory."""

from __future__ import annotations

from podium._fast.compiled import compiled_reduction

_BLOCK = 2048  # rows that stay in the nearest cache between the mean and the squares about it


@compiled_reduction
def spread(values, weight):
    """Moments by blocks, each centered on its own mean, then merged: no cancellation however large an outlier.

    ``weight`` is None where all weigh one.
    """
    total, mean, squares = 0.0, 0.0, 0.0
    for start in range(0, values.size, _BLOCK):
        block = values[start : start + _BLOCK]
        block_weight, block_sum, block_squares = 0.0, 0.0, 0.0
        for i in range(block.size):
            w = 1.0 if weight is None else weight[start + i]
            block_weight += w
            block_sum += w * block[i]
        block_mean = block_sum / block_weight
        for i in range(block.size):
            w = 1.0 if weight is None else weight[start + i]
            block_squares += w * (block[i] - block_mean) ** 2
        share = block_weight / (total + block_weight)
        shift = block_mean - mean
        squares += block_squares + shift * shift * total * share
        mean += shift * share
        total += block_weight
    return total, mean, squares
