"""The steps of a smoothed rank statistic over chunks of rows; what two chunks give adds up by ``+``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from podium._fast.lists import put, take
from podium._types import FloatArray, Sample
from podium.phi import Phi
from podium.phi.classical import INNERMOST
from podium.sums.cells import CellDensity, CellField, CellSums
from podium.sums.frame import Frame, Spread
from podium.sums.points import PointDensity, PointField, PointSums

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
class FieldTerm:
    """The value, and the rest of the gradient as a function of a score."""

    value: float
    density: CellDensity | PointDensity
    largest: float
    is_accurate: bool = True


@dataclass(frozen=True, slots=True)
class SmoothedRanks:
    """F̂_h of a sample of given spread in a frame, and what φ makes of it."""

    phi: Phi
    spread: Spread
    frame: Frame
    bandwidth: float
    relative: bool
    sums: CellSums | PointSums

    visits_positives: ClassVar[bool] = True  # whether φ is evaluated at every positive, in a round of its own

    @property
    def is_flat(self) -> bool:
        """Whether the bandwidth has no spread to follow: the gradient is then zero by convention."""
        return self.relative and self.spread.standard_deviation == 0

    def summarize(self, rows: Sample, kept: Any = None) -> tuple[Summary, None]:
        """What the rows add to F̂_h and its density."""
        return self.sums.summarize(self.frame.place(rows.scores), rows.weight), None

    def finish(self, summary: Summary) -> CellField | PointField:
        """F̂_h and its density, from the summary of all rows."""
        return self.sums.finish(summary)

    def at_positives(
        self, pooled: CellField | PointField, rows: Sample, kept: Any = None
    ) -> tuple[PositiveTerms, FloatArray]:
        """φ(F̂_h) and φ'(F̂_h) at the positives (CLV21, Eq. 4.10 and 5.1); what moving each among the rest changes."""
        rows = self.frame.place_rows(rows)
        own = np.empty(int(np.count_nonzero(rows.is_positive)))
        room = np.empty((2, min(_BLOCK, len(rows.scores)) + 1))
        value, largest, pull, n_seen = 0.0, 0.0, self.sums.summarize(own[:0], own[:0]), 0
        for start in range(0, len(rows.scores), _BLOCK):
            block = slice(start, start + _BLOCK)
            is_positive = rows.is_positive[block]
            scores = take(rows.scores[block], is_positive, room[0])
            if len(scores) == 0:
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
            own[n_seen : n_seen + len(scores)] = density
            n_seen += len(scores)
            pull = self.sums.add(pull, scores, v)  # type: ignore[arg-type]  # of the kind that these sums use
            value += float(heights.sum()) / self.spread.weight_positive
            largest = max(largest, float(density.max()))
        return PositiveTerms(value, pull, largest), own

    def field_term(self, pooled: CellField | PointField, total: PositiveTerms | None) -> FieldTerm:
        """What every row feels from the positives (CLV21, Eq. 5.2), and from h where it moves with the spread.

        h = b·σ adds −(∂σ/∂s_j)/σ · Σ_k s_k g_k to the gradient g at fixed h; ∂σ/∂s_j = w_j (s_j − s̄)/(Σw σ).
        """
        assert total is not None
        density, stretch = pooled.against(total.pull)
        slope = 0.0
        if self.relative and not self.is_flat:
            slope = stretch / self.spread.squares
        scale = 1 / (self.spread.weight * self.bandwidth)
        return FieldTerm(total.value, density.scaled_and_tilted(scale, slope, self.spread.mean), total.largest)

    def gradient(self, field: FieldTerm, rows: Sample, own: FloatArray) -> FloatArray:
        """The derivative of the value with respect to every score of a chunk, in the frame."""
        gradient = np.zeros(len(rows.scores))
        if not self.is_flat:
            if len(own):
                put(own, rows.is_positive, gradient)
            field.density.subtract_from(gradient, self.frame.place(rows.scores), rows.weight)
        return gradient

    def try_gradient(self, field: FieldTerm, rows: Sample, own: FloatArray) -> tuple[int, FloatArray]:
        """Whether an entry of the gradient is as large as an eighth of the terms it is a difference of; and all."""
        gradient = self.gradient(field, rows, own)
        blocks = (gradient[start : start + _BLOCK] for start in range(0, len(gradient), _BLOCK))
        return int(any(np.abs(block).max() >= field.largest / 8 for block in blocks)), gradient  # mostly, the first one

    def finished_gradient(self, rows: Sample, gradient: FloatArray) -> FloatArray:
        """The same in the scores as they came."""
        return self.frame.gradient(gradient, self.bandwidth)
