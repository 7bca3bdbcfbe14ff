"""Where to cut between the classes, of rows in partitions: cells are counted, and the best ones looked into."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from podium._fast.order.engine import rows_ascending
from podium._types import BoolArray, FloatArray, Sample
from podium.chunks.cells import subdivided
from podium.criteria.rounds import Step

_N_CELLS = 1 << 12
_MOST_ROUNDS = 4  # of counting, after which the rows are gathered however many they are
_FEW = 1 << 17  # rows that are gathered at once


def threshold_rounds() -> Generator[Step, Any, float]:
    """The cut of :func:`podium.rankers.two_classes.best_threshold`: midway between two scores, with the least error."""
    extent: Extent = yield _order
    starts, these = np.array([extent.low, np.nextafter(extent.high, np.inf)]), np.array([True, False])
    for _ in range(_MOST_ROUNDS):
        starts = subdivided(starts, these, max(2, _N_CELLS // int(these.sum())))
        below: FloatArray = yield partial(_below, starts)
        these, n_rows = _candidates(below)
        if n_rows <= _FEW:
            break
    gathered: Gathered = yield partial(_within, starts, these)
    n_neg, n_pos = below[:2, -1]
    value, wrong = _best(gathered, starts, below, n_neg)
    if wrong >= n_pos:
        return extent.high  # to call nothing positive is no worse
    lower: Extent = yield partial(_highest_below, value)
    return value / 2 + lower.high / 2 if np.isfinite(lower.high) else float(np.nextafter(value, -np.inf))


@dataclass(frozen=True, slots=True)
class Extent:
    """The least and the highest score. ``a + b`` is that of both."""

    low: float
    high: float

    def __add__(self, other: Extent) -> Extent:
        return Extent(min(self.low, other.low), max(self.high, other.high))


@dataclass(frozen=True, eq=False, slots=True)
class Gathered:
    """Scores of negatives and of positives with their masses, in parts. ``a + b`` is that of both."""

    parts: tuple[tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]], ...]

    def __add__(self, other: Gathered) -> Gathered:
        return Gathered(self.parts + other.parts)

    def of_class(self, place: int) -> Ascending:
        values, mass = (np.concatenate([part[place][i] for part in self.parts]) for i in range(2))
        return Ascending.of(values, mass)


@dataclass(frozen=True, eq=False, slots=True)
class Ascending:
    """Scores in order, and the mass before each and after the last."""

    values: FloatArray
    before: FloatArray

    @classmethod
    def of(cls, values: FloatArray, mass: FloatArray | None) -> Ascending:
        rows, ordered = rows_ascending(values)
        masses = np.ones(len(ordered)) if mass is None else mass[rows]
        return cls(ordered, np.concatenate([[0.0], np.cumsum(masses)]))

    def below(self, edges: FloatArray) -> FloatArray:
        """The mass below each of these."""
        return self.before[np.searchsorted(self.values, edges)]

    def n_below(self, edges: FloatArray) -> FloatArray:
        """The number of rows below each of these."""
        return np.searchsorted(self.values, edges).astype(np.float64)

    def within(self, starts: FloatArray, these: BoolArray) -> tuple[FloatArray, FloatArray]:
        """The scores in these cells, and their masses."""
        inside = these[np.searchsorted(starts, self.values, "right") - 1]
        return self.values[inside], np.diff(self.before)[inside]


Classes = tuple[Ascending, Ascending]  # negatives, positives


def _order(rows: Sample, kept: None) -> tuple[Extent, Classes]:
    up, weight = rows.is_positive, rows.weight
    down, own = (Ascending.of(rows.scores[these], None if weight is None else weight[these]) for these in (~up, up))
    return Extent(float(rows.scores.min()), float(rows.scores.max())), (down, own)


def _below(starts: FloatArray, rows: Sample, kept: Classes) -> tuple[FloatArray, Classes]:
    """Below the start of each cell: the mass of the negatives, that of the positives, and how many rows."""
    down, up = kept
    return np.stack([down.below(starts), up.below(starts), down.n_below(starts) + up.n_below(starts)]), kept


def _within(starts: FloatArray, these: BoolArray, rows: Sample, kept: Classes) -> tuple[Gathered, Classes]:
    down, up = kept
    return Gathered(((down.within(starts, these), up.within(starts, these)),)), kept


def _highest_below(value: float, rows: Sample, kept: Classes) -> tuple[Extent, Classes]:
    lower = [scores.values[scores.values < value].max(initial=-np.inf) for scores in kept]
    return Extent(np.inf, float(max(lower))), kept


def _candidates(below: FloatArray) -> tuple[BoolArray, int]:
    """In which cells the best cut may lie, just below a positive; and how many rows they hold."""
    neg, pos, n_rows = np.diff(below)
    at_start = below[1, :-1] + below[0, -1] - below[0, :-1]  # wrong are positives below and negatives that are not
    least = at_start - neg
    # Just below the first positive of a cell no more are wrong than at its start. Weights are added up in any order.
    room = 1e-9 * (below[0, -1] + below[1, -1])
    these = (pos > 0) & (least <= at_start[pos > 0].min() + room)
    return np.append(these, False), int(n_rows[these].sum())


def _best(gathered: Gathered, starts: FloatArray, below: FloatArray, n_neg: float) -> tuple[float, float]:
    """The lowest of the positives below which the least rows are wrong, and their mass."""
    down, up = gathered.of_class(0), gathered.of_class(1)
    values = np.unique(up.values)
    cell = np.searchsorted(starts, values, "right") - 1
    inside = [one.below(values) - one.below(starts[cell]) for one in (down, up)]
    wrong = below[1, cell] + inside[1] + n_neg - below[0, cell] - inside[0]
    best = int(np.argmin(wrong))
    return float(values[best]), float(wrong[best])
