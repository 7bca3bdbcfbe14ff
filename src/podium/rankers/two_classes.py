"""Two classes: which labels there are, and where to cut between them."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from podium._fast.order import rows_ascending
from podium._types import BoolArray, FloatArray, Sample
from podium.exceptions import InputError
from podium.rounds.computation import Step, run_over

_N_CELLS = 1 << 12
_MOST_ROUNDS = 4  # of counting, after which the rows that are left are gathered, however many
_FEW = 1 << 17  # rows that are gathered after counting
_FEWER = 1 << 12  # rows that are gathered without counting, which would cost more


def two_labels(y: npt.NDArray[Any], pos_label: Any) -> npt.NDArray[Any]:
    """The labels in order, or the positive one last where it is said which that is."""
    labels = distinct_labels(y)
    if len(labels) > 2:
        raise InputError(
            f"Only binary classification is supported. The type of the target is {type_of_target(y)}.",
            "for one class against the rest pass y == that_class.",
        )
    if pos_label is None:
        return labels
    if pos_label not in labels.tolist():
        raise InputError(f"pos_label={pos_label!r} does not occur in y; got the labels {labels.tolist()}.")
    return labels if labels[-1] == pos_label else labels[::-1]


def distinct_labels(y: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """In order; two whole numbers by passes over the labels, without a sort."""
    if y.dtype.kind in "biu" and len(y):
        both = np.array([y.min(), y.max()])
        if np.all((y == both[0]) | (y == both[1])):
            return both[:1] if both[0] == both[1] else both
    check_classification_targets(y)
    return np.unique(y)


def best_threshold(scores: FloatArray, is_positive: BoolArray, weight: FloatArray | None) -> float:
    """Midway between the two scores between which the training error is least."""
    return run_over(threshold_rounds(), [Sample(scores, is_positive, weight)])[0]


def threshold_rounds() -> Generator[Step, Any, float]:
    """The same of rows in chunks: cells are counted, and only the rows of those with the best cuts looked at."""
    whole: Reach = yield _extent
    below, left = np.zeros(2), whole
    for _ in range(_MOST_ROUNDS if whole.n_rows > _FEWER else 0):
        cut = EqualCells(left.low, left.high)
        masses: FloatArray = yield partial(_masses, cut)
        these = _candidates(masses, below, whole.mass)
        below = below + masses[:, : these[0]].sum(axis=1)
        left = yield partial(_keep, these)
        if left.n_rows <= _FEW:
            break
    gathered: RowsLeft = yield _gather
    value, lower, wrong = gathered.best_cut(below, whole.mass)
    if wrong >= whole.mass[1]:
        return whole.high  # to call nothing positive is no worse
    if lower is None:  # it lies beneath the rows that were looked at
        others: Reach = yield partial(_below, value)
        lower = others.high
    return value / 2 + lower / 2 if np.isfinite(lower) else float(np.nextafter(value, -np.inf))


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Reach:
    """Of some rows: how many there are, the least and the highest score, and the mass of negatives and positives."""

    n_rows: int
    low: float
    high: float
    mass: FloatArray

    @classmethod
    def of(cls, rows: Sample) -> Reach:
        if not len(rows.scores):
            return cls(n_rows=0, low=np.inf, high=-np.inf, mass=np.zeros(2))
        up, weight = rows.is_positive, rows.weight
        on_pos, total = (np.count_nonzero(up), len(up)) if weight is None else (weight @ up, weight.sum())
        mass = np.array([total - on_pos, on_pos], dtype=np.float64)
        return cls(n_rows=len(rows.scores), low=float(rows.scores.min()), high=float(rows.scores.max()), mass=mass)

    def __add__(self, other: Reach) -> Reach:
        return Reach(
            n_rows=self.n_rows + other.n_rows,
            low=min(self.low, other.low),
            high=max(self.high, other.high),
            mass=self.mass + other.mass,
        )


@dataclass(frozen=True)
class EqualCells:
    """EqualCells of equal width from the least to the highest score."""

    low: float
    high: float

    def of(self, scores: FloatArray) -> npt.NDArray[np.intp]:
        width = self.high / 2 - self.low / 2  # halves, since the difference may overflow
        if not _N_CELLS * np.finfo(np.float64).tiny < width < np.inf:
            return np.zeros(len(scores), np.intp)
        places = scores * 0.5
        places -= self.low / 2
        places *= _N_CELLS / width
        return np.minimum(places, _N_CELLS - 1, out=places).astype(np.intp)


Kept = tuple[Sample, npt.NDArray[np.intp]]  # rows that are left, and their cells


@dataclass(frozen=True, eq=False, slots=True)
class RowsLeft:
    """Rows that were looked at one by one, in parts."""

    parts: tuple[Sample, ...]

    def __add__(self, other: RowsLeft) -> RowsLeft:
        return RowsLeft(self.parts + other.parts)

    def best_cut(self, below: FloatArray, mass: FloatArray) -> tuple[float, float | None, float]:
        """The lowest positive to cut just below with the least error, the next lower score, and that error.

        Wrong are the positives below it and the negatives that are not. ``below`` is the mass beneath all these rows.
        """
        scores = np.concatenate([rows.scores for rows in self.parts])
        is_positive = np.concatenate([rows.is_positive for rows in self.parts])
        each = [np.ones(len(rows.scores)) if rows.weight is None else rows.weight for rows in self.parts]
        order, ascending = rows_ascending(scores)
        masses = (np.concatenate(each) * [~is_positive, is_positive])[:, order]
        first = np.searchsorted(ascending, ascending[masses[1] > 0])
        neg, pos = below[:, None] + (np.cumsum(masses, axis=1) - masses)[:, first]
        wrong = pos + mass[0] - neg
        best = int(np.argmin(wrong))
        place = first[best]
        return float(ascending[place]), float(ascending[place - 1]) if place else None, float(wrong[best])


def _extent(rows: Sample, kept: None) -> tuple[Reach, None]:
    return Reach.of(rows), None


def _masses(cut: EqualCells, rows: Sample, kept: Kept | None) -> tuple[FloatArray, Kept]:
    """The mass of the negatives and of the positives in every cell."""
    left = rows if kept is None else kept[0]
    cells = cut.of(left.scores)
    counts = np.bincount(2 * cells + left.is_positive, left.weight, 2 * _N_CELLS)
    return counts.reshape(_N_CELLS, 2).T.astype(np.float64), (left, cells)


def _candidates(masses: FloatArray, below: FloatArray, mass: FloatArray) -> tuple[int, int]:
    """The first and the last cell in which the best cut may lie, just below a positive."""
    neg, pos = masses
    before = below[:, None] + np.cumsum(masses, axis=1) - masses
    at_start = before[1] + mass[0] - before[0]
    # Just below the first positive of a cell no more are wrong than at its start. Weights are added up in any order.
    enough = at_start[pos > 0].min() + 1e-9 * mass.sum()
    these = np.flatnonzero((pos > 0) & (at_start - neg <= enough))
    return int(these[0]), int(these[-1])


def _keep(these: tuple[int, int], rows: Sample, kept: Kept) -> tuple[Reach, Kept]:
    left, cells = kept
    inside = np.flatnonzero((cells >= these[0]) & (cells <= these[1]))
    left = left.subset(inside)
    return Reach.of(left), (left, cells[inside])


def _gather(rows: Sample, kept: Kept | None) -> tuple[RowsLeft, None]:
    return RowsLeft((rows if kept is None else kept[0],)), None


def _below(value: float, rows: Sample, kept: None) -> tuple[Reach, None]:
    """Of the rows with scores below a value."""
    return Reach.of(rows.subset(rows.scores < value)), kept
