"""Scaling of columns before a direction is computed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import ndtri

from podium._fast.order import groups_of_rows
from podium._types import FloatArray
from podium.exceptions import InputError
from podium.rankers.lines.rows import Rows, RowSource

_LARGEST = 1e100  # whose square, and the squares of its products, are numbers
_MAX_KNOTS = 1000  # of a column's distribution function
_IN_CACHE = 50_000  # numbers


def row_blocks(X: FloatArray) -> Iterator[slice]:
    """Rows so few at a time that what is made of them stays in the processor's cache."""
    step = max(1, _IN_CACHE // X.shape[1])
    return (slice(start, start + step) for start in range(0, len(X), step))


@dataclass(frozen=True, eq=False)
class Columns:
    """Which columns vary, where they lie and how far they spread.

    Sparse columns are left unchanged: centering would make them dense, and unit variance would overweight a few rows of
    rare columns. Their units are chosen with the plug-in rule (`podium.rankers.lines.plug_in`).
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
        knots, heights = [], []
        for column in X.T:
            values, group = groups_of_rows(column)
            mass = np.bincount(group, weights=weight)
            shares = (np.cumsum(mass) - mass / 2) / mass.sum()
            chosen = np.unique(np.linspace(0, len(values) - 1, min(len(values), _MAX_KNOTS)).astype(np.intp))
            knots.append(values[chosen])
            heights.append(np.asarray(ndtri(shares[chosen])))
        return cls(knots, heights)

    def transform(self, X: FloatArray) -> FloatArray:
        columns = zip(X.T, self.knots, self.heights, strict=True)
        return np.column_stack([np.interp(column, knots, heights) for column, knots, heights in columns])
