"""The rows of a chunk by class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from podium._fast.lists import join, split
from podium._fast.order import rows_by_class
from podium._types import BoolArray, FloatArray

IntArray = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False, slots=True)
class Classes:
    """Scores that should be above (``upper``) and below (``lower``), and their weights.

    Each class is in the order of the rows, or ascending; then its places among the rows are known.
    """

    upper: FloatArray
    lower: FloatArray
    upper_weight: FloatArray | None
    lower_weight: FloatArray | None
    is_upper: BoolArray
    rows: tuple[IntArray, IntArray] | None = None

    @classmethod
    def of(cls, scores: FloatArray, is_upper: BoolArray, weight: FloatArray | None) -> Classes:
        """In the order of the rows."""
        upper, lower = split(scores, is_upper)
        upper_weight, lower_weight = (None, None) if weight is None else split(weight, is_upper)
        return cls(upper, lower, upper_weight, lower_weight, is_upper)

    @classmethod
    def ascending(cls, scores: FloatArray, is_upper: BoolArray, weight: FloatArray | None) -> Classes:
        """By ascending score."""
        (up, upper), (down, lower) = rows_by_class(scores, is_upper)
        upper_weight, lower_weight = (None, None) if weight is None else (weight[up], weight[down])
        return cls(upper, lower, upper_weight, lower_weight, is_upper, (up, down))

    def in_rows(self, upper: FloatArray, lower: FloatArray) -> FloatArray:
        """Values of both classes in the order of the rows."""
        values = np.empty(len(self.is_upper))
        if self.rows is None:
            join(np.concatenate([upper, lower]), len(upper), self.is_upper, values)
        else:
            for rows, of_class in zip(self.rows, (upper, lower), strict=True):
                values[rows] = of_class
        return values
