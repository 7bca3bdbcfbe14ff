"""Rows with labels and weights, as they pass through the stages of a fit, and how their columns are scaled."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import ndtri

from podium._fast.order import groups_of_rows
from podium._types import Array, BoolArray, FloatArray, Sample
from podium.exceptions import InputError
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


_LARGEST = 1e100  # whose square, and the squares of its products, are numbers
_MAX_KNOTS = 1000  # of a column's distribution function, about
_FEWEST = 5  # rows that a knot stands for, so that none is one row's own value
_IN_CACHE = 50_000  # numbers


def row_blocks(X: FloatArray) -> Iterator[slice]:
    """Rows so few at a time that what is made of them stays in the processor's cache."""
    step = max(1, _IN_CACHE // X.shape[1])
    return (slice(start, start + step) for start in range(0, len(X), step))


@dataclass(frozen=True, eq=False)
class Columns:
    """Which columns vary, where they lie and how far they spread.

    Sparse columns are left unchanged: centering would make them dense, and unit variance would overweight a few rows of
    rare columns. Their units are chosen with the plug-in rule (`podium.rankers.lines.prepare`).
    """

    kept: npt.NDArray[np.intp]
    mean: FloatArray
    scale: FloatArray
    n_input: int
    is_standardized: bool

    @classmethod
    def fit(cls, sub: Rows, everything: RowSource, *, standardize: bool) -> Columns:
        """From a subsample, except that only a column constant in ``everything`` is dropped."""
        X, weight = sub.X, sub.weight
        largest = max(abs(float(X.max())), abs(float(X.min())))
        if largest > _LARGEST:
            raise InputError(
                f"A direction needs features within ±{_LARGEST:g}; got {largest:g}.", "divide the column by a number."
            )
        if not isinstance(X, np.ndarray):
            every = np.arange(X.shape[1])
            return cls(every, np.zeros(len(every)), np.ones(len(every)), len(every), standardize)
        share = weight / weight.sum()
        mean = share @ X
        deviation = np.sqrt(sum(share[rows] @ (X[rows] - mean) ** 2 for rows in row_blocks(X)))
        is_spread = deviation > 1e-12 * np.abs(mean)
        varies = is_spread.copy()
        if not is_spread.all():
            varies[~is_spread] = everything.vary(~is_spread)
        if not varies.any():
            varies[:] = True  # nothing to learn from, but a model all the same
        # A column that varies, but not in the subsample, has no spread to divide by.
        scale = np.where(is_spread, deviation, 1.0) if standardize else np.ones_like(deviation)
        kept = np.flatnonzero(varies)
        return cls(kept, mean[kept] if standardize else 0 * mean[kept], scale[kept], X.shape[1], standardize)

    def standardize(self, X: Any) -> Any:
        """The columns kept, centered and scaled; sparse rows as they are."""
        if not isinstance(X, np.ndarray):
            return X
        columns = X if len(self.kept) == self.n_input else X[:, self.kept]
        standardized = np.empty(columns.shape)
        for part in row_blocks(columns):
            np.subtract(columns[part], self.mean, out=standardized[part])
            standardized[part] /= self.scale
        return standardized

    def only(self, chosen: npt.NDArray[np.intp]) -> Columns:
        """Some of those kept."""
        return replace(self, kept=self.kept[chosen], mean=self.mean[chosen], scale=self.scale[chosen])

    @property
    def embedding(self) -> Any:
        """From weights on standardized columns to weights on those given: a sparse matrix."""
        places = (self.kept, np.arange(len(self.kept)))
        return sparse.csr_array((1 / self.scale, places), shape=(self.n_input, len(self.kept)))

    def on_standardized(self, weights: FloatArray) -> FloatArray:
        """From weights on the columns given to weights on standardized ones."""
        return weights[self.kept] * self.scale


@dataclass(frozen=True, eq=False)
class NormalScores:
    """Every column mapped to Φ⁻¹ of its distribution function, with mid-ranks at ties; linear between known values."""

    knots: list[FloatArray]
    heights: list[FloatArray]

    @classmethod
    def fit(cls, X: FloatArray, weight: FloatArray) -> NormalScores:
        """A value that five rows share is a knot; between such values, so is the mean of every five that differ."""
        knots, heights = [], []
        for column in X.T:
            values, group = groups_of_rows(column)
            mass, block = np.bincount(group, weights=weight), _blocks(np.bincount(group))
            kept = block >= 0
            shares = (np.cumsum(mass) - mass / 2)[kept] / mass.sum()
            weights, block = mass[kept], block[kept]
            knots.append(np.bincount(block, values[kept]) / np.bincount(block))
            heights.append(np.asarray(ndtri(np.bincount(block, weights * shares) / np.bincount(block, weights))))
        return cls(knots, heights)

    def transform(self, X: FloatArray) -> FloatArray:
        columns = zip(X.T, self.knots, self.heights, strict=True)
        return np.column_stack([np.interp(column, knots, heights) for column, knots, heights in columns])


def _blocks(n_rows: Array) -> Array:
    """Which knot each value of a column belongs to, by the rows that have it; −1 for fewer than five between two knots.

    They are values that differ, not rows, that are counted where rows are few: a row of weight 3 is then three rows.
    """
    size = max(_FEWEST, -(-len(n_rows) // _MAX_KNOTS))
    is_knot = n_rows >= max(_FEWEST, n_rows.sum() / _MAX_KNOTS)
    run = np.cumsum(is_knot | np.append(True, is_knot[:-1]))  # of values that are none, or one that is
    first = np.searchsorted(run, run)
    length = np.searchsorted(run, run, side="right") - first
    within = np.minimum((np.arange(len(run)) - first) // size, np.maximum(length // size, 1) - 1)
    is_kept = is_knot | (length >= _FEWEST)
    if not is_kept.any():  # of so few rows nothing is learned that could be kept from anyone
        return np.arange(len(run))
    block = np.full(len(run), -1)
    block[is_kept] = np.unique(run[is_kept] * (len(run) + 1) + within[is_kept], return_inverse=True)[1]
    return block
