"""Columns made comparable before a direction is sought."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import ndtri

from podium._fast.order.engine import groups_of_rows
from podium._types import FloatArray
from podium.exceptions import InputError

_LARGEST = 1e100  # whose square, and the squares of its products, are numbers
_MAX_KNOTS = 1000  # of a column's distribution function


@dataclass(frozen=True, eq=False)
class Columns:
    """Which columns vary, where they lie and how far they spread. Sparse columns are scaled but not centred."""

    kept: npt.NDArray[np.intp]
    mean: FloatArray
    scale: FloatArray
    n_input: int

    @classmethod
    def fit(cls, X: Any, weight: FloatArray, everything: Any, *, standardize: bool) -> Columns:
        """From a subsample, except that only a column constant in ``everything`` is dropped."""
        largest = max(abs(float(X.max())), abs(float(X.min())))
        if largest > _LARGEST:
            raise InputError(
                f"A direction needs features within ±{_LARGEST:g}; got {largest:g}.", "divide the column by a number."
            )
        share = weight / weight.sum()
        mean = np.asarray(X.T @ share).ravel()
        if not isinstance(X, np.ndarray):
            square = np.asarray(X.multiply(X).T @ share).ravel()
            deviation = np.sqrt(np.maximum(square - mean**2, 0.0))
            mean = np.zeros_like(mean)
        else:
            deviation = np.sqrt(np.maximum(share @ (X - mean) ** 2, 0.0))
        varies = deviation > 1e-12 * np.abs(mean)
        for j in np.flatnonzero(~varies):
            column = everything[:, [j]]
            varies[j] = column.max() > column.min()
        if not varies.any():
            varies[:] = True  # nothing to learn from, but a model all the same
        # A column that varies, but not in the subsample, has no spread to divide by.
        scale = np.where(deviation > 1e-12 * np.abs(mean), deviation, 1.0) if standardize else np.ones_like(deviation)
        kept = np.flatnonzero(varies)
        return cls(kept, mean[kept] if standardize else 0 * mean[kept], scale[kept], X.shape[1])

    def standardize(self, X: Any) -> Any:
        """The columns kept, centred (if dense) and scaled."""
        if not isinstance(X, np.ndarray):
            return (X[:, self.kept] @ sparse.diags_array(1 / self.scale)).tocsr()
        return (X[:, self.kept] - self.mean) / self.scale

    @property
    def embedding(self) -> FloatArray:
        """From weights on standardised columns to weights on those given."""
        matrix = np.zeros((self.n_input, len(self.kept)))
        matrix[self.kept, np.arange(len(self.kept))] = 1 / self.scale
        return matrix

    def on_standardised(self, weights: FloatArray) -> FloatArray:
        """From weights on the columns given to weights on standardised ones."""
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
