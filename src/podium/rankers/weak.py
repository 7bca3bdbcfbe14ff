"""Weak rankers h_j with values in [0, 1], as coordinates for coordinate ascent: f = Σ_j λ_j h_j (R09, §5)."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from podium._fast.order import groups_of_rows
from podium._fast.trees import steepest_stump
from podium._types import FloatArray, Sample
from podium.criteria import Criterion
from podium.criteria.base import ScoreLine
from podium.exceptions import InputError
from podium.solvers.coordinate_ascent import Coordinates

Weak = TypeVar("Weak", int, tuple[int, int])

_AFRESH = 50  # rounds after which the gradient is computed anew: along lines it is updated, and rounding adds up

_LARGEST = 1e100  # whose square, and the reciprocal of it, are numbers


class WeakRankers(Coordinates[Weak]):
    """A criterion as a function of the weights λ; scores and their gradient are kept and updated."""

    def __init__(self, criterion: Criterion, rows: Sample) -> None:
        self.criterion, self.rows, self._moves = criterion, rows, 0
        self._positives, self._negatives = np.flatnonzero(rows.is_positive), np.flatnonzero(~rows.is_positive)
        self._wrong_pair = self._positives[0], self._negatives[0]
        self._compute()

    @abstractmethod
    def ranking(self, coordinate: Weak) -> FloatArray:
        """h_j of every row."""

    def line(self, coordinate: Weak) -> ScoreLine:
        return self.criterion.along(self.rows, self.value, self.gradient, self.ranking(coordinate))

    def move(self, line: ScoreLine, coordinate: Weak, step: float) -> None:  # type: ignore[override]
        self.rows = replace(self.rows, scores=self.rows.scores + step * self.ranking(coordinate))
        self._moves += 1
        if self._moves % _AFRESH:
            self.value, self.gradient = line.at(step)
        else:
            self._compute()

    def is_separated(self) -> bool:
        """Whether every positive stands above every negative; the pair that was wrong last time is asked first."""
        scores, (positive, negative) = self.rows.scores, self._wrong_pair
        if scores[positive] <= scores[negative]:
            return False
        positive = self._positives[np.argmin(scores[self._positives])]
        negative = self._negatives[np.argmax(scores[self._negatives])]
        self._wrong_pair = positive, negative
        return bool(scores[positive] > scores[negative])

    def _compute(self) -> None:
        self.value, self.gradient = self.criterion.evaluate(self.rows)


class FeatureRankers(WeakRankers[int]):
    """Each column scaled to [0, 1] by its least and largest value is a weak ranker, as in the experiments of R09."""

    def __init__(self, criterion: Criterion, rows: Sample, X: FloatArray) -> None:
        low, high = X.min(axis=0), X.max(axis=0)
        largest = max(float(np.abs(low).max()), float(np.abs(high).max()))
        if largest > _LARGEST:
            raise InputError(
                f"Weak rankers need features within ±{_LARGEST:g}; got {largest:g}.", "divide the column by a number."
            )
        self.width = np.where(high - low > 1 / _LARGEST, high - low, np.inf)  # constant columns become zeros
        self.columns = np.asfortranarray((X - low) / self.width)
        super().__init__(criterion, rows)

    def steepest(self) -> tuple[int, float]:
        slopes = self.gradient @ self.columns
        j = int(np.argmax(np.abs(slopes)))
        return j, float(slopes[j])

    def ranking(self, coordinate: int) -> FloatArray:
        return self.columns[:, coordinate]


class Stumps(WeakRankers[tuple[int, int]]):
    """Each column and threshold is a weak ranker, 1{x > threshold}: one scan finds the steepest of all."""

    def __init__(self, criterion: Criterion, rows: Sample, columns: BinnedColumns) -> None:
        self.columns, self.n_bins = columns, columns.n_bins
        super().__init__(criterion, rows)

    def steepest(self) -> tuple[tuple[int, int], float]:
        column, threshold, slope = steepest_stump(self.columns.bins, self.n_bins, self.gradient)
        return (column, threshold), slope

    def ranking(self, coordinate: tuple[int, int]) -> FloatArray:
        column, threshold = coordinate
        return (self.columns.bins[column] > threshold).astype(np.float64)


@dataclass(frozen=True, eq=False)
class BinnedColumns:
    """Thresholds of every column, ascending, and the bin of every row: how many thresholds lie below its value."""

    thresholds: list[FloatArray]
    bins: npt.NDArray[Any]  # a column per row of this matrix, so that a scan over a column is contiguous

    @classmethod
    def fit(cls, X: FloatArray, weight: FloatArray | None, max_thresholds: int) -> BinnedColumns:
        """Midway between neighboring values, all of them or such that the bins have about equal weight."""
        thresholds = [_thresholds(column, weight, max_thresholds) for column in X.T]
        most = max(len(each) for each in thresholds)
        bins = np.empty((X.shape[1], len(X)), np.uint8 if most < 2**8 else np.uint16 if most < 2**16 else np.uint32)
        for c, each in enumerate(thresholds):
            bins[c] = np.searchsorted(each, X[:, c])  # a value equal to a threshold is not above it
        return cls(thresholds, bins)

    @property
    def n_bins(self) -> npt.NDArray[np.intp]:
        return np.array([len(each) + 1 for each in self.thresholds])


def _thresholds(column: FloatArray, weight: FloatArray | None, max_thresholds: int) -> FloatArray:
    values, group = groups_of_rows(column)
    gaps = len(values) - 1
    if gaps > max_thresholds:
        passed = np.cumsum(np.bincount(group, weight))[:-1]  # weight at or below each gap
        wanted = np.linspace(0, np.bincount(group, weight).sum(), max_thresholds + 2)[1:-1]
        chosen = np.unique(np.minimum(np.searchsorted(passed, wanted * (1 - 1e-12)), gaps - 1))
    else:
        chosen = np.arange(gaps)
    low, high = values[chosen], values[chosen + 1]
    middle = low + (high / 2 - low / 2)  # a difference may overflow, half of it cannot
    return np.where(middle < high, middle, low)  # between neighboring floats there is no middle
