"""One scale for scores of different members."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from podium import _input
from podium._types import BoolArray, FloatArray
from podium.rankers.calibration.platt import Platt

_MAX_KNOTS = 2000


@dataclass(frozen=True, eq=False)
class NormalScale:
    """Φ⁻¹ of the share of known negatives below a score, half of those equal to it, linear between them.

    That is the scale of the false positive rate, on which the top of a list is wide. Beyond the ends it rises further,
    by at most one: the top must not be tied.
    """

    knots: FloatArray
    heights: FloatArray
    spread: float

    @classmethod
    def fit(cls, scores: FloatArray, is_positive: BoolArray, weight: FloatArray | None) -> NormalScale:
        known = scores[~is_positive]
        each = np.ones(len(known)) if weight is None else weight[~is_positive]
        with np.errstate(over="ignore"):
            # Equal rows may differ in the last bits of their scores: a step between these would rest on nothing.
            group = np.unique(known.astype(np.float32), return_inverse=True)[1]
        mass = np.bincount(group, weights=each)
        values = np.bincount(group, weights=each * known) / mass
        heights = np.asarray(ndtri((np.cumsum(mass) - mass / 2) / mass.sum()))
        if len(values) > _MAX_KNOTS:  # spaced evenly in the height, so that the ends keep their detail
            chosen = np.unique(np.searchsorted(heights, np.linspace(heights[0], heights[-1], _MAX_KNOTS)))
            values, heights = values[chosen], heights[chosen]
        return cls(values, heights, _spread(scores, weight))

    def __call__(self, scores: FloatArray) -> FloatArray:
        beyond = scores - np.clip(scores, self.knots[0], self.knots[-1])
        return np.interp(scores, self.knots, self.heights) + np.tanh(beyond / self.spread)


@dataclass(frozen=True, eq=False)
class PlattScale:
    """Log-odds that a logistic regression on the score gives."""

    curve: Platt

    @classmethod
    def fit(cls, scores: FloatArray, is_positive: BoolArray, weight: FloatArray | None) -> PlattScale:
        return cls(Platt.fit(scores, is_positive, weight))

    def __call__(self, scores: FloatArray) -> FloatArray:
        return self.curve.log_odds(scores)


def _spread(scores: FloatArray, weight: FloatArray | None) -> float:
    centered = scores - np.average(scores, weights=weight)
    return float(np.sqrt(np.average(centered**2, weights=weight))) or 1.0


def fit_scale(
    name: str, scores: FloatArray, is_positive: BoolArray, weight: FloatArray | None
) -> NormalScale | PlattScale:
    """The scale of a name: ``"rank-normal"`` or ``"platt"``."""
    _input.check_choice("scale", name, ("rank-normal", "platt"))
    return (NormalScale if name == "rank-normal" else PlattScale).fit(scores, is_positive, weight)
