"""The steps of a smoothed rank statistic over chunks of rows; what two chunks give adds up by ``+``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from podium._input import FloatArray, Sample
from podium.criteria.cell_sums import CellDensity, CellField, Cells, CellSums
from podium.criteria.point_sums import PointDensity, PointField, PointSums
from podium.criteria.spread import Spread
from podium.kernels import Kernel, SmoothKernel
from podium.phi import Phi

_BLOCK = 1 << 15  # rows whose φ is evaluated at once: memory stays small and in cache
FINEST = 1e-12  # the least error of cell sums that rounding leaves room for

# Cell moments (an array), or points.
Summary = Any


@lru_cache
def _magnification(phi: Phi) -> float:
    """How much larger errors of F̂, about a fifth of those of its density, may be in φ'(F̂); at least 1."""
    if phi.sup_norm_second_derivative == np.inf:
        return np.inf  # φ' may be steep anywhere, as near the ends for normal scores
    return max(1.0, phi.sup_norm_second_derivative / phi.sup_norm_derivative / 5)


@dataclass(frozen=True, slots=True)
class Total:
    """What the positives of a chunk add to the value and, by v_i = w_i φ'(F̂_h(s_i)) / Σ w, to every gradient.

    ``largest`` is the largest of the terms whose differences the entries of the gradient are.
    """

    value: float
    pull: Summary
    largest: float

    def __add__(self, other: Total) -> Total:
        return Total(self.value + other.value, self.pull + other.pull, max(self.largest, other.largest))


@dataclass(frozen=True, slots=True)
class Pull:
    """The total of a chunk, and the part of its gradient that is due to moving each positive among the rest."""

    total: Total
    gradient: FloatArray


@dataclass(frozen=True, slots=True)
class Push:
    """The value, and the rest of the gradient as a function of a score."""

    value: float
    density: CellDensity | PointDensity
    largest: float


@dataclass(frozen=True, slots=True)
class SmoothedRanks:
    """F̂_h of a sample of given spread, and what φ makes of it."""

    phi: Phi
    spread: Spread
    bandwidth: float
    relative: bool
    sums: CellSums | PointSums

    @classmethod
    def fit(
        cls, phi: Phi, kernel: Kernel, bandwidth: float | None, relative: bool, tol: float, spread: Spread
    ) -> SmoothedRanks:
        """Bandwidth and cells for a sample."""
        phi = phi.bind(spread.weight)
        h = kernel.default_bandwidth(spread.weight) if bandwidth is None else float(bandwidth)
        if relative:
            # Where all scores are equal every bandwidth gives F̂ = ½.
            h = h * spread.standard_deviation or 1.0
        tol = max(FINEST, tol / _magnification(phi))
        if not isinstance(kernel, SmoothKernel):
            return cls(phi, spread, h, relative, PointSums(kernel, h, None))
        cells = Cells.fit(kernel, h, tol, spread.n_rows)
        if CellSums.affordable(cells, spread):
            return cls(phi, spread, h, relative, CellSums.covering(cells, spread))
        return cls(phi, spread, h, relative, PointSums(kernel, h, cells))

    def summarise(self, rows: Sample) -> Summary:
        """What the rows add to F̂_h and its density."""
        return self.sums.summarise(rows.scores, rows.weight)

    def finish(self, summary: Summary) -> CellField | PointField:
        """F̂_h and its density, from the summary of all rows."""
        return self.sums.finish(summary)

    def pull(self, pooled: CellField | PointField, rows: Sample) -> Pull:
        """φ(F̂_h) and φ'(F̂_h) at the positives (CLV21, Eq. 4.10 and 5.1)."""
        gradient = np.zeros(len(rows.scores))
        total = None
        for start in range(0, len(rows.scores), _BLOCK):
            block = slice(start, start + _BLOCK)
            is_positive = rows.is_positive[block]
            scores = rows.scores[block][is_positive]
            if len(scores) == 0:
                continue
            weight = 1.0 if rows.weight is None else rows.weight[block][is_positive]
            cdf, density = pooled.at(scores)
            cdf /= self.spread.weight
            share = weight / self.spread.weight_positive
            v = share * self.phi.derivative(cdf)
            term = v * density / (self.spread.weight * self.bandwidth)
            gradient[block][is_positive] = term
            here = Total(float(np.sum(share * self.phi.value(cdf))), self.sums.summarise(scores, v), float(term.max()))
            total = here if total is None else total + here
        if total is None:
            empty = np.empty(0)
            total = Total(0.0, self.sums.summarise(empty, empty), 0.0)
        return Pull(total, gradient)

    def push(self, pooled: CellField | PointField, total: Total) -> Push:
        """What every row feels from the positives (CLV21, Eq. 5.2), and from h where it moves with the spread.

        h = b·σ adds −(∂σ/∂s_j)/σ · Σ_k s_k g_k to the gradient g at fixed h; ∂σ/∂s_j = w_j (s_j − s̄)/(Σw σ).
        """
        density, stretch = pooled.against(total.pull)
        slope = 0.0
        if self.relative and self.spread.squares > 0:
            slope = stretch / (self.spread.weight * self.spread.squares)
        scale = 1 / (self.spread.weight * self.bandwidth)
        return Push(total.value, density.scaled_and_tilted(scale, slope, self.spread.mean), total.largest)

    def gradient(self, push: Push, pull: Pull, rows: Sample) -> FloatArray:
        """The derivative of the value with respect to every score of a chunk; finishes ``pull.gradient`` in place."""
        gradient = pull.gradient
        if self.relative and self.spread.standard_deviation == 0:
            gradient[:] = 0.0
        else:
            push.density.subtract_from(gradient, rows.scores, rows.weight)
        return gradient
