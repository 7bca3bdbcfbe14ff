"""The best threshold of all columns, by one scan over binned columns: O(rows · columns)."""

from __future__ import annotations

import numpy as np

from podium._fast.compiled import compiled


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
