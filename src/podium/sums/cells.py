"""Sums of a smooth kernel over all pairs of rows, from moments per cell: linear time, no sort, small summaries."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, factorial, frexp, ldexp

import numpy as np

from podium._fast.sums.cells import LOOPS, local_polynomials
from podium._types import BoolArray, FloatArray
from podium.kernels import SmoothKernel
from podium.sums.spread import Spread

# Cells per row up to which every cell is stored; above, most are empty and points are sorted instead.
_CELLS_PER_ROW = 1 / 4
_ALWAYS_AFFORDABLE = 4096

FINEST = 1e-12  # the least error of cell sums that rounding leaves room for


@lru_cache
def interpolation(order: int) -> tuple[FloatArray, FloatArray]:
    """Chebyshev nodes of a cell, and the matrix from values at them to coefficients of rising powers."""
    nodes = 0.5 * np.cos(np.pi * (np.arange(order) + 0.5) / order)
    return nodes, np.asarray(np.linalg.inv(np.vander(nodes, increasing=True)), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Cells:
    """Cells of width ``width``, a power of two, with ``order`` moments each; tables reach ``reach`` cells far."""

    kernel: SmoothKernel
    bandwidth: float
    width: float
    order: int
    reach: int

    @classmethod
    def fit(cls, kernel: SmoothKernel, bandwidth: float, tol: float, n_rows: int) -> Cells:
        """Cells narrow enough for errors below ``tol`` · K(0) per pair.

        Interpolating K at q Chebyshev nodes in both arguments over cells of width h/ρ errs by at most
        2 sup|K^(q)| / (q! 2^(q−1)) · (1/2ρ)^q. What lies beyond the reach weighs little beside ``tol``, or
        beside ``tol`` of one row where φ may magnify it.
        Half of ``tol`` is aimed at: an entry of a gradient is a difference of two sums.
        """
        order = 4 if tol >= 3e-7 else 6 if tol >= 1e-8 else 8  # where either reaches tol, the faster
        at_unit_width = 2 * kernel.steepness[order] / (factorial(order) * 2 ** (2 * order - 1))
        width = ldexp(0.5, frexp(bandwidth * (tol / 2 / at_unit_width) ** (1 / order))[1])
        mass = tol / 20 if tol > FINEST else tol / (2 * n_rows)
        reach = ceil(kernel.reach(mass) * bandwidth / width) + 1
        return cls(kernel, bandwidth, width, order, reach)

    def first_and_last(self, low: float, high: float) -> tuple[float, float]:
        return float(np.floor(low / self.width + 0.5)), float(np.floor(high / self.width + 0.5))

    def table(self, max_offset: float) -> FloatArray:
        """What moment b of a cell d further right adds to coefficient a of Σκ, ΣK and ΣtK, at ``[a, reach + d, b]``."""
        q, reach = self.order, int(min(self.reach, max_offset))
        nodes, to_coefficients = interpolation(q)
        offset = np.arange(-reach, reach + 1)[:, None, None] + nodes - nodes[:, None]
        t = -offset * (self.width / self.bandwidth)
        density = self.kernel.density(t)
        parts = [to_coefficients @ values @ to_coefficients.T for values in (self.kernel.cdf(t), density, t * density)]
        return np.ascontiguousarray(np.concatenate(parts, axis=1).transpose(1, 0, 2))


@dataclass(frozen=True, slots=True)
class CellSums:
    """Sums over pairs of rows whose scores lie in the range of a sample; a summary is an array of cell moments."""

    cells: Cells
    first: float
    n_cells: int

    @staticmethod
    def affordable(cells: Cells, spread: Spread) -> bool:
        """Whether cells without gaps cover the sample at small cost."""
        first, last = cells.first_and_last(spread.low, spread.high)
        return last - first < max(_ALWAYS_AFFORDABLE, spread.n_rows * _CELLS_PER_ROW)

    @classmethod
    def covering(cls, cells: Cells, spread: Spread) -> CellSums:
        first, last = cells.first_and_last(spread.low, spread.high)
        return cls(cells, first, int(last - first) + 1)

    @property
    def n_nodes(self) -> int:
        """Nodes of interpolation in all cells."""
        return self.n_cells * self.cells.order

    def summarize(
        self, scores: FloatArray, weight: FloatArray | None, is_positive: BoolArray | None = None
    ) -> FloatArray:
        """Moments per cell, of negatives and then of positives if told apart; they add up over chunks of rows."""
        moments = np.zeros((self.n_cells if is_positive is None else 2 * self.n_cells, self.cells.order))
        self.add(moments, scores, weight, is_positive)
        return moments

    def add(
        self, moments: FloatArray, scores: FloatArray, weight: FloatArray | None, is_positive: BoolArray | None = None
    ) -> FloatArray:
        """The moments with those of more rows added in place."""
        add_moments, _, _ = LOOPS[self.cells.order]
        add_moments(scores, weight, is_positive, 1 / self.cells.width, self.first, moments)
        return moments

    def finish(self, moments: FloatArray) -> CellField:
        """From the summary of all rows to the sums as functions of a score, divided by the weight of all rows."""
        q, ids = self.cells.order, np.arange(self.n_cells, dtype=np.float64)
        table = self.cells.table(self.n_cells - 1)
        coefficients = np.empty((self.n_cells, 3 * q))
        occupied = moments[:, 0] > 0
        coefficients[:, 0] += local_polynomials(ids, moments, occupied, table, 0, coefficients)[0]
        coefficients /= moments[:, 0].sum()
        cdf, density, stretch = (np.ascontiguousarray(part) for part in np.split(coefficients, 3, axis=1))
        return CellField(self, occupied, table[q : 2 * q], cdf, density, stretch)


@dataclass(frozen=True, slots=True)
class CellField:
    """F̂_h(t) = Σ_l w_l κ((t − s_l)/h) / Σ_l w_l and h·F̂_h'(t) as polynomials in each cell."""

    sums: CellSums
    occupied: BoolArray
    table: FloatArray
    cdf: FloatArray
    density: FloatArray
    stretch: FloatArray

    def at(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Both at every score."""
        _, evaluate, _ = LOOPS[self.sums.cells.order]
        cdf, density = np.empty(len(scores)), np.empty(len(scores))
        evaluate(scores, 1 / self.sums.cells.width, self.sums.first, self.cdf, self.density, cdf, density)
        return cdf, density

    def against(self, moments: FloatArray) -> tuple[CellDensity, float]:
        """Σ_i v_i K((t − s_i)/h) as a function of t; Σ_i Σ_l v_i w_l t K(t) / Σ_l w_l with t = (s_i − s_l)/h."""
        ids = np.arange(self.sums.n_cells, dtype=np.float64)
        coefficients = np.empty_like(moments)
        local_polynomials(ids, moments, self.occupied, self.table, 0, coefficients)
        return CellDensity(self.sums, coefficients), float(np.vdot(self.stretch, moments))


@dataclass(frozen=True, slots=True)
class CellDensity:
    """A function of a score that is a polynomial in each cell."""

    sums: CellSums
    coefficients: FloatArray

    def scaled_and_tilted(self, scale: float, slope: float, origin: float) -> CellDensity:
        """The function scale · this(t) + slope · (t − origin) of t."""
        coefficients = scale * self.coefficients
        centres = (self.sums.first + np.arange(self.sums.n_cells)) * self.sums.cells.width
        coefficients[:, 0] += slope * (centres - origin)
        coefficients[:, 1] += slope * self.sums.cells.width
        return CellDensity(self.sums, coefficients)

    def subtract_from(
        self, out: FloatArray, scores: FloatArray, weight: FloatArray | None, is_positive: BoolArray | None = None
    ) -> None:
        """Subtract w · this(s) from ``out``, row by row."""
        _, _, subtract = LOOPS[self.sums.cells.order]
        subtract(scores, weight, is_positive, 1 / self.sums.cells.width, self.sums.first, self.coefficients, out)
