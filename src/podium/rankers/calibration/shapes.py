"""Chances that rise with the score: of any shape, or with log-odds that are a line."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

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
        from sklearn.isotonic import isotonic_regression  # here: half a second to import, and no use has it but fitting

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


_FARTHEST = 1e100  # its square is a number, also times weights


@dataclass(frozen=True, eq=False)
class Platt:
    """Logistic regression on the score.

    Labels are drawn in as Platt does, to (n + 1)/(n + 2) and 1/(m + 2), so that separated classes have a curve, too.
    ``intercept`` and ``slope`` are those of (score − center)/spread.
    """

    center: float
    spread: float
    intercept: float
    slope: float

    @classmethod
    def fit(cls, scores: FloatArray, is_positive: BoolArray, weight: FloatArray | None = None) -> Platt:
        from sklearn.linear_model import LogisticRegression

        each = counted(weight, len(scores))
        if scores.min() == scores.max():  # whose mean may be off by a last bit, and that would be their spread
            scores = np.zeros(len(scores))
        largest = float(np.abs(scores).max())
        unit = largest if largest > _FARTHEST else 1.0  # squares of huge scores are no numbers
        middle = float(np.average(scores / unit, weights=each))
        deviation = float(np.sqrt(np.average((scores / unit - middle) ** 2, weights=each))) or 1.0
        z = (scores / unit - middle) / deviation
        n_pos, n_neg = each[is_positive].sum(), each[~is_positive].sum()
        target = np.where(is_positive, (n_pos + 1) / (n_pos + 2), 1 / (n_neg + 2))
        # A row of a target between 0 and 1 is one of either label, with that weight.
        # Next to no penalty: at none, scikit-learn 1.8 warns that there is none.
        line = LogisticRegression(C=1e10 / each.sum(), tol=1e-6).fit(
            np.tile(z, 2)[:, None], np.repeat([1, 0], len(z)), np.concatenate([each * target, each * (1 - target)])
        )
        intercept, slope = float(line.intercept_[0]), float(line.coef_[0, 0])
        if slope < 0:  # a larger score is no worse: the best that does not fall is level
            return cls.fit(np.zeros(len(scores)), is_positive, weight)
        return cls(unit * middle, unit * deviation, intercept, slope)

    def __call__(self, scores: FloatArray) -> FloatArray:
        """The chance of every score."""
        return np.asarray(expit(self.log_odds(scores)))

    def log_odds(self, scores: FloatArray) -> FloatArray:
        """The line."""
        return self.intercept + self.slope * self._standardized(scores)

    @property
    def even(self) -> float:
        """The score of a chance of one half."""
        if self.slope == 0:
            return float("-inf") if self.intercept > 0 else float("inf")
        return self.center - self.spread * self.intercept / self.slope

    def _standardized(self, scores: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            return np.clip((scores - self.center) / self.spread, -_FARTHEST, _FARTHEST)
