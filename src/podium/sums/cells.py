"""Cells that hold rows, where most cells between the lowest and the highest score are empty."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from math import ceil, factorial, frexp, ldexp
from operator import methodcaller

import numpy as np
import numpy.typing as npt

from podium._fast import cell_sums as fast
from podium._fast.cell_sums import LOOPS, local_polynomials
from podium._types import BoolArray, FloatArray, Sample
from podium.kernels import SmoothKernel
from podium.sums.frame import Frame, Spread

_MARKS_PER_CELL = 4  # a mark takes a byte, a cell in a table 24 or more

Table = tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32]]


@dataclass(frozen=True, eq=False, slots=True)
class OccupiedCells:
    """Ascending cells that hold rows; None where they are more than ``most``. ``a + b`` has those of both."""

    ids: FloatArray | None
    most: int

    @classmethod
    def of(
        cls, cells: tuple[float, float, float], frame: Frame, most: int, rows: Sample, kept: None = None
    ) -> tuple[OccupiedCells, None]:
        """Of the rows of a chunk, as a step of rounds; ``cells`` are their width, the first and the last."""
        width, first, last = cells
        scores = frame.place(rows.scores)
        if last - first < _MARKS_PER_CELL * most:
            marked = np.zeros(int(last - first) + 1, np.bool_)
            fast.mark_in_row(scores, 1 / width, first, marked)
            return cls(first + np.flatnonzero(marked).astype(np.float64), most), None
        return cls(_distinct_cells(scores, width, most), most), None

    def __add__(self, other: OccupiedCells) -> OccupiedCells:
        ids = None if self.ids is None or other.ids is None else np.union1d(self.ids, other.ids)
        return OccupiedCells(None if ids is None or len(ids) > self.most else ids, self.most)


def _distinct_cells(scores: FloatArray, width: float, most: int) -> FloatArray | None:
    """The cells of scores, ascending; None where they are more than ``most``."""
    table, start, n_cells = _empty(fast.FEWEST_SLOTS), 0, 0
    while start < len(scores):
        if start:
            marked, table = table, _empty(2 * len(table))
            fast.fill(marked, table, None)
        start, n_cells = fast.mark(scores, start, 1 / width, table, n_cells)
        if n_cells > most:
            return None
    return np.sort(table[table != fast.EMPTY].view(np.float64))


def numbered(ids: FloatArray) -> Table:
    """The table from the cell of a value to its number among some cells."""
    table = _empty(max(fast.FEWEST_SLOTS, 2 << (len(ids) - 1).bit_length()))
    numbers = np.zeros(len(table), np.uint32)
    fast.fill(ids.view(np.uint64), table, numbers)
    return table, numbers


def _empty(n_slots: int) -> npt.NDArray[np.uint64]:
    return np.full(n_slots, fast.EMPTY)


# Sums of a smooth kernel over all pairs of rows, from moments per cell: linear time, no sort, small summaries.


CELLS_PER_ROW = 1 / 4  # up to which cells are fewer than what is known of every row; above, points are sorted instead
_FEW_PER_ROW, _FEW = 1 / 64, 4096  # cells of which it does not matter how many are empty
_SLAB = 1 << 13  # cells whose sums are computed at once
_PER_ROW_AND_MOMENT = 8  # time of a row in two passes, in products from cell to cell

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
    def fit(cls, kernel: SmoothKernel, bandwidth: float, tol: float, spread: Spread) -> Cells:
        """Cells for errors below ``tol`` · K(0) per pair: many with few moments, or few with many, as is faster."""
        of_order = partial(cls._of_order, kernel=kernel, bandwidth=bandwidth, tol=tol, n_rows=spread.n_rows)
        return min(map(of_order, LOOPS), key=methodcaller("_cost", spread))

    @classmethod
    def _of_order(cls, order: int, kernel: SmoothKernel, bandwidth: float, tol: float, n_rows: int) -> Cells:
        """Cells narrow enough.

        Interpolating K at q Chebyshev nodes in both arguments over cells of width h/ρ errs by at most
        2 sup|K^(q)| / (q! 2^(q−1)) · (1/2ρ)^q. What lies beyond the reach weighs little beside ``tol``, or
        beside ``tol`` of one row where φ may magnify it.
        Half of ``tol`` is aimed at: an entry of a gradient is a difference of two sums.
        """
        at_unit_width = 2 * kernel.steepness[order] / (factorial(order) * 2 ** (2 * order - 1))
        width = ldexp(0.5, frexp(bandwidth * (tol / 2 / at_unit_width) ** (1 / order))[1])
        mass = tol / 20 if tol > FINEST else tol / (2 * n_rows)
        reach = ceil(kernel.reach(mass) * bandwidth / width) + 1
        return cls(kernel, bandwidth, width, order, reach)

    def _cost(self, spread: Spread) -> float:
        """Time, in products from cell to cell."""
        n_cells = self.n_cells(spread)
        n_products = min(n_cells, spread.n_rows) * min(n_cells, 2 * self.reach + 1) * 4 * self.order**2
        return n_products + spread.n_rows * self.order * _PER_ROW_AND_MOMENT

    def first_and_last(self, low: float, high: float) -> tuple[float, float]:
        return float(np.floor(low / self.width + 0.5)), float(np.floor(high / self.width + 0.5))

    def n_cells(self, spread: Spread) -> float:
        """Cells from the lowest to the highest score."""
        return float(np.floor(spread.high / self.width + 0.5) - np.floor(spread.low / self.width + 0.5)) + 1

    def are_few(self, spread: Spread) -> bool:
        """Whether it does not matter how many of them are empty."""
        return self.n_cells(spread) <= max(_FEW, spread.n_rows * _FEW_PER_ROW)

    def table(self, max_offset: float) -> FloatArray:
        """What moment b of a cell d further right adds to coefficient a of Σκ, ΣK and ΣtK, at ``[a, reach + d, b]``."""
        reach = int(min(self.reach, max_offset))
        nodes, to_coefficients = interpolation(self.order)
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

    @property
    def span(self) -> float:
        """From the first cell to the last."""
        ids = self.ids
        return float(ids[-1] - ids[0])

    def finish(self, moments: FloatArray) -> CellField:
        """From the summary of all rows to the sums as functions of a score, divided by the weight of all rows."""
        table, parts = self.cells.table(self.span), np.empty((3, *moments.shape))
        for here, coefficients in self.slabs(moments, table):
            parts[:, here] = coefficients
        return CellField(self, moments[:, 0] > 0, table, *parts)

    def slabs(self, moments: FloatArray, table: FloatArray) -> Iterator[tuple[slice, FloatArray]]:
        """The same, some cells at a time: the coefficients of Σκ, ΣK and ΣtK in each."""
        ids, mass, q = self.ids, moments[:, 0], self.cells.order
        total, passed = mass.sum(), 0.0
        for begin in range(0, self.n_cells, _SLAB):
            end = min(begin + _SLAB, self.n_cells)
            near = within_reach(ids, begin, end, self.cells.reach)
            coefficients = np.empty((end - begin, 3 * q))
            below, *_ = local_polynomials(
                ids[near], moments[near], mass[near] > 0, table, begin - near.start, coefficients
            )
            coefficients[:, 0] += below + (passed - mass[near.start : begin].sum())
            coefficients /= total
            passed += mass[begin:end].sum()
            yield slice(begin, end), coefficients.reshape(-1, 3, q).swapaxes(0, 1)

    def densities(self, moments: FloatArray, occupied: BoolArray, table: FloatArray) -> CellDensity:
        """Σ_i v_i K((t − s_i)/h) as a function of t, in cells that hold rows."""
        q, coefficients = self.cells.order, np.empty_like(moments)
        local_polynomials(self.ids, moments, occupied, table[q : 2 * q], 0, coefficients)
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
    table: FloatArray
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
        return self.sums.densities(moments, self.occupied, self.table), float(np.vdot(self.stretch, moments))


@dataclass(frozen=True, slots=True)
class CellDensity:
    """A function of a score that is a polynomial in each cell."""

    sums: CellSums
    coefficients: FloatArray

    def scaled_and_tilted(self, scale: float, slope: float, origin: float) -> CellDensity:
        """The function scale · this(t) + slope · (t − origin) of t."""
        coefficients = scale * self.coefficients
        centers = self.sums.ids * self.sums.cells.width
        coefficients[:, 0] += slope * (centers - origin)
        coefficients[:, 1] += slope * self.sums.cells.width
        return CellDensity(self.sums, coefficients)

    def subtract_from(
        self, out: FloatArray, scores: FloatArray, weight: FloatArray | None, is_positive: BoolArray | None = None
    ) -> None:
        """Subtract w · this(s) from ``out``, row by row."""
        _, _, subtract = LOOPS[self.sums.cells.order]
        subtract(scores, weight, is_positive, *self.sums._where, self.coefficients, out)
