"""Sums of any kernel over all pairs of rows, at the distinct scores in ascending order.

For kernels that polynomials do not follow (exact), and for smooth ones where the bandwidth is so small beside the
range of the scores that most cells are empty. A summary holds every distinct score.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import frexp, ldexp

import numpy as np
import numpy.typing as npt

from podium._fast.cell_sums import local_polynomials
from podium._fast.order import rows_ascending
from podium._fast.point_sums import laplace_sums, mark_new_cells, merge_ties, polynomial_sums, stretch
from podium._types import FloatArray
from podium.kernels import Kernel, Laplace, PolynomialKernel
from podium.sums.cells import Cells, within_reach

IntArray = npt.NDArray[np.intp]

_SLAB = 1 << 13  # occupied cells handled at once
_BLOCK = 1 << 14  # rows looked up at once


@dataclass(frozen=True, slots=True)
class Points:
    """Scores and their weights, None where all weigh one, in no order. ``a + b`` holds those of both."""

    parts: tuple[tuple[FloatArray, FloatArray | None], ...]

    def __add__(self, other: Points) -> Points:
        return Points(self.parts + other.parts)

    def distinct(self) -> tuple[FloatArray, FloatArray]:
        """The distinct scores, ascending, and the weight of each."""
        scores, weight = self.parts[0] if len(self.parts) == 1 else self._together()
        order, values = rows_ascending(scores)
        totals = np.empty(len(values))
        n_distinct = merge_ties(values, order, weight, totals)
        return values[:n_distinct], totals[:n_distinct]

    def _together(self) -> tuple[FloatArray, FloatArray | None]:
        scores = np.concatenate([part for part, _ in self.parts])
        if all(weight is None for _, weight in self.parts):
            return scores, None
        return scores, np.concatenate([np.ones(len(part)) if w is None else w for part, w in self.parts])


@dataclass(frozen=True, slots=True)
class PointSums:
    """Sums over pairs of rows, from their distinct scores; ``cells`` for a smooth kernel only."""

    kernel: Kernel
    bandwidth: float
    cells: Cells | None

    def summarize(self, scores: FloatArray, weight: FloatArray | None) -> Points:
        return Points(((scores, weight),))

    def add(self, points: Points, scores: FloatArray, weight: FloatArray) -> Points:
        """The points with more rows; these are copied."""
        return points + Points(((scores.copy(), weight.copy()),))

    def finish(self, points: Points) -> PointField:
        scores, weight = points.distinct()
        cdf, density = self.cdf_and_density(scores, weight)
        total = weight.sum()
        cdf /= total
        density /= total
        return PointField(self, scores, weight, cdf, density)

    def cdf_and_density(self, z: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Σ_l w_l κ((z_i − z_l)/h) and Σ_l w_l K((z_i − z_l)/h) at every point."""
        if isinstance(self.kernel, Laplace):
            return laplace_sums(z, weight, self.bandwidth)
        if isinstance(self.kernel, PolynomialKernel):
            width = ldexp(0.5, frexp(self.bandwidth)[1])
            return polynomial_sums(z, weight, self.bandwidth, width, self.kernel.primitive.coef)
        cdf, density = np.empty(len(z)), np.empty(len(z))
        for here, sums in self._slabs(z, weight, slice(0, 2)):
            cdf[here], density[here] = sums
        return cdf, density

    def density(self, z: FloatArray, weight: FloatArray) -> FloatArray:
        """Σ_l w_l K((z_i − z_l)/h) at every point."""
        if self.cells is None:
            return self.cdf_and_density(z, weight)[1]
        density = np.empty(len(z))
        for here, (sums,) in self._slabs(z, weight, slice(1, 2)):
            density[here] = sums
        return density

    def _slabs(self, z: FloatArray, weight: FloatArray, which: slice) -> Iterator[tuple[slice, list[FloatArray]]]:
        """The sums of κ, or of K, or of both, at the points of a slab of occupied cells at a time."""
        cells = self.cells
        assert cells is not None
        starts = _starts(z, cells.width)
        n_cells, passed = len(starts) - 1, 0.0
        table = cells.table(np.rint(z[-1] / cells.width) - np.rint(z[0] / cells.width))
        table = table[which.start * cells.order : which.stop * cells.order]
        for begin in range(0, n_cells, _SLAB):
            end = min(begin + _SLAB, n_cells)
            first = max(begin - cells.reach, 0)
            ids = np.rint(z[starts[first : min(end + cells.reach, n_cells)]] / cells.width)
            near = within_reach(ids, begin - first, end - first, cells.reach)
            left, right = first + near.start, first + near.stop
            points = slice(starts[left], starts[right])
            row = np.repeat(np.arange(right - left), np.diff(starts[left : right + 1]))
            place = z[points] / cells.width - ids[near][row]
            moments = np.empty((right - left, cells.order))
            term = weight[points].copy()
            for b in range(cells.order):
                moments[:, b] = np.add.reduceat(term, starts[left:right] - starts[left])
                term *= place
            coefficients = np.empty((end - begin, table.shape[0]))
            all_occupied = np.ones(right - left, dtype=np.bool_)
            below, *_ = local_polynomials(ids[near], moments, all_occupied, table, begin - left, coefficients)
            if which.start == 0:
                coefficients[:, 0] += below + (passed - moments[: begin - left, 0].sum())
            passed += moments[begin - left : end - left, 0].sum()
            here = slice(starts[begin], starts[end])
            inside = slice(here.start - points.start, here.stop - points.start)
            parts = np.split(coefficients, which.stop - which.start, axis=1)
            yield here, [polynomials(part, row[inside] - (begin - left), place[inside]) for part in parts]


