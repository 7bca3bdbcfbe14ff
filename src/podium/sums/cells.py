"""Sums of a smooth kernel over all pairs of rows, from moments per cell: linear time, no sort, small summaries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, factorial, frexp, ldexp

import numpy as np

from podium._fast.sums.cells import LOOPS, local_polynomials
from podium._types import BoolArray, FloatArray
from podium.kernels import SmoothKernel
from podium.sums.occupied import Table, numbered
from podium.sums.spread import Spread

CELLS_PER_ROW = 1 / 4  # up to which cells are fewer than what is known of every row; above, points are sorted instead
_FEW_PER_ROW, _FEW = 1 / 64, 4096  # cells of which it does not matter how many are empty
_SLAB = 1 << 13  # cells whose sums are computed at once

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

    def n_cells(self, spread: Spread) -> float:
        """Cells from the lowest to the highest score."""
        first, last = self.first_and_last(spread.low, spread.high)
        return last - first + 1

    def are_few(self, spread: Spread) -> bool:
        """Whether it does not matter how many of them are empty."""
        return self.n_cells(spread) <= max(_FEW, spread.n_rows * _FEW_PER_ROW)

    def table(self, max_offset: float) -> FloatArray:
        """What moment b of a cell d further right adds to coefficient a of Σκ, ΣK and ΣtK, at ``[a, reach + d, b]``."""
        t = self._offsets(max_offset)
        density = self.kernel.density(t)
        return self._coefficients(self.kernel.cdf(t), density, t * density)

    def density_table(self, max_offset: float) -> FloatArray:
        """The part of ΣK alone."""
        return self._coefficients(self.kernel.density(self._offsets(max_offset)))

    def _offsets(self, max_offset: float) -> FloatArray:
        """From the nodes of a cell to those of the cells within reach, in bandwidths."""
        reach = int(min(self.reach, max_offset))
        nodes, _ = interpolation(self.order)
        offset = np.arange(-reach, reach + 1)[:, None, None] + nodes - nodes[:, None]
        return -offset * (self.width / self.bandwidth)

    def _coefficients(self, *values: FloatArray) -> FloatArray:
        _, to_coefficients = interpolation(self.order)
        parts = [to_coefficients @ each @ to_coefficients.T for each in values]
        return np.ascontiguousarray(np.concatenate(parts, axis=1).transpose(1, 0, 2))


@dataclass(frozen=True, slots=True)
class CellSums:
    """Sums over pairs of rows whose scores lie in the range of a sample; a summary is an array of cell moments."""

    cells: Cells
    first: float
    n_cells: int
    occupied: tuple[FloatArray, Table] | None = None  # ascending cells and their numbers, where most others are empty

    @classmethod
    def covering(cls, cells: Cells, spread: Spread) -> CellSums:
        """All cells from the lowest to the highest score."""
        first, last = cells.first_and_last(spread.low, spread.high)
        return cls(cells, first, int(last - first) + 1)

    @classmethod
    def over(cls, cells: Cells, ids: FloatArray) -> CellSums:
        """Some cells, ascending."""
        return cls(cells, ids[0], len(ids), (ids, numbered(ids)))

    @property
    def ids(self) -> FloatArray:
        """The cells."""
        return self.first + np.arange(self.n_cells, dtype=np.float64) if self.occupied is None else self.occupied[0]

    @property
    def _where(self) -> tuple[float, float, Table | None]:
        """What compiled loops ask for to locate a score."""
        return 1 / self.cells.width, self.first, None if self.occupied is None else self.occupied[1]

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
        add_moments(scores, weight, is_positive, *self._where, moments)
        return moments

    def finish(self, moments: FloatArray) -> CellField:
        """From the summary of all rows to the sums as functions of a score, divided by the weight of all rows."""
        cdf, density, stretch = (np.empty_like(moments) for _ in range(3))
        for here, coefficients in self.slabs(moments):
            cdf[here], density[here], stretch[here] = coefficients
        return CellField(self, moments[:, 0] > 0, cdf, density, stretch)

    def slabs(self, moments: FloatArray) -> Iterator[tuple[slice, list[FloatArray]]]:
        """The same, some cells at a time: the coefficients of Σκ, ΣK and ΣtK in each."""
        ids, mass = self.ids, moments[:, 0]
        table, total, passed = self.cells.table(ids[-1] - ids[0]), mass.sum(), 0.0
        for begin in range(0, self.n_cells, _SLAB):
            end = min(begin + _SLAB, self.n_cells)
            near = within_reach(ids, begin, end, self.cells.reach)
            coefficients = np.empty((end - begin, table.shape[0]))
            below, *_ = local_polynomials(
                ids[near], moments[near], mass[near] > 0, table, begin - near.start, coefficients
            )
            coefficients[:, 0] += below + (passed - mass[near.start : begin].sum())
            coefficients /= total
            passed += mass[begin:end].sum()
            yield slice(begin, end), np.split(coefficients, 3, axis=1)

    def densities(self, moments: FloatArray, occupied: BoolArray) -> CellDensity:
        """Σ_i v_i K((t − s_i)/h) as a function of t, in cells that hold rows."""
        ids, coefficients = self.ids, np.empty_like(moments)
        local_polynomials(ids, moments, occupied, self.cells.density_table(ids[-1] - ids[0]), 0, coefficients)
        return CellDensity(self, coefficients)


def within_reach(ids: FloatArray, begin: int, end: int, reach: int) -> slice:
    """The cells that those from ``begin`` to before ``end`` see, of ascending ones."""
    first, last = max(begin - reach, 0), min(end + reach, len(ids))
    # Differences, not sums with the reach: those of large numbers round.
    left = first + int(np.searchsorted(ids[first : begin + 1] - ids[begin], -reach))
    right = end - 1 + int(np.searchsorted(ids[end - 1 : last] - ids[end - 1], reach, side="right"))
    return slice(left, right)


@dataclass(frozen=True, slots=True)
class CellField:
    """F̂_h(t) = Σ_l w_l κ((t − s_l)/h) / Σ_l w_l and h·F̂_h'(t) as polynomials in each cell."""

    sums: CellSums
    occupied: BoolArray
    cdf: FloatArray
    density: FloatArray
    stretch: FloatArray

    def at(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Both at every score."""
        _, evaluate, _ = LOOPS[self.sums.cells.order]
        cdf, density = np.empty(len(scores)), np.empty(len(scores))
        evaluate(scores, *self.sums._where, self.cdf, self.density, cdf, density)
        return cdf, density

    def against(self, moments: FloatArray) -> tuple[CellDensity, float]:
        """Σ_i v_i K((t − s_i)/h) as a function of t; Σ_i Σ_l v_i w_l t K(t) / Σ_l w_l with t = (s_i − s_l)/h."""
        return self.sums.densities(moments, self.occupied), float(np.vdot(self.stretch, moments))


@dataclass(frozen=True, slots=True)
class CellDensity:
    """A function of a score that is a polynomial in each cell."""

    sums: CellSums
    coefficients: FloatArray

    def scaled_and_tilted(self, scale: float, slope: float, origin: float) -> CellDensity:
        """The function scale · this(t) + slope · (t − origin) of t."""
        coefficients = scale * self.coefficients
        centres = self.sums.ids * self.sums.cells.width
        coefficients[:, 0] += slope * (centres - origin)
        coefficients[:, 1] += slope * self.sums.cells.width
        return CellDensity(self.sums, coefficients)

    def subtract_from(
        self, out: FloatArray, scores: FloatArray, weight: FloatArray | None, is_positive: BoolArray | None = None
    ) -> None:
        """Subtract w · this(s) from ``out``, row by row."""
        _, _, subtract = LOOPS[self.sums.cells.order]
        subtract(scores, weight, is_positive, *self.sums._where, self.coefficients, out)
