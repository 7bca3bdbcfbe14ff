"""The rows of a chunk by class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from podium._fast.lists import join, split
from podium._fast.order import rows_ascending, rows_by_class
from podium._fast.reductions import hinge_sums
from podium._types import BoolArray, FloatArray
from podium.sums.log_sum import LogSum

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


_SMALLEST = 1e-300  # sums below do not count beside others, and their reciprocals may overflow

# What chunks give and add up: numbers, arrays, or objects with ``+``.
Summary = Any


@dataclass(frozen=True, slots=True)
class PairSums:
    """At every lower row t: log r(t), r(t) = Σ_i w_i ℓ(u_i − t), r'(t)/r(t) and 1/r(t), the latter zero where r is."""

    log: FloatArray
    slope: FloatArray
    reciprocal: FloatArray | None = None  # where it cannot overflow

    @classmethod
    def of(cls, sums: FloatArray, derivatives: FloatArray) -> PairSums:
        reciprocal = np.zeros_like(sums)
        np.divide(1.0, sums, out=reciprocal, where=sums > _SMALLEST)
        derivatives *= reciprocal
        with np.errstate(divide="ignore"):
            return cls(np.log(sums, out=sums), derivatives, reciprocal)

    def force(self, elasticity: FloatArray) -> FloatArray:
        """Elasticity over r: how much a criterion loses per unit of r."""
        assert self.reciprocal is not None
        return elasticity * self.reciprocal


class PairLoss(ABC):
    """A nonincreasing ℓ of the difference of an upper and a lower score.

    ``has_margin`` says whether a difference large enough costs nothing at all.
    """

    has_margin: ClassVar[bool] = False

    def classes(self, scores: FloatArray, is_upper: BoolArray, weight: FloatArray | None) -> Classes:
        """The rows by class, in the order that the other steps want; as they are by default."""
        return Classes.of(scores, is_upper, weight)

    def survey(self, rows: Classes) -> Summary:
        """What all chunks must agree on before they are summarized; nothing by default."""
        return 0

    def agreed(self, survey: Summary) -> PairLoss:
        """The loss for a sample so surveyed."""
        return self

    @abstractmethod
    def summarize(self, rows: Classes) -> Summary:
        """What the upper rows add to the sums."""

    @abstractmethod
    def at(self, summary: Summary, rows: Classes) -> PairSums:
        """The sums over all upper rows, at the lower rows."""

    @abstractmethod
    def tension(self, sums: PairSums, rows: Classes, elasticity: FloatArray) -> Summary:
        """What the lower rows add to the pull; elasticity = −∂ criterion / ∂ log r, row by row."""

    @abstractmethod
    def pull(self, summary: Summary, tension: Summary, rows: Classes) -> FloatArray:
        """The derivative of the criterion with respect to the upper scores."""


@dataclass(frozen=True, slots=True)
class ExponentialLoss(PairLoss):
    """ℓ(r) = e^(−r). It separates: log r(t) = t + log Σ_i w_i e^(−u_i), so everything is O(n + m)."""

    def summarize(self, rows: Classes) -> LogSum:
        return LogSum.of(rows.upper, rows.upper_weight, -1.0)

    def at(self, summary: LogSum, rows: Classes) -> PairSums:
        return PairSums(rows.lower + summary.log, np.ones(1))

    def tension(self, sums: PairSums, rows: Classes, elasticity: FloatArray) -> float:
        return float(elasticity.sum())

    def pull(self, summary: LogSum, tension: float, rows: Classes) -> FloatArray:
        pull = summary.shares(rows.upper, rows.upper_weight, -1.0)
        pull *= tension
        return pull


@dataclass(frozen=True, slots=True)
class Ascending:
    """Ascending numbers, and the weight of each, None where all weigh one. ``a + b`` holds those of both."""

    values: FloatArray
    weight: FloatArray | None

    def __add__(self, other: Ascending) -> Ascending:
        order, values = rows_ascending(np.concatenate([self.values, other.values]))
        weights = [np.ones(len(part.values)) if part.weight is None else part.weight for part in (self, other)]
        return Ascending(values, np.concatenate(weights)[order])


@dataclass(frozen=True, slots=True)
class HingeLoss(PairLoss):
    """ℓ(r) = (1 − r)₊ or its square: exact, by sorting and walking upwards, O(N log N)."""

    power: int  # 1 or 2
    has_margin = True

    def classes(self, scores: FloatArray, is_upper: BoolArray, weight: FloatArray | None) -> Classes:
        return Classes.ascending(scores, is_upper, weight)

    def summarize(self, rows: Classes) -> Ascending:
        return Ascending(rows.upper, rows.upper_weight)

    def at(self, summary: Ascending, rows: Classes) -> PairSums:
        derivatives, sums = hinge_sums(summary.values, summary.weight, rows.lower + 1, self.power)
        return PairSums.of(sums, derivatives)

    def tension(self, sums: PairSums, rows: Classes, elasticity: FloatArray) -> Ascending:
        return Ascending(-1 - rows.lower[::-1], sums.force(elasticity)[::-1])

    def pull(self, summary: Ascending, tension: Ascending, rows: Classes) -> FloatArray:
        # mirrored: walks downwards
        pull = hinge_sums(tension.values, tension.weight, -rows.upper[::-1], self.power)[0][::-1]
        return pull if rows.upper_weight is None else pull * rows.upper_weight
