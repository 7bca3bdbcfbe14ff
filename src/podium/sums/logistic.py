r"""Σ_i w_i L(t − s_i) for the logistic loss L(t) = log(1 + e^t), L' and L'', in linear time.

The axis is cut into cells as in :mod:`podium._fast.cell_sums`, but only cells that may hold rows are kept, and far
cells count by their leading terms instead of being cut off: e^(t−s) on the right, t − s, 1 and 0 on the left for L,
L' and L''. So L and L' keep ``tol`` relative to themselves, however small they are. O(N·q) and O(cells·reach·q²).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, factorial, frexp, ldexp, log

import numpy as np
import numpy.typing as npt

from podium._fast.cell_sums import LOOPS, distances_to_left, local_polynomials
from podium._fast.point_sums import decaying_sums
from podium._types import FloatArray
from podium.sums.cells import interpolation
from podium.sums.points import IntArray, polynomials

# Where every pair is further apart than this, log(1 + e^(−r)) and 1/(1 + e^r) are e^(−r) to the last digit.
FAR_APART = 40.0

_CELLS_PER_ROW = 1 / 8  # up to which cells without gaps are kept; beyond, most are empty and the rows are sorted
_ALWAYS_AFFORDABLE = 4096
_WHOLE = 2.0**50  # up to which whole numbers, and halves between them, are exact
_STEEPNESS = {4: 1.0, 6: 4.25, 8: 31.0}  # sup |L^(q)| over the value of the function interpolated, by q


def logistic(order: int, t: FloatArray) -> FloatArray:
    """L, L' or L'' at t, accurate relative to itself on the left."""
    if order == 0:
        return np.logaddexp(0.0, t)
    decay = np.exp(-np.abs(t))
    return decay / np.square(1 + decay) if order == 2 else np.where(t < 0, decay, 1.0) / (1 + decay)


