"""Rows as counts, and the limits of a share of them."""

from __future__ import annotations

import numpy as np

from podium._normal import normal_quantile
from podium._types import FloatArray


def counted(weight: FloatArray | None, n_rows: int) -> FloatArray:
    """Weights that sum to the number of rows of equal weight that they are worth, (Σw)²/Σw² (Kish)."""
    return np.ones(n_rows) if weight is None else weight * (weight.sum() / (weight @ weight))


def wilson(hits: FloatArray, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Wilson's 95 % limits of shares."""
    z = normal_quantile(0.95)
    middle = (hits + z**2 / 2) / (rows + z**2)
    spread = z / (rows + z**2) * np.sqrt(hits * (rows - hits) / rows + z**2 / 4)
    return middle - spread, middle + spread
