r"""The mean of a function over the ranks of a tie group, for weights of any size.

A group of weight t above weight b occupies the interval (b, b + t] of the axis of ranks. Rank j is the cell (j − 1, j]
and carries f(j): so a whole weight is as many equal rows. Inside a cell, where fractional weights end, f rises by the
smaller of its steps to the two neighbors (and is f(j) on average): the density s(x) so defined is nondecreasing with
f, equals x + ½ at f(j) = j, and means over intervals add up. Hence ω lies in [0, 1] and is the AUC at φ(u) = u, for
any weights.

Up to :data:`EXACT_RANKS` cells at either end of the list are summed; further inside the sum over ranks is an integral
with the first term of Euler and Maclaurin,

.. math:: \sum_{j \le x} f(j) = \int_0^{x + 1/2} f - \tfrac{1}{24}\bigl(f(x + 1) - f(x)\bigr) + \text{const},

so that neither time nor memory depends on the sum of the weights.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from podium._types import Array, FloatArray
from podium.phi import Phi
from podium.phi.classical import INNERMOST

EXACT_RANKS = 1 << 15  # at either end
_BOOLE = np.array([7, 32, 12, 32, 7]) / 90  # the mean of a smooth function from five equidistant values
_STRAIGHT = 1e-6  # relative bend up to which that is right to rounding

Function = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class RankMeans:
    """Sums and means of ``height``, a monotone function of the rank, over intervals of the ranks of a list.

    ``area`` is an antiderivative of ``height``; ``n_total`` the length of the list, the sum of the weights. Where
    ``bounded``, height does not rise inside the first and the last rank: then no mean lies beyond those of whole ranks.
    """

    height: Function
    area: Function
    n_total: float
    bounded: bool = False

    @classmethod
    def of(cls, phi: Phi, n_total: float) -> RankMeans:
        """Of f(j) = φ(j/(N + 1)); φ is bound to the list."""

        def share(rank: FloatArray) -> FloatArray:
            return np.minimum(rank / (n_total + 1), INNERMOST[1])  # in long lists N/(N + 1) rounds to 1

        return cls(lambda rank: phi.value(share(rank)), lambda rank: (n_total + 1) * phi.integral(share(rank)), n_total)

    def mean(self, below: Array, upto: Array) -> FloatArray:
        """Over each of the intervals (below, upto]; where rounding leaves it no length, the value there."""
        length = np.asarray(upto - below, dtype=np.float64)
        lost = length <= 0
        means = self.total(below, upto) / np.where(lost, 1.0, length)
        if lost.any():
            means[lost] = self._density(np.asarray(below, dtype=np.float64)[lost])
        return means

    def total(self, below: Array, upto: Array) -> FloatArray:
        """Σ over the ranks of each of the intervals (below, upto]."""
        low, high = (np.asarray(end, dtype=np.float64) for end in (below, upto))
        total = self._lowest.total(low, high)
        if self._highest is not None:
            total += self._highest.total(low, high)
            total += self._between(*(np.clip(end, self._lowest.end, self._highest.start) for end in (low, high)))
        return total

    def range(self, n_pos: float, n_neg: float) -> tuple[float, float]:
        """Σ over the lowest and over the highest ``n_pos`` ranks: the sums of the worst and of the best ranking."""
        # By means: positives may weigh so little that rounding leaves them no ranks.
        worst, best = n_pos * self.mean(np.array([0.0, n_neg]), np.array([n_pos, self.n_total]))
        return float(worst), float(best)

    @cached_property
    def _lowest(self) -> RankCells:
        n_cells = float(np.ceil(self.n_total))
        return RankCells.of(self.height, 0.0, n_cells if n_cells <= 2 * EXACT_RANKS else EXACT_RANKS, self.bounded)

    @cached_property
    def _highest(self) -> RankCells | None:
        n_cells = float(np.ceil(self.n_total))
        if self._lowest.end == n_cells:
            return None
        return RankCells.of(self.height, n_cells - EXACT_RANKS, EXACT_RANKS, self.bounded)

    def _between(self, low: FloatArray, high: FloatArray) -> FloatArray:
        """The same where ranks are many and an integral does."""
        places = low + (high - low) * np.linspace(0, 1, 5)[:, None]
        heights = self._density(places.ravel()).reshape(places.shape)
        total = (high - low) * (_BOOLE @ heights)
        # Differences of areas cancel where the interval is short; five points err where f bends.
        bend = np.abs(heights[:-2] - 2 * heights[1:-1] + heights[2:]).max(axis=0)
        bent = ~(bend <= _STRAIGHT * np.abs(heights).min(axis=0))
        if bent.any():
            total[bent] = self._antiderivative(high[bent]) - self._antiderivative(low[bent])
        return total

    def _density(self, x: FloatArray) -> FloatArray:
        return self.height(np.clip(x + 0.5, 1.0 if self.bounded else 0.5, max(self.n_total, 1.0)))

    def _antiderivative(self, x: FloatArray) -> FloatArray:
        first, last, beyond = self._step
        return self._smooth_antiderivative(x) + beyond * np.clip((x - first) / (last - first), 0, 1)

    def _smooth_antiderivative(self, x: FloatArray) -> FloatArray:
        return self.area(x + 0.5) - (self.height(x + 1) - self.height(x)) / 24

    @cached_property
    def _step(self) -> tuple[float, float, float]:
        """The few ranks where f rises most, as it may jump there, and their sum beyond the integral."""
        assert self._highest is not None
        low, high = self._lowest.end, self._highest.start
        while low < (middle := low + (high - low) / 2) < high:
            at_low, at_middle, at_high = self.height(np.array([low, middle, high]))
            low, high = (low, middle) if abs(at_middle - at_low) > abs(at_high - at_middle) else (middle, high)
        if high >= 2**52:  # single ranks are below rounding there
            return low, high, 0.0
        ranks = np.floor(low) + np.arange(-2, 4)
        smooth = self._smooth_antiderivative(ranks)
        return ranks[0], ranks[-1], float(self.height(ranks[1:]).sum() - (smooth[-1] - smooth[0]))


@dataclass(frozen=True)
class RankCells:
    """Consecutive ranks with the height of each, from ``start`` on, and how much it rises inside its cell."""

    start: float
    heights: FloatArray
    slope: FloatArray
    cumulated: FloatArray

    @classmethod
    def of(cls, height: Function, start: float, n_cells: float, flat_ends: bool) -> RankCells:
        ranks = start + np.arange(1, n_cells + 1, dtype=np.float64)
        heights = height(ranks)
        # The first cell of a list has no neighbor below: its own lower half tells how steep it is.
        before = 2 * (heights[:1] - height(ranks[:1] - 0.5))
        steps = np.diff(heights)
        left, right = np.concatenate([before, steps]), np.concatenate([steps, steps[-1:] if len(steps) else before])
        smaller = np.where(np.abs(left) < np.abs(right), left, right)
        slope = np.where(left * right > 0, smaller, 0.0)  # none where f is not monotone
        if flat_ends:
            slope[[0, -1]] = 0.0
        return cls(start, heights, slope, np.concatenate([[0.0], np.cumsum(heights)]))

    @property
    def end(self) -> float:
        return self.start + len(self.heights)

    def total(self, low: FloatArray, high: FloatArray) -> FloatArray:
        """Σ over the ranks of the part of each interval that lies in these cells."""
        n_cells = len(self.heights)
        low, high = (np.clip(end - self.start, 0, n_cells) for end in (low, high))
        first = np.minimum(low.astype(np.int64), n_cells - 1)
        last = np.maximum(np.ceil(high).astype(np.int64) - 1, first)
        inside = last == first
        split = np.where(inside, high, first + 1)
        total = self._part(first, low - first, split - first)
        # A part of the first cell, whole cells, a part of the last one.
        apart = ~inside
        last, first = last[apart], first[apart]
        total[apart] += self.cumulated[last] - self.cumulated[first + 1]
        total[apart] += self._part(last, np.zeros(len(last)), high[apart] - last)
        return total

    def _part(self, cell: Array, low: FloatArray, high: FloatArray) -> FloatArray:
        """The integral over a part of a cell, from ``low`` to ``high`` within [0, 1]."""
        return (high - low) * (self.heights[cell] + self.slope[cell] * ((low + high) / 2 - 0.5))
