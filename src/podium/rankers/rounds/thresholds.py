"""Columns cut at thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from podium._fast.order import groups_of_rows
from podium._types import FloatArray


@dataclass(frozen=True, eq=False)
class BinnedColumns:
    """Thresholds of every column, ascending, and the bin of every row: how many thresholds lie below its value."""

    thresholds: list[FloatArray]
    bins: npt.NDArray[Any]  # a column per row of this matrix, so that a scan over a column is contiguous

    @classmethod
    def fit(cls, X: FloatArray, weight: FloatArray | None, max_thresholds: int) -> BinnedColumns:
        """Midway between neighboring values, all of them or such that the bins have about equal weight."""
        thresholds = [_thresholds(column, weight, max_thresholds) for column in X.T]
        most = max(len(each) for each in thresholds)
        bins = np.empty((X.shape[1], len(X)), np.uint8 if most < 2**8 else np.uint16 if most < 2**16 else np.uint32)
        for c, each in enumerate(thresholds):
            bins[c] = np.searchsorted(each, X[:, c])  # a value equal to a threshold is not above it
        return cls(thresholds, bins)

    @property
    def n_bins(self) -> npt.NDArray[np.intp]:
        return np.array([len(each) + 1 for each in self.thresholds])


def _thresholds(column: FloatArray, weight: FloatArray | None, max_thresholds: int) -> FloatArray:
    values, group = groups_of_rows(column)
    gaps = len(values) - 1
    if gaps > max_thresholds:
        passed = np.cumsum(np.bincount(group, weight))[:-1]  # weight at or below each gap
        wanted = np.linspace(0, np.bincount(group, weight).sum(), max_thresholds + 2)[1:-1]
        chosen = np.unique(np.minimum(np.searchsorted(passed, wanted * (1 - 1e-12)), gaps - 1))
    else:
        chosen = np.arange(gaps)
    low, high = values[chosen], values[chosen + 1]
    middle = low + (high / 2 - low / 2)  # a difference may overflow, half of it cannot
    return np.where(middle < high, middle, low)  # between neighboring floats there is no middle
