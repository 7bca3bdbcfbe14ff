"""Chances that rise with the score, whatever the shape."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.isotonic import isotonic_regression

from podium._fast.order import groups_of_rows
from podium._shares import counted
from podium._types import BoolArray, FloatArray


@dataclass(frozen=True, eq=False)
class Isotonic:
    """The increasing step function nearest to the labels, with broken lines between its blocks.

    A block of equal chance has (hits + π)/(rows + 1), π being the share of all rows, so that no chance is 0 or 1.
    """

    knots: FloatArray
    chances: FloatArray

    @classmethod
    def fit(cls, scores: FloatArray, is_positive: BoolArray, weight: FloatArray | None = None) -> Isotonic:
        each = counted(weight, len(scores))
        values, group = groups_of_rows(scores)
        rows, hits = (np.bincount(group, mass).astype(np.float64) for mass in (each, each * is_positive))
        block = np.unique(isotonic_regression(hits / rows, sample_weight=rows), return_inverse=True)[1]
        rows, hits = (np.bincount(block, sums).astype(np.float64) for sums in (rows, hits))
        starts = np.searchsorted(block, np.arange(len(rows) + 1))
        knots = np.column_stack([values[starts[:-1]], values[starts[1:] - 1]]).ravel()  # a block is level
        chances = np.maximum.accumulate((hits + hits.sum() / rows.sum()) / (rows + 1))
        return cls(knots, np.repeat(chances, 2))

    def __call__(self, scores: FloatArray) -> FloatArray:
        """The chance of every score."""
        return np.interp(scores, self.knots, self.chances)

    @property
    def even(self) -> float:
        """The largest score of a chance of one half or less."""
        if self.chances[-1] <= 0.5:
            return float("inf")
        after = int(np.searchsorted(self.chances, 0.5, side="right"))
        if after == 0:
            return float("-inf")
        low, high = self.chances[after - 1], self.chances[after]
        return float(self.knots[after - 1] + (self.knots[after] - self.knots[after - 1]) * (0.5 - low) / (high - low))
