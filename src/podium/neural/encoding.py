"""From columns to what a network learns well from: robust scales, broken lines, codes of categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from podium._types import BoolArray, FloatArray

_PIECES = 8  # of the broken line of a column


@dataclass(frozen=True)
class Encoding:
    """What was learned of each column: for numbers center, scale and knots, for categories the codes that were seen."""

    numbers: tuple[int, ...]
    categories: tuple[int, ...]
    center: FloatArray
    scale: FloatArray
    knots: tuple[FloatArray, ...]
    codes: tuple[FloatArray, ...]
    has_missing: BoolArray

    @classmethod
    def of(cls, X: FloatArray, categorical: Sequence[int]) -> Encoding:
        """Learned from training rows."""
        numbers = tuple(j for j in range(X.shape[1]) if j not in categorical)
        values = [X[~np.isnan(X[:, j]), j] for j in numbers]
        values = [column if len(column) else np.zeros(1) for column in values]
        quartiles = np.array([np.quantile(column, [0.25, 0.5, 0.75]) for column in values]).reshape(-1, 3)
        spread = (quartiles[:, 2] - quartiles[:, 0]) / 1.349  # 1 for a normal column of standard deviation 1
        spread = np.where(spread > 0, spread, [column.std() for column in values])
        quantiles = np.linspace(0, 1, _PIECES + 1)
        return cls(
            numbers,
            tuple(categorical),
            quartiles[:, 1],
            np.where(spread > 0, spread, 1.0),
            tuple(np.unique(np.quantile(column, quantiles)) for column in values),
            tuple(np.unique(X[~np.isnan(X[:, j]), j]) for j in categorical),
            np.array([bool(np.isnan(X[:, j]).any()) for j in numbers], dtype=np.bool_),
        )

    def scaled(self, X: FloatArray) -> FloatArray:
        """Columns of numbers in units of their spread, drawn in beyond three of them; zero where missing."""
        z = (X[:, list(self.numbers)] - self.center) / self.scale
        return np.nan_to_num(z / np.sqrt(1 + (z / 3) ** 2))

    def features(self, X: FloatArray) -> npt.NDArray[np.float32]:
        """Scaled columns, then for each the parts of its pieces that lie below the value, and marks of missing ones."""
        parts = [self.scaled(X)]
        for j, knots, has_missing in zip(self.numbers, self.knots, self.has_missing, strict=True):
            column, missing = np.nan_to_num(X[:, [j]]), np.isnan(X[:, [j]])
            if len(knots) > 2:
                parts.append(np.where(missing, 0.0, np.clip((column - knots[:-1]) / np.diff(knots), 0.0, 1.0)))
            if has_missing:
                parts.append(missing.astype(np.float64))
        return np.concatenate(parts, axis=1).astype(np.float32)

    def coded(self, X: FloatArray) -> npt.NDArray[np.int64]:
        """Categories as numbers from 1 on; 0 is for those that were not seen, and missing ones."""
        out = np.zeros((len(X), len(self.categories)), dtype=np.int64)
        for k, (j, codes) in enumerate(zip(self.categories, self.codes, strict=True)):
            place = np.minimum(np.searchsorted(codes, X[:, j]), max(len(codes) - 1, 0))
            if len(codes):
                out[:, k] = np.where(codes[place] == X[:, j], place + 1, 0)
        return out