def _starts(z: FloatArray, width: float) -> IntArray:
    """Where the cells of ascending points begin, and the end."""
    is_new = np.empty(len(z), np.bool_)
    mark_new_cells(z, width, is_new)
    return np.append(np.flatnonzero(is_new), len(z))


def polynomials(coefficients: FloatArray, row: IntArray, x: FloatArray) -> FloatArray:
    """For every x the polynomial of its row, coefficients of rising powers."""
    value = coefficients[row, -1]
    for k in range(coefficients.shape[1] - 2, -1, -1):
        value = value * x + coefficients[row, k]
    return value


@dataclass(frozen=True, slots=True)
class PointField:
    """F̂_h(t) = Σ_l w_l κ((t − s_l)/h) / Σ_l w_l and h·F̂_h'(t) at every distinct score."""

    sums: PointSums
    scores: FloatArray
    weight: FloatArray
    cdf: FloatArray
    density: FloatArray

    def at(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Both at scores that are among the points."""
        place = np.searchsorted(self.scores, scores)
        return self.cdf[place], self.density[place]

    def against(self, pulled: Points) -> tuple[PointDensity, float]:
        """Σ_i v_i K((t − s_i)/h) at every score t; Σ_i Σ_l v_i w_l t K(t) / Σ_l w_l with t = (s_i − s_l)/h."""
        z, weight = self.scores, self.weight
        pull = np.zeros_like(weight)
        scores, v = pulled.distinct()
        pull[np.searchsorted(z, scores)] = v
        del scores, v  # memory for what follows
        density = self.sums.density(z, pull)
        total = weight.sum()
        force = stretch(z, np.vdot(z, weight) / total, pull, self.density, weight, density, total)
        return PointDensity(z, density), float(force / self.sums.bandwidth)


@dataclass(frozen=True, slots=True)
class PointDensity:
    """A function known at the distinct scores."""

    scores: FloatArray
    values: FloatArray

    def scaled_and_tilted(self, scale: float, slope: float, origin: float) -> PointDensity:
        """The function scale · this(t) + slope · (t − origin) of t."""
        values = self.scores - origin
        values *= slope
        values += scale * self.values
        return PointDensity(self.scores, values)

    def subtract_from(self, out: FloatArray, scores: FloatArray, weight: FloatArray | None) -> None:
        """Subtract w · this(s) from ``out``, row by row."""
        for start in range(0, len(scores), _BLOCK):
            here = slice(start, start + _BLOCK)
            at_rows = self.values[np.searchsorted(self.scores, scores[here])]
            out[here] -= at_rows if weight is None else weight[here] * at_rows
