"""The steps of a smoothed rank statistic over chunks of rows; what two chunks give adds up by ``+``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from podium._fast.lists.split import put, take
from podium._types import FloatArray, Sample
from podium.phi import Phi
from podium.phi.base import INNERMOST
from podium.sums.cells import CellDensity, CellField, CellSums
from podium.sums.points import PointDensity, PointField, PointSums
from podium.sums.spread import Spread

_BLOCK = 1 << 14  # rows whose φ is evaluated at once: memory stays small and in cache

# Cell moments (an array), or points.
Summary = Any


@dataclass(frozen=True, slots=True)
class PositiveTerms:
    """What the positives of a chunk add to the value and, by v_i = w_i φ'(F̂_h(s_i)) / Σ w, to every gradient.

    ``largest`` is the largest of the terms whose differences the entries of the gradient are.
    """

    value: float
    pull: Summary
    largest: float

    def __add__(self, other: PositiveTerms) -> PositiveTerms:
        return PositiveTerms(self.value + other.value, self.pull + other.pull, max(self.largest, other.largest))


@dataclass(frozen=True, slots=True)
class OwnTerm:
    """The total of a chunk, and the part of its gradient that is due to moving each positive among the rest."""

    total: PositiveTerms
    gradient: FloatArray


@dataclass(frozen=True, slots=True)
class FieldTerm:
    """The value, and the rest of the gradient as a function of a score."""

    value: float
    density: CellDensity | PointDensity
    largest: float
    is_accurate: bool = True


@dataclass(frozen=True, slots=True)
class SmoothedRanks:
    """F̂_h of a sample of given spread, and what φ makes of it."""

    phi: Phi
    spread: Spread
    bandwidth: float
    relative: bool
    sums: CellSums | PointSums

    @property
    def is_flat(self) -> bool:
        """Whether the bandwidth has no spread to follow: the gradient is then zero by convention."""
        return self.relative and self.spread.standard_deviation == 0

    def summarize(self, rows: Sample) -> Summary:
        """What the rows add to F̂_h and its density."""
        return self.sums.summarize(rows.scores, rows.weight)

    def finish(self, summary: Summary) -> CellField | PointField:
        """F̂_h and its density, from the summary of all rows."""
        return self.sums.finish(summary)

    def own_term(self, pooled: CellField | PointField, rows: Sample) -> OwnTerm:
        """φ(F̂_h) and φ'(F̂_h) at the positives (CLV21, Eq. 4.10 and 5.1)."""
        gradient = np.empty(len(rows.scores))
        room = np.empty((2, min(_BLOCK, len(gradient)) + 1))
        value, largest, pull = 0.0, 0.0, self.sums.summarize(gradient[:0], gradient[:0])
        for start in range(0, len(gradient), _BLOCK):
            block = slice(start, start + _BLOCK)
            is_positive = rows.is_positive[block]
            scores = take(rows.scores[block], is_positive, room[0])
            if len(scores) == 0:
                gradient[block] = 0.0
                continue
            cdf, density = pooled.at(scores)
            np.clip(cdf, *INNERMOST, out=cdf)  # F̂ may err below 0, or be 1 beside a weight that is all
            v, heights = self.phi.derivative(cdf), self.phi.value(cdf)
            if rows.weight is not None:
                weight = take(rows.weight[block], is_positive, room[1])
                v, heights = v * weight, heights * weight
            v *= 1 / self.spread.weight_positive
            density *= v
            density *= 1 / self.bandwidth
            put(density, is_positive, gradient[block])
            pull = self.sums.add(pull, scores, v)  # type: ignore[arg-type]  # of the kind that these sums use
            value += float(heights.sum()) / self.spread.weight_positive
            largest = max(largest, float(density.max()))
        return OwnTerm(PositiveTerms(value, pull, largest), gradient)

    def field_term(self, pooled: CellField | PointField, total: PositiveTerms) -> FieldTerm:
        """What every row feels from the positives (CLV21, Eq. 5.2), and from h where it moves with the spread.

        h = b·σ adds −(∂σ/∂s_j)/σ · Σ_k s_k g_k to the gradient g at fixed h; ∂σ/∂s_j = w_j (s_j − s̄)/(Σw σ).
        """
        density, stretch = pooled.against(total.pull)
        slope = 0.0
        if self.relative and not self.is_flat:
            slope = stretch / self.spread.squares
        scale = 1 / (self.spread.weight * self.bandwidth)
        return FieldTerm(total.value, density.scaled_and_tilted(scale, slope, self.spread.mean), total.largest)

    def gradient(self, field: FieldTerm, own: OwnTerm, rows: Sample) -> FloatArray:
        """The derivative of the value with respect to every score of a chunk; finishes ``own.gradient`` in place."""
        gradient = own.gradient
        if self.is_flat:
            gradient[:] = 0.0
        else:
            field.density.subtract_from(gradient, rows.scores, rows.weight)
        return gradient
