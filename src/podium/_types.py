"""Types that everything shares: arrays, and a sample as it leaves the input door."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

_T = TypeVar("_T")
Sometimes = Annotated[_T, "not in every fit"]  # of what an estimator learns; see `podium.persist.states`


@dataclass(frozen=True, slots=True)
class Sample:
    """Scores, which of them are positive, and their weights (None: all one), checked and of equal length.

    Where a list comes in chunks, ``first`` is the number of the first of these rows in the whole.
    """

    scores: Array
    is_positive: BoolArray
    weight: FloatArray | None = None
    first: int = 0

    def subset(self, rows: Array) -> Sample:
        """Some of the rows, by a mask or by their places."""
        return Sample(self.scores[rows], self.is_positive[rows], None if self.weight is None else self.weight[rows])

    @property
    def is_separated(self) -> bool:
        """Whether every positive stands above every negative."""
        return bool(self.scores[self.is_positive].min() > self.scores[~self.is_positive].max())
