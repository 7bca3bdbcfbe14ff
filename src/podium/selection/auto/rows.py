"""Rows that candidates are compared on: parted into some to learn from and some to judge by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from podium._types import BoolArray, FloatArray
from podium.selection.dependence import INDEPENDENT, Dependence
from podium.selection.split import Split


class ValidationRows(Protocol):
    """What the search needs to know of its rows."""

    @property
    def is_positive(self) -> BoolArray:
        """Their labels."""

    @property
    def weight(self) -> FloatArray | None:
        """Their weights; None: all one."""

    @property
    def dependence(self) -> Dependence:
        """What ties them together."""

    def parted(self, part: Split, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """The matrices of the two parts; no label of the second has a share in either."""


@dataclass(frozen=True)
class ArrayRows:
    """Rows of a matrix that was made without labels."""

    X: FloatArray
    is_positive: BoolArray
    weight: FloatArray | None = None
    dependence: Dependence = INDEPENDENT

    def parted(self, part: Split, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        return self.X[part.training], self.X[part.held_out]
