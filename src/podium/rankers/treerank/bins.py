"""Columns as bins: numbers between cuts, categories by their codes, and bin 0 for what is missing or unknown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from podium._types import BoolArray, FloatArray

MOST = 255  # bins of a column, without the one for missing values
Codes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Bins:
    """The cuts between bins of every column; for a column of categories, the codes that have bins of their own."""

    cuts: tuple[FloatArray, ...]
    is_categorical: BoolArray
    has_missing: BoolArray

    @classmethod
    def of(cls, X: FloatArray, weight: FloatArray, categorical: Sequence[int]) -> Bins:
        """Bins of about equal mass, one for each value where values are few; of categories, the most frequent ones."""
        is_categorical = np.isin(np.arange(X.shape[1]), list(categorical))
        cuts = []
        for values, by_code in zip(X.T, is_categorical, strict=True):
            known = ~np.isnan(values)
            distinct, which = np.unique(values[known], return_inverse=True)
            mass = np.asarray(np.bincount(which, weight[known], len(distinct)), dtype=np.float64)
            cuts.append(_frequent(distinct, mass) if by_code else _cuts(distinct, mass))
        return cls(tuple(cuts), is_categorical, np.asarray(np.isnan(X).any(axis=0)))

    @property
    def n_bins(self) -> npt.NDArray[np.intp]:
        """How many bins every column has, with the one for missing values."""
        return np.array([len(cuts) for cuts in self.cuts]) + np.where(self.is_categorical, 1, 2)

    def codes(self, X: FloatArray) -> Codes:
        """The bin of every value."""
        out = np.empty(X.shape, dtype=np.uint8)
        for j, (cuts, by_code) in enumerate(zip(self.cuts, self.is_categorical, strict=True)):
            values = X[:, j]
            place = np.searchsorted(cuts, values)
            if by_code:
                place = np.minimum(place, max(len(cuts) - 1, 0))
                known = cuts[place] == values if len(cuts) else np.zeros(len(values), dtype=np.bool_)
            else:
                known = ~np.isnan(values)
            out[:, j] = np.where(known, place + 1, 0)
        return out


def _cuts(distinct: FloatArray, mass: FloatArray) -> FloatArray:
    """Midway between neighboring values: no value of a row is kept."""
    if len(distinct) > MOST:
        upto = np.cumsum(mass)
        # A value belongs to the bin in which the middle of its mass falls.
        bins = np.floor((upto - mass / 2) * (MOST / upto[-1]))
        last = np.flatnonzero(np.diff(bins) > 0)
    else:
        last = np.arange(len(distinct) - 1)
    low, high = distinct[last], distinct[last + 1]
    middle = low / 2 + high / 2
    return np.where(middle < high, middle, low)  # rounding must not lift the cut to the value above it


def _frequent(distinct: FloatArray, mass: FloatArray) -> FloatArray:
    return np.sort(distinct[np.lexsort((distinct, -mass))[:MOST]])
