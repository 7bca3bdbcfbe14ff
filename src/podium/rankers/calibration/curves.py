"""Which curve: the one asked for, or the one that the number of rows allows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from podium import _input
from podium._types import BoolArray, FloatArray
from podium.rankers.calibration.isotonic import Isotonic
from podium.rankers.calibration.platt import Platt

_FEW = 100  # rows of the rarer class: below, a curve with two parameters says more than steps


def fit_calibration(
    method: Any, scores: FloatArray, is_positive: BoolArray, weight: FloatArray | None
) -> Isotonic | Platt:
    """The curve of a name: ``"isotonic"`` or ``"platt"``."""
    _input.check_choice("calibrate", method, ("isotonic", "platt"))
    return (Isotonic if method == "isotonic" else Platt).fit(scores, is_positive, weight)


@dataclass(frozen=True, eq=False)
class Calibration:
    """Isotonic regression with at least 100 rows of each class, with fewer Platt's curve.

    Beyond the scores it was learned from, where nothing is known, it says what it says of the nearest.
    """

    curve: Isotonic | Platt
    least: float
    largest: float

    @classmethod
    def fit(cls, scores: FloatArray, is_positive: BoolArray) -> Calibration:
        """From rows that had no part in making the scorer; both classes must be there."""
        n_pos = int(is_positive.sum())
        few = min(n_pos, len(is_positive) - n_pos) < _FEW
        curve = (Platt if few else Isotonic).fit(scores, is_positive)
        return cls(curve, float(scores.min()), float(scores.max()))

    def __call__(self, scores: FloatArray) -> FloatArray:
        """The chance of every score."""
        return self.curve(np.clip(scores, self.least, self.largest))

    def limits(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Between which the chance of a score is with 95 % confidence."""
        return self.curve.limits(np.clip(scores, self.least, self.largest))
