"""A criterion along a line of scores: what coordinate ascent searches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from podium._fast.reductions import class_ranges, shares_by_side, tilted, tilted_moments
from podium._types import FloatArray, Sample

if TYPE_CHECKING:
    from podium.criteria.base import Criterion


class ScoreLine(ABC):
    """The criterion at scores + step · direction, as a function of the step."""

    @abstractmethod
    def derivatives(self, step: float) -> tuple[float, float]:
        """Slope and curvature; the latter may be NaN where it is not known."""

    @abstractmethod
    def at(self, step: float) -> tuple[float, FloatArray]:
        """The criterion and its gradient in the scores."""

    def exact_step(self) -> float | None:
        """The best step if there is a formula for it; it may be infinite."""
        return None


class CriterionLine(ScoreLine):
    """Of any criterion: every point asked for costs a gradient."""

    def __init__(self, criterion: Criterion, rows: Sample, direction: FloatArray) -> None:
        self.criterion, self.rows, self.direction = criterion, rows, direction

    def derivatives(self, step: float) -> tuple[float, float]:
        return float(self.at(step)[1] @ self.direction), np.nan

    def at(self, step: float) -> tuple[float, FloatArray]:
        return self.criterion.evaluate(replace(self.rows, scores=self.rows.scores + step * self.direction))


class ExponentialLine(ScoreLine):
    r"""Of the push with exponential loss, from value and gradient where the line starts (R09, Equation 1 and Figure 2).

    .. math:: V(\alpha) = V - \log\sum_i g_i e^{-\alpha h_i} - \tfrac1p \log\sum_k |g_k| e^{p \alpha h_k}

    Its slope is a difference of two tilted means of h. For a direction of zeros and ones, with A and C the shares of
    positives and of negatives where it is one, the best step is log(A(1 − C)/((1 − A)C)) / (p + 1); at p = 1 this is
    RankBoost's.
    """

    def __init__(self, p: float, value: float, gradient: FloatArray, direction: FloatArray) -> None:
        self.p, self.value, self.gradient, self.direction = p, value, gradient, direction
        self.ranges = class_ranges(gradient, direction)

    def derivatives(self, step: float) -> tuple[float, float]:
        a0, a1, a2, b0, b1, b2 = tilted_moments(self.gradient, self.direction, *self._tilt(step))
        up, down = a1 / a0, b1 / b0
        return up - down, -(a2 / a0 - up * up) - self.p * (b2 / b0 - down * down)

    def at(self, step: float) -> tuple[float, FloatArray]:
        gradient, log_up, log_down = tilted(self.gradient, self.direction, *self._tilt(step))
        return self.value - log_up - log_down / self.p, gradient

    def exact_step(self) -> float | None:
        if not np.all((self.direction == 0) | (self.direction == 1)):
            return None
        # Infinite, or no number, where the direction separates all positives or negatives that still count.
        with np.errstate(divide="ignore", invalid="ignore"):
            a, not_a, c, not_c = np.log(shares_by_side(self.gradient, self.direction))
            return float((a - not_a) - (c - not_c)) / (self.p + 1)

    def _tilt(self, step: float) -> tuple[float, float, float, float]:
        up, down = -step, self.p * step
        low_up, high_up, low_down, high_down = self.ranges
        # Shifted by the largest exponent of each class, no sum can overflow or vanish.
        return up, down, max(up * low_up, up * high_up), max(down * low_down, down * high_down)
