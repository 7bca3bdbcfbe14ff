"""A nondecreasing map from scores to a few thousand cells, which adapts to how they spread.

Linear between the extremes of a sample where that fills the cells evenly; else piecewise linear through quantiles of
the sample, with a cell of its own for the value of every knot: a value that many rows share is then alone in its cell.
The map decides about speed only. Rounding keeps it nondecreasing, and inside a cell scores themselves are compared.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from podium._fast.compiled import compiled
from podium._types import Array, FloatArray

_SAMPLE = 4096
_N_KNOTS = 63  # found by six halvings
_ROWS_PER_CELL = 1024  # of both classes; their scores then stay in the first-level cache
_MOST_CELLS = 4096  # more streams of writes than that, and the memory system loses track of them
_CROWDED = 12  # times its fair share of the sample: a cell that holds more makes a linear map uneven


@dataclass(frozen=True)
class CellMap:
    """Cells of scores x: ``(W + 1)·j + x's place among the W cells above knot j``, or one linear stretch.

    Scores are multiplied by ``unit``, a power of two, first: differences neither overflow nor vanish.
    """

    unit: float
    knots: FloatArray  # ascending; infinite where there are fewer; one of them where the map is linear
    slopes: FloatArray  # cells per unit above each knot; the first belongs to what lies below all
    n_cells: int

    @classmethod
    def of(cls, scores: FloatArray) -> CellMap:
        """The map for these scores, from a sample of them; the same at every call."""
        sample = scores[np.random.default_rng(0).integers(len(scores), size=_SAMPLE)]
        unit = 2.0 ** np.clip(1 - np.frexp(np.abs(sample).max())[1], -1000, 1000)
        sample = np.sort(sample * unit)
        low, high = sample[0], sample[-1]
        n_wanted = min(max(len(scores) // _ROWS_PER_CELL, 64), _MOST_CELLS)
        slope = _slope(n_wanted, high - low)
        shares = np.bincount(np.minimum((sample - low) * slope / n_wanted * 64, 63).astype(np.intp))
        if shares.max() <= _CROWDED * _SAMPLE / 64:
            return cls(unit, np.array([low]), np.array([slope]), n_wanted)
        return cls._through_quantiles(unit, sample, n_wanted)

    @classmethod
    def _through_quantiles(cls, unit: float, sample: FloatArray, n_wanted: int) -> CellMap:
        distinct = np.unique(sample[np.linspace(0, _SAMPLE - 1, _N_KNOTS).astype(np.intp)])
        knots = np.full(_N_KNOTS, np.inf)
        knots[: len(distinct)] = distinct
        width = n_wanted // (_N_KNOTS + 1) + 1
        slopes = np.zeros(_N_KNOTS + 1)
        slopes[1 : len(distinct)] = [_slope(width, gap) for gap in np.diff(distinct)]
        return cls(unit, knots, slopes, (_N_KNOTS + 1) * (width + 1))

    def locate(self, scores: FloatArray, is_positive: Array | None) -> tuple[Array, Array]:
        """The cell of every row and where each cell begins if rows are put in order; positives have cells of their own.

        Those come after the cells of the negatives.
        """
        cells = np.empty(len(scores), np.uint16)
        n_classes = 1 if is_positive is None else 2
        if len(self.knots) == 1:
            _linear(scores, self.unit, self.knots[0], self.slopes[0], self.n_cells, cells)
        else:
            _piecewise(scores, self.unit, self.knots, self.slopes, self.n_cells, cells)
        if is_positive is not None:
            _move_positives(cells, is_positive.view(np.uint8), self.n_cells)
        starts = np.zeros(n_classes * self.n_cells + 1, np.int64)
        _count(cells, starts[1:])
        np.cumsum(starts, out=starts)
        return cells, starts


def _slope(n_cells: int, gap: float) -> float:
    """Cells per unit; finite, and zero where there is no gap."""
    with np.errstate(over="ignore"):
        return float(min(n_cells / gap, np.finfo(np.float64).max)) if gap > 0 else 0.0


@compiled
def _linear(scores, unit, low, slope, n_cells, cells):
    last = n_cells - 1.0
    for i in range(scores.size):
        place = (scores[i] * unit - low) * slope
        place = place if place > 0.0 else 0.0
        place = place if place < last else last
        cells[i] = np.uint16(np.int32(place))


@compiled
def _piecewise(scores, unit, knots, slopes, n_cells, cells):
    width = n_cells // slopes.size - 1
    last = width - 1.0
    for i in range(scores.size):
        x = scores[i] * unit
        # Six halvings for every row, written out: nothing to mispredict.
        j = np.uint32(32) * np.uint32(knots[31] <= x)
        j += np.uint32(16) * np.uint32(knots[j + np.uint32(15)] <= x)
        j += np.uint32(8) * np.uint32(knots[j + np.uint32(7)] <= x)
        j += np.uint32(4) * np.uint32(knots[j + np.uint32(3)] <= x)
        j += np.uint32(2) * np.uint32(knots[j + np.uint32(1)] <= x)
        j += np.uint32(knots[j] <= x)
        left = knots[max(j, np.uint32(1)) - np.uint32(1)]
        place = (x - left) * slopes[j]
        place = place if place > 0.0 else 0.0  # not a number, too: infinity times zero
        place = place if place < last else last
        cells[i] = np.uint16(np.int32(j) * np.int32(width + 1) + np.int32(x > left) * (1 + np.int32(place)))


@compiled
def _move_positives(cells, is_positive, n_cells):
    for i in range(cells.size):
        cells[i] += np.uint16(is_positive[i]) * np.uint16(n_cells)


@compiled
def _count(cells, counts):
    for i in range(cells.size):
        counts[cells[i]] += 1
