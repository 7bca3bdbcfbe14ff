"""The rows of a chunk by class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from podium._fast.split import join, split
from podium._input import FloatArray, Sample

IntArray = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Classes:
    """Scores that should be above (``upper``) and below (``lower``), and their weights."""

    upper: FloatArray
    lower: FloatArray
    upper_weight: FloatArray | None
    lower_weight: FloatArray | None

    @classmethod
    def of(cls, rows: Sample) -> Classes:
        upper, lower = split(rows.scores, rows.is_positive)
        if rows.weight is None:
            return cls(upper, lower, None, None)
        return cls(upper, lower, *split(rows.weight, rows.is_positive))

    def mirrored(self) -> Classes:
        """The list turned upside down: the lower rows, now upper, against the others."""
        return Classes(-self.lower, -self.upper, self.lower_weight, self.upper_weight)

    @cached_property
    def upper_order(self) -> IntArray:
        """Of the upper rows, ascending."""
        return np.argsort(self.upper)

    @cached_property
    def lower_order(self) -> IntArray:
        """Of the lower rows, ascending."""
        return np.argsort(self.lower)


def joined(upper: FloatArray, lower: FloatArray, rows: Sample) -> FloatArray:
    """Values of both classes in the order of the rows."""
    values = np.empty(len(rows.scores))
    join(np.concatenate([upper, lower]), len(upper), rows.is_positive, values)
    return values
