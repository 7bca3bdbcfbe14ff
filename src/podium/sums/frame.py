"""Where scores lie and how far they spread; and from where and in which unit they are measured.

Sums over pairs see differences only. Far from zero, a score divided into cells loses the digits in which its neighbors
differ, and two scores near the ends of the floating-point range have no difference: both are mended before a sum.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import frexp, isfinite, ldexp

import numpy as np

from podium._fast.reductions import spread
from podium._types import FloatArray, Sample
from podium.exceptions import InputError

_FAR = 2048  # halves of the range of the scores that lie between them and zero
_ORDINARY = 1e100  # between this and its reciprocal, squares and products are far from overflow
_NOT_FINITE = "A criterion needs finite scores; got some that overflow."
_SCALE = "scale the features, or divide the scores by their standard deviation."
_NARROWEST = 1e-290  # a slope over less may overflow


@dataclass(frozen=True, slots=True)
class Frame:
    """Scores become (s − origin)/unit; the unit is a power of two, and one unless the scores are huge or tiny."""

    origin: float
    unit: float

    @classmethod
    def scale_free(cls, low: float, high: float) -> Frame:
        """For scores from ``low`` to ``high`` of which only ratios of differences count."""
        if not isfinite(low) or not isfinite(high):
            raise InputError(_NOT_FINITE, _SCALE)
        origin = _origin(low, high)
        size = max(abs(low - origin), abs(high - origin))
        ordinary = size == 0 or 1 / _ORDINARY <= size <= _ORDINARY
        return cls(origin, 1.0 if ordinary else ldexp(1.0, frexp(size)[1] - 1))

    @classmethod
    def in_units_of_one(cls, low: float, high: float) -> Frame:
        """For scores from ``low`` to ``high`` whose differences count as they are; refused where these may overflow."""
        if not isfinite(low) or not isfinite(high):
            raise InputError(_NOT_FINITE, _SCALE)
        if max(-low, high) > _ORDINARY:
            raise InputError(
                f"A push needs scores within ±{_ORDINARY:g}, as it depends on their differences in units of one; "
                f"got {low if -low > high else high:g}.",
                "divide the scores by their standard deviation.",
            )
        return cls(_origin(low, high), 1.0)

    @property
    def is_plain(self) -> bool:
        """Whether nothing changes."""
        return self.origin == 0 and self.unit == 1

    def gradient(self, gradient: FloatArray, bandwidth: float) -> FloatArray:
        """The derivative in the scores as they were, from that in this frame, a slope over ``bandwidth``."""
        if self.unit == 1:
            return gradient
        if self.unit * bandwidth < _NARROWEST:
            raise InputError(
                f"A gradient needs a bandwidth above {_NARROWEST:g}; got {self.unit * bandwidth:g}, as the scores "
                "differ so little.",
                "multiply the scores by a number.",
            )
        return gradient / self.unit

    def place(self, scores: FloatArray) -> FloatArray:
        """Scores in this frame."""
        if self.is_plain:
            return scores
        return (scores - self.origin) / self.unit

    def place_rows(self, rows: Sample) -> Sample:
        """Rows with their scores in this frame."""
        return rows if self.is_plain else replace(rows, scores=self.place(rows.scores))


PLAIN = Frame(0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Extent:
    """The lowest and the highest score, and how many rows there are. ``a + b`` is that of both."""

    low: float
    high: float
    n_rows: int

    @classmethod
    def of(cls, rows: Sample, kept: None = None) -> tuple[Extent, None]:
        """Of the rows of a chunk, as a step of rounds."""
        return cls(float(rows.scores.min()), float(rows.scores.max()), len(rows.scores)), None

    def __add__(self, other: Extent) -> Extent:
        return Extent(min(self.low, other.low), max(self.high, other.high), self.n_rows + other.n_rows)


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


def _origin(low: float, high: float) -> float:
    """Zero, or where all scores lie far from it the one nearest to it: differences from there are exact (Sterbenz)."""
    nearest = low if low > 0 else high if high < 0 else 0.0
    return nearest if abs(nearest) / _FAR > high / 2 - low / 2 else 0.0
