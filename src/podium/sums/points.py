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

from podium._fast.order.engine import rows_ascending
from podium._fast.sums.cells import local_polynomials
from podium._fast.sums.points import decaying_sums, polynomial_sums
from podium._types import FloatArray
from podium.kernels import Kernel, Laplace, PolynomialKernel
from podium.sums.cells import Cells

IntArray = npt.NDArray[np.intp]

_SLAB = 1 << 14  # occupied cells handled at once


@dataclass(frozen=True, slots=True)
class Points:
    """Scores and their weights, in no order. ``a + b`` holds those of both."""

    parts: tuple[tuple[FloatArray, FloatArray], ...]

    def __add__(self, other: Points) -> Points:
        return Points(self.parts + other.parts)

    def distinct(self) -> tuple[FloatArray, FloatArray]:
        """The distinct scores, ascending, and the weight of each."""
        scores, weight = (np.concatenate(column) for column in zip(*self.parts, strict=True))
        order, _ = rows_ascending(scores)
        scores = scores[order]
        starts = np.flatnonzero(np.diff(scores, prepend=-np.inf))
        return scores[starts], np.add.reduceat(weight[order], starts)


@dataclass(frozen=True, slots=True)
class PointSums:
    """Sums over pairs of rows, from their distinct scores; ``cells`` for a smooth kernel only."""

    kernel: Kernel
    bandwidth: float
    cells: Cells | None

    def summarize(self, scores: FloatArray, weight: FloatArray | None) -> Points:
        return self.add(Points(()), scores, np.ones(len(scores)) if weight is None else weight)

    def add(self, points: Points, scores: FloatArray, weight: FloatArray) -> Points:
        """The points with more rows; these are copied."""
        return points + Points(((scores.copy(), weight.copy()),))

    def finish(self, points: Points) -> PointField:
        scores, weight = points.distinct()
        cdf, density = self.cdf_and_density(scores, weight)
        return PointField(self, scores, weight, cdf / weight.sum(), density / weight.sum())

    def cdf_and_density(self, z: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Σ_l w_l κ((z_i − z_l)/h) and Σ_l w_l K((z_i − z_l)/h) at every point."""
        if isinstance(self.kernel, Laplace):
            return self._exponential(z, weight)
        if isinstance(self.kernel, PolynomialKernel):
            width = ldexp(0.5, frexp(self.bandwidth)[1])
            return polynomial_sums(z, weight, self.bandwidth, width, self.kernel.primitive.coef)
        cdf, density = np.empty(len(z)), np.empty(len(z))
        for here, cdf_here, density_here in self._slabs(z, weight):
            cdf[here], density[here] = cdf_here, density_here
        return cdf, density

    def _exponential(self, z: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
        decay = np.exp(-np.diff(z) / self.bandwidth)
        left = decaying_sums(decay, weight)
        right = decaying_sums(decay[::-1].copy(), weight[::-1].copy())[::-1]
        below = np.cumsum(weight) - 0.5 * weight
        return below + 0.5 * (right - left), 0.5 * (left + right + weight)

    def _slabs(self, z: FloatArray, weight: FloatArray) -> Iterator[tuple[slice, FloatArray, FloatArray]]:
        """Cells that hold points, a slab of them at a time with the neighbours within reach."""
        cells = self.cells
        assert cells is not None
        cell_of_point = np.rint(z / cells.width)  # also where ½ is below the last digit
        place = z / cells.width - cell_of_point
        starts = np.flatnonzero(np.diff(cell_of_point, prepend=-np.inf))
        ids, ends = cell_of_point[starts], np.append(starts[1:], len(z))
        table = cells.table(ids[-1] - ids[0])[: 2 * cells.order]  # κ and K
        passed = np.concatenate([[0.0], np.cumsum(weight)])
        for begin in range(0, len(ids), _SLAB):
            end = min(begin + _SLAB, len(ids))
            left = int(np.searchsorted(ids - ids[begin], -cells.reach))
            right = int(np.searchsorted(ids - ids[end - 1], cells.reach, side="right"))
            near = slice(starts[left], ends[right - 1])
            moments = np.empty((right - left, cells.order))
            term = weight[near].copy()
            for b in range(cells.order):
                moments[:, b] = np.add.reduceat(term, starts[left:right] - starts[left])
                term *= place[near]
            coefficients = np.empty((end - begin, 2 * cells.order))
            all_occupied = np.ones(right - left, dtype=np.bool_)
            below, *_ = local_polynomials(ids[left:right], moments, all_occupied, table, begin - left, coefficients)
            coefficients[:, 0] += below + passed[starts[left]]
            row = np.repeat(np.arange(end - begin), ends[begin:end] - starts[begin:end])
            here = slice(starts[begin], ends[end - 1])
            cdf, density = np.split(coefficients, 2, axis=1)
            yield here, polynomials(cdf, row, place[here]), polynomials(density, row, place[here])


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
        _, density = self.sums.cdf_and_density(z, pull)
        centred = z - np.average(z, weights=weight)
        force = pull * self.density - weight / weight.sum() * density
        stretch = np.vdot(force, centred) / self.sums.bandwidth
        return PointDensity(z, density), float(stretch)


@dataclass(frozen=True, slots=True)
class PointDensity:
    """A function known at the distinct scores."""

    scores: FloatArray
    values: FloatArray

    def scaled_and_tilted(self, scale: float, slope: float, origin: float) -> PointDensity:
        """The function scale · this(t) + slope · (t − origin) of t."""
        return PointDensity(self.scores, scale * self.values + slope * (self.scores - origin))

    def subtract_from(self, out: FloatArray, scores: FloatArray, weight: FloatArray | None) -> None:
        """Subtract w · this(s) from ``out``, row by row."""
        at_rows = self.values[np.searchsorted(self.scores, scores)]
        out -= at_rows if weight is None else weight * at_rows
