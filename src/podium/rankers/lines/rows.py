"""Rows with labels and weights, as they pass through the stages of a fit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from podium._types import BoolArray, FloatArray, Sample
from podium.models import Model
from podium.objective import Data, DataInMemory

IntArray = npt.NDArray[np.intp]


class RowSource(ABC):
    """All rows that are fitted to, wherever they are: what the stages of a fit ask of them.

    ``n_pos``, ``n_neg`` and ``n_total`` count rows by their weights.
    """

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""

    @property
    @abstractmethod
    def n_pos(self) -> float: ...

    @property
    @abstractmethod
    def n_neg(self) -> float: ...

    @property
    @abstractmethod
    def n_total(self) -> float: ...

    @property
    def smaller_class(self) -> float:
        return min(self.n_pos, self.n_neg)

    @property
    def is_dense(self) -> bool:
        """Whether rows are arrays, not sparse matrices."""
        return True

    @abstractmethod
    def subsample(self, n_rows: int, rng: np.random.RandomState) -> Rows:
        """At most so many rows, of either class at least a tenth where it has them; weights stand for the rest."""

    @abstractmethod
    def vary(self, columns: BoolArray) -> BoolArray:
        """Whether each of these columns has two values."""

    @abstractmethod
    def mapped(self, function: Callable[[Any], Any]) -> RowSource:
        """The same rows with other columns."""

    @property
    @abstractmethod
    def data(self) -> Data:
        """What an objective needs of them."""

    @abstractmethod
    def are_separated(self, model: Model, theta: FloatArray) -> bool:
        """Whether θ scores every positive above every negative."""


@dataclass(frozen=True, eq=False)
class Rows(RowSource):
    """Rows in memory with labels and weights; every row has one."""

    X: Any
    is_positive: BoolArray
    weight: FloatArray

    @property
    def shape(self) -> tuple[int, int]:
        n_rows, n_columns = self.X.shape
        return n_rows, n_columns

    @property
    def is_dense(self) -> bool:
        return isinstance(self.X, np.ndarray)

    def vary(self, columns: BoolArray) -> BoolArray:
        chosen = self.X[:, columns]
        return np.asarray(chosen.max(axis=0) > chosen.min(axis=0))

    def mapped(self, function: Callable[[Any], Any]) -> Rows:
        return replace(self, X=function(self.X))

    @property
    def data(self) -> Data:
        return DataInMemory(self.X, self.is_positive, self._weight_if_any)

    def are_separated(self, model: Model, theta: FloatArray) -> bool:
        return self.scored(model.scores(self.X, theta)).is_separated

    @property
    def n_pos(self) -> float:
        return float(self.weight @ self.is_positive)

    @property
    def n_total(self) -> float:
        return float(self.weight.sum())

    @property
    def n_neg(self) -> float:
        return float(self.weight @ ~self.is_positive)  # a difference of the totals might cancel

    def scored(self, scores: FloatArray) -> Sample:
        """Scores of these rows with their labels and weights."""
        return Sample(scores, self.is_positive, self._weight_if_any)

    @property
    def _weight_if_any(self) -> FloatArray | None:
        return None if np.all(self.weight == 1) else self.weight

    def only(self, chosen: Any) -> Rows:
        """Some of the rows."""
        return Rows(self.X[chosen], self.is_positive[chosen], self.weight[chosen])

    def subsample(self, n_rows: int, rng: np.random.RandomState) -> Rows:
        if len(self.weight) <= n_rows:
            return self
        index, weight = [], []
        n_pos = int(np.count_nonzero(self.is_positive))
        places = subsample_places(n_pos, len(self.weight) - n_pos, n_rows, rng)
        for c, drawn in zip((self.is_positive, ~self.is_positive), places, strict=True):
            chosen = np.flatnonzero(c)[drawn]
            index.append(chosen)
            weight.append(self.weight[chosen] * ((self.weight @ c) / self.weight[chosen].sum()))
        joined = np.concatenate(index)
        return Rows(self.X[joined], self.is_positive[joined], np.concatenate(weight))


def subsample_places(n_pos: int, n_neg: int, n_rows: int, rng: np.random.RandomState) -> list[IntArray]:
    """Which positives and which negatives, numbered in the order of the rows, a subsample of so many rows has."""
    sizes = [min(n, max(round(n_rows * n / (n_pos + n_neg)), n_rows // 10)) for n in (n_pos, n_neg)]
    return [np.sort(_draw(n, size, rng)) for n, size in zip((n_pos, n_neg), sizes, strict=True)]


def _draw(n_members: int, size: int, rng: np.random.RandomState) -> IntArray:
    """So many different numbers below ``n_members``: the first ones that turn up, where they are few of many."""
    if size > n_members // 8:
        return rng.choice(n_members, size, replace=False)  # shuffles all of them
    drawn = rng.randint(n_members, size=size + size // 4 + 20)
    first = np.sort(np.unique(drawn, return_index=True)[1])
    return drawn[first[:size]] if len(first) >= size else rng.choice(n_members, size, replace=False)
