"""Chances by a curve: the one asked for, or the one that the number of rows allows; and whether they hold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from podium import _input
from podium._shares import normal_quantile, wilson
from podium._types import BoolArray, FloatArray
from podium.rankers.calibration.limits import IncreasingLimits
from podium.rankers.calibration.shapes import Isotonic, Platt

_FEW = 100  # rows of the rarer class: below, a curve with two parameters says more than steps
_FOLDS, _BINS, _PER_BIN = 5, 10, 20


def fit_calibration(
    method: Any, scores: FloatArray, is_positive: BoolArray, weight: FloatArray | None
) -> Isotonic | Platt:
    """The curve of a name: ``"isotonic"`` or ``"platt"``."""
    _input.check_choice("calibrate", method, ("isotonic", "platt"))
    return (Isotonic if method == "isotonic" else Platt).fit(scores, is_positive, weight)


@dataclass(frozen=True, eq=False)
class Calibration:
    """Isotonic regression with at least 100 rows of each class, with fewer Platt's curve.

    Beyond the scores it was learned from, where nothing is known, it says what it says of the nearest. Its limits
    suppose no shape, but that chances do not fall with the score.
    """

    curve: Isotonic | Platt
    scores: FloatArray
    is_positive: BoolArray
    weight: FloatArray | None

    @classmethod
    def fit(cls, scores: FloatArray, is_positive: BoolArray, weight: FloatArray | None = None) -> Calibration:
        """From rows that had no part in making the scorer; both classes must be there."""
        n_pos = int(is_positive.sum())
        few = min(n_pos, len(is_positive) - n_pos) < _FEW
        curve = (Platt if few else Isotonic).fit(scores, is_positive, weight)
        return cls(curve, scores, is_positive, weight)

    def __call__(self, scores: FloatArray) -> FloatArray:
        """The chance of every score."""
        return self.curve(np.clip(scores, self.scores.min(), self.scores.max()))

    def limits(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Between which the chance of a score is with 95 % confidence; what is said of it is never outside."""
        chance, (low, high) = self(scores), self._increasing(scores)
        return np.minimum(low, chance), np.maximum(high, chance)

    @cached_property
    def _increasing(self) -> IncreasingLimits:
        return IncreasingLimits.fit(self.scores, self.is_positive, self.weight)


@dataclass(frozen=True, eq=False)
class Reliability:
    """Bins of about equally many rows by the chance said, and the share of positives found there with 95 % limits."""

    said: FloatArray
    found: FloatArray
    low: FloatArray
    high: FloatArray
    n_rows: FloatArray

    @property
    def expected_error(self) -> float:
        """The mean distance of what was found from what was said, over all rows."""
        return float(np.average(np.abs(self.found - self.said), weights=self.n_rows))


def reliability(is_positive: BoolArray, scores: FloatArray) -> Reliability:
    """Chances learned from four fifths of the rows, five times over, and what was found in the other fifth."""
    order = np.argsort(scores, kind="stable")
    fold = np.empty(len(scores), dtype=np.intp)
    for rows in (order[is_positive[order]], order[~is_positive[order]]):
        fold[rows] = np.arange(len(rows)) % _FOLDS  # every fold has scores of all sizes of both classes
    said = np.empty(len(scores))
    for k in range(_FOLDS):
        here = fold == k
        said[here] = Calibration.fit(scores[~here], is_positive[~here])(scores[here])
    n_bins = int(np.clip(len(scores) // _PER_BIN, 2, _BINS))
    parts = np.array_split(np.argsort(said, kind="stable"), n_bins)
    n: FloatArray = np.array([len(part) for part in parts], dtype=np.float64)
    h: FloatArray = np.array([is_positive[part].sum() for part in parts], dtype=np.float64)
    low, high = wilson(h, n, normal_quantile(0.95))
    return Reliability(np.array([said[part].mean() for part in parts]), h / n, low, high, n)