@dataclass(frozen=True, slots=True)
class Grid:
    """Width of a cell (a power of two), moments per cell, and how many cells away a leading term is enough."""

    width: float
    q: int
    reach: int

    @classmethod
    def to(cls, tol: float, q: int | None = None, power: float = 1) -> Grid:
        """Fine enough for errors of ``tol`` in a whole power of the sums, relative.

        |r^(k)| ≤ a^k·r for k ≤ q, a^q = sup |L^(q)|/L, implies |(r^p)^(q)| ≤ (a·p)^q·r^p: e^(a·t) is the extreme case.
        """
        q = q or (4 if tol >= 1e-7 else 8)
        at_unit_width = 2 * _STEEPNESS[q] / (factorial(q) * 2 ** (2 * q - 1))
        width = ldexp(0.5, frexp((tol / 2 / at_unit_width) ** (1 / q) / power)[1])
        return cls(width, q, ceil(log(2 / tol) / width) + 1)

    def locate(self, values: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
        """The cell of each value, and the place inside it."""
        t = np.asarray(values) / self.width
        cell = np.where(np.abs(t) < _WHOLE, np.floor(t + 0.5), np.rint(t))
        return cell, t - cell

    def cell_of(self, value: float) -> float:
        """The cell of one value."""
        return float(self.locate(value)[0])

    def n_cells(self, low: float, high: float) -> float:
        """Cells without gaps from a value to another."""
        return self.cell_of(high) - self.cell_of(low) + 1

    def occupied(self, values: FloatArray) -> FloatArray:
        """Ascending cells that cover the values: without gaps where that is cheap, else only those that hold some."""
        if len(values) == 0:
            return np.empty(0)
        first, last = self.cell_of(values.min()), self.cell_of(values.max())
        if last - first < max(_ALWAYS_AFFORDABLE, len(values) * _CELLS_PER_ROW) and max(-first, last) < _WHOLE:
            return np.arange(first, last + 1, dtype=np.float64)
        return np.unique(self.locate(values)[0])

    def exponential(self, sign: int) -> FloatArray:
        """Coefficients of e^(±δx) on a cell."""
        nodes, to_coefficients = interpolation(self.q)
        return to_coefficients @ np.exp(sign * self.width * nodes)


@lru_cache(maxsize=8)
def _table(grid: Grid, orders: tuple[int, ...]) -> FloatArray:
    """``table[a, reach + d, b]``: what moment b of a cell d further right adds to coefficient a, order after order."""
    nodes, to_coefficients = interpolation(grid.q)
    offset = -np.arange(-grid.reach, grid.reach + 1)[:, None, None] + nodes[:, None] - nodes
    parts = [to_coefficients @ logistic(order, offset * grid.width) @ to_coefficients.T for order in orders]
    return np.ascontiguousarray(np.concatenate(parts, axis=1).transpose(1, 0, 2))


@dataclass(frozen=True, slots=True)
class LogisticCells:
    """The cells of a sample: from moments per cell to the sums as polynomials per cell."""

    grid: Grid
    ids: FloatArray

    def moments(self, values: FloatArray, weight: FloatArray | None) -> FloatArray:
        """Σ w x^b per cell; ``weight`` is None where all weigh one. They add up over chunks of rows."""
        moments = np.zeros((len(self.ids), self.grid.q))
        if self._without_gaps:
            add_moments, _, _ = LOOPS[self.grid.q]
            add_moments(values, weight, None, 1 / self.grid.width, self.ids[0], None, moments)
            return moments
        cell, place = self._locate(values)
        term = np.ones(len(values)) if weight is None else weight.copy()
        for b in range(self.grid.q):
            moments[:, b] = np.bincount(cell, term, len(self.ids))
            term *= place
        return moments

    def sums(self, moments: FloatArray, orders: tuple[int, ...]) -> list[FloatArray]:
        """For each order, coefficients per cell of Σ_i w_i L^(order)(t − s_i) as a function of t."""
        return _sums(self.grid, self.ids, moments, orders)

    def reverse_sums(self, moments: FloatArray, order: int) -> FloatArray:
        """Coefficients of Σ_k c_k L^(order)(t_k − s) as a function of s: the transpose of :meth:`sums`, mirrored."""
        parity = (-1.0) ** np.arange(self.grid.q)
        (coefficients,) = _sums(self.grid, -self.ids[::-1], (moments * parity)[::-1], (order,))
        return np.ascontiguousarray((coefficients * parity)[::-1])

    def at(self, values: FloatArray, lower: FloatArray, upper: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Two functions, given by coefficients per cell, at every value."""
        if not self._without_gaps:
            cell, place = self._locate(values)
            return polynomials(lower, cell, place), polynomials(upper, cell, place)
        _, evaluate, _ = LOOPS[self.grid.q]
        at_lower, at_upper = np.empty(len(values)), np.empty(len(values))
        evaluate(values, 1 / self.grid.width, self.ids[0], None, lower, upper, at_lower, at_upper)
        return at_lower, at_upper

    def weighted_at(self, values: FloatArray, weight: FloatArray | None, coefficients: FloatArray) -> FloatArray:
        """Weight times a function at every value."""
        if not self._without_gaps:
            at_values = polynomials(coefficients, *self._locate(values))
            return at_values if weight is None else weight * at_values
        _, _, subtract = LOOPS[self.grid.q]
        result = np.zeros(len(values))
        subtract(values, weight, None, 1 / self.grid.width, self.ids[0], None, -coefficients, result)
        return result

    @property
    def _without_gaps(self) -> bool:
        return self.ids[-1] - self.ids[0] + 1 == len(self.ids) and max(-self.ids[0], self.ids[-1]) < _WHOLE

    def _locate(self, values: FloatArray) -> tuple[IntArray, FloatArray]:
        """The row of the cell of each value, and its place inside, where there are gaps between cells."""
        cell, place = self.grid.locate(values)
        return np.searchsorted(self.ids, cell), place


def _sums(grid: Grid, ids: FloatArray, moments: FloatArray, orders: tuple[int, ...]) -> list[FloatArray]:
    q = grid.q
    near = np.empty((len(ids), q * len(orders)))
    everywhere = np.ones(len(ids), np.bool_)
    table = _table(grid, orders)
    mass, end_left, begin_right = local_polynomials(ids, np.ascontiguousarray(moments), everywhere, table, 0, near)
    centers = (ids - ids[0]) * grid.width

    decayed = moments @ grid.exponential(-1)  # Σ_i w_i e^(center − s_i) per cell
    decayed += decaying_sums(np.exp(-np.diff(centers))[::-1].copy(), decayed[::-1].copy())[::-1]
    has_right = begin_right < len(ids)
    begin_right = begin_right[has_right]
    right = np.zeros(len(ids))
    right[has_right] = decayed[begin_right] * np.exp(centers[has_right] - centers[begin_right])

    functions = []
    for order, part in zip(orders, np.split(near, len(orders), axis=1), strict=True):
        coefficients = part + right[:, None] * grid.exponential(1)
        if order == 0:
            coefficients[:, 0] += distances_to_left(centers, moments, grid.width, end_left)
            coefficients[:, 1] += mass * grid.width
        elif order == 1:
            coefficients[:, 0] += mass
        functions.append(coefficients)
    return functions
