"""Size, center and spread of a sample of scores: adds up over chunks of rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from podium._fast.reductions import spread
from podium._types import Sample


@dataclass(frozen=True, slots=True)
class Spread:
    """Rows, weights, mean, squares about it, and range of the scores of a sample. ``a + b`` is that of both."""

    n_rows: int
    n_positives: int
    weight: float
    weight_positive: float
    heaviest: float
    mean: float
    squares: float
    low: float
    high: float

    @classmethod
    def of(cls, rows: Sample) -> Spread:
        """The spread of the rows of one chunk; scores are of type float64."""
        weight, mean, squares = spread(rows.scores, rows.weight)
        n_positives = int(np.count_nonzero(rows.is_positive))
        positive = n_positives if rows.weight is None else rows.weight @ rows.is_positive
        heaviest = 1.0 if rows.weight is None else rows.weight.max()
        low, high = rows.scores.min(), rows.scores.max()
        return cls(len(rows.scores), n_positives, weight, float(positive), heaviest, mean, squares, low, high)

    def __add__(self, other: Spread) -> Spread:
        weight = self.weight + other.weight
        shift = other.mean - self.mean
        return Spread(
            self.n_rows + other.n_rows,
            self.n_positives + other.n_positives,
            weight,
            self.weight_positive + other.weight_positive,
            max(self.heaviest, other.heaviest),
            self.mean + shift * (other.weight / weight),
            self.squares + other.squares + shift * shift * self.weight * (other.weight / weight),
            min(self.low, other.low),
            max(self.high, other.high),
        )

    @property
    def standard_deviation(self) -> float:
        """√(Σ w (s − s̄)² / Σ w), exactly 0 where all scores are equal."""
        return float(np.sqrt(self.squares / self.weight)) if self.low < self.high else 0.0
