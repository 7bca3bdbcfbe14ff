r"""Losses of pairs: Σ_i w_i ℓ(u_i − t) over the upper rows u_i at every lower row t, and what they pull.

Three steps over chunks of rows; what a step returns for two chunks adds up by ``+``: *survey* what all chunks must
agree on, *summarise* the upper rows, and *tension* of the lower rows. Between them, row by row, the sums at the lower
rows and the pull on the upper ones.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from podium._fast.pairs import hinge_sums
from podium._input import FloatArray
from podium.criteria.classes import Classes
from podium.criteria.log_sum import LogSum
from podium.criteria.point_sums import Points

# What chunks give and add up: numbers, arrays, or objects with ``+``.
Summary = Any


@dataclass(frozen=True, slots=True)
class PairSums:
    """At every lower row t: log r(t), r(t) = Σ_i w_i ℓ(u_i − t), and r'(t)/r(t), zero where r is."""

    log: FloatArray
    slope: FloatArray
    order: npt.NDArray[np.intp] | None = None  # of the lower rows, ascending, where that was needed

    @classmethod
    def of(cls, sums: FloatArray, derivatives: FloatArray, order: npt.NDArray[np.intp] | None = None) -> PairSums:
        with np.errstate(divide="ignore", invalid="ignore"):
            return cls(np.log(sums), np.where(sums > 0, derivatives / sums, 0.0), order)

    def force(self, elasticity: FloatArray) -> FloatArray:
        """Elasticity over r: how much a criterion loses per unit of r."""
        with np.errstate(over="ignore", invalid="ignore"):
            return np.where(elasticity > 0, elasticity * np.exp(-self.log), 0.0)


class PairLoss(ABC):
    """A nonincreasing ℓ of the difference of an upper and a lower score."""

    def survey(self, rows: Classes) -> Summary:
        """What all chunks must agree on before they are summarised; nothing by default."""
        return 0

    def agreed(self, survey: Summary) -> PairLoss:
        """The loss for a sample so surveyed."""
        return self

    @abstractmethod
    def summarise(self, upper: FloatArray, weight: FloatArray | None) -> Summary:
        """What the upper rows add to the sums."""

    @abstractmethod
    def at(self, summary: Summary, lower: FloatArray) -> PairSums:
        """The sums over all upper rows, at lower rows."""

    @abstractmethod
    def tension(self, sums: PairSums, lower: FloatArray, elasticity: FloatArray) -> Summary:
        """What the lower rows add to the pull; elasticity = −∂ criterion / ∂ log r, row by row."""

    @abstractmethod
    def pull(self, summary: Summary, tension: Summary, upper: FloatArray, weight: FloatArray | None) -> FloatArray:
        """The derivative of the criterion with respect to upper scores."""


@dataclass(frozen=True, slots=True)
class ExponentialLoss(PairLoss):
    """ℓ(r) = e^(−r). It separates: log r(t) = t + log Σ_i w_i e^(−u_i), so everything is O(n + m)."""

    def summarise(self, upper: FloatArray, weight: FloatArray | None) -> LogSum:
        return LogSum.of(-upper, weight)

    def at(self, summary: LogSum, lower: FloatArray) -> PairSums:
        return PairSums(lower + summary.log, np.ones(1))

    def tension(self, sums: PairSums, lower: FloatArray, elasticity: FloatArray) -> float:
        return float(elasticity.sum())

    def pull(self, summary: LogSum, tension: float, upper: FloatArray, weight: FloatArray | None) -> FloatArray:
        return tension * summary.shares(-upper, weight)


@dataclass(frozen=True, slots=True)
class HingeLoss(PairLoss):
    """ℓ(r) = (1 − r)₊ or its square: exact, by sorting and walking upwards, O(N log N)."""

    power: int  # 1 or 2

    def summarise(self, upper: FloatArray, weight: FloatArray | None) -> Points:
        return Points.of(upper, weight)

    def at(self, summary: Points, lower: FloatArray) -> PairSums:
        order = np.argsort(lower)
        powers = hinge_sums(summary.scores, summary.weight, lower[order] + 1)
        sums, derivatives = np.empty_like(lower), np.empty_like(lower)
        sums[order] = powers[self.power]
        derivatives[order] = self.power * powers[self.power - 1]
        return PairSums.of(sums, derivatives, order)

    def tension(self, sums: PairSums, lower: FloatArray, elasticity: FloatArray) -> Points:
        descending = sums.order[::-1]  # type: ignore[index]  # ``at`` gave it
        return Points.of(-1 - lower[descending], sums.force(elasticity)[descending])

    def pull(self, summary: Points, tension: Points, upper: FloatArray, weight: FloatArray | None) -> FloatArray:
        order = np.argsort(-upper)
        powers = hinge_sums(tension.scores, tension.weight, -upper[order])  # mirrored: walks downwards
        pull = np.empty_like(upper)
        pull[order] = self.power * powers[self.power - 1]
        return pull if weight is None else pull * weight
