"""Prices: what the sums of losses at the lower rows cost together. A price adds up over chunks, then divides itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from podium._types import FloatArray
from podium.criteria.push.price_functions import PriceFunction
from podium.exceptions import InputError
from podium.sums.log_sum import LogSum

Summary = Any


class Price(ABC):
    """From log r_k at the lower rows to a value, larger is better, and −∂ value / ∂ log r_k, its elasticity."""

    @property
    def steepness(self) -> float:
        """The whole number of the power of r that the price grows like; infinite where it is none."""
        return np.inf

    @abstractmethod
    def summarize(self, log_sums: FloatArray, weight: FloatArray | None) -> Summary:
        """What rows add."""

    @abstractmethod
    def value(self, summary: Summary) -> float:
        """The value, from the summary of all rows."""

    @abstractmethod
    def elasticity(self, summary: Summary, log_sums: FloatArray, weight: FloatArray | None) -> FloatArray:
        """−∂ value / ∂ log r_k of rows."""


@dataclass(frozen=True, slots=True)
class PowerPrice(Price):
    """−(1/p) log Σ_k w_k r_k^p: the elasticities are the shares of the rows in the sum."""

    p: float

    @property
    def steepness(self) -> float:
        return float(np.ceil(self.p))

    def summarize(self, log_sums: FloatArray, weight: FloatArray | None) -> LogSum:
        return LogSum.of(log_sums, weight, self.p)

    def value(self, summary: LogSum) -> float:
        return -summary.log / self.p

    def elasticity(self, summary: LogSum, log_sums: FloatArray, weight: FloatArray | None) -> FloatArray:
        return summary.shares(log_sums, weight, self.p)


@dataclass(frozen=True, slots=True)
class Largest:
    """The largest number, and the weight of the rows that have it. ``a + b`` is that of both samples."""

    number: float
    weight: float

    def __add__(self, other: Largest) -> Largest:
        number = max(self.number, other.number)
        return Largest(number, sum(part.weight for part in (self, other) if part.number == number))


@dataclass(frozen=True, slots=True)
class WorstPrice(Price):
    """−log max_k r_k, the limit p → ∞; rows that tie for the largest share the subgradient by weight."""

    def summarize(self, log_sums: FloatArray, weight: FloatArray | None) -> Largest:
        largest = log_sums.max(initial=-np.inf)
        here = log_sums == largest
        return Largest(float(largest), float(here.sum() if weight is None else weight[here].sum()))

    def value(self, summary: Largest) -> float:
        return -summary.number

    def elasticity(self, summary: Largest, log_sums: FloatArray, weight: FloatArray | None) -> FloatArray:
        if summary.number == -np.inf:
            return np.zeros_like(log_sums)
        here = (log_sums == summary.number) / summary.weight
        return here if weight is None else here * weight


@dataclass(frozen=True, slots=True)
class GeneralPrice(Price):
    """−log Σ_k w_k g(r_k)."""

    function: PriceFunction

    def summarize(self, log_sums: FloatArray, weight: FloatArray | None) -> LogSum:
        return LogSum.of(self._log_price(log_sums), weight)

    def value(self, summary: LogSum) -> float:
        return -summary.log

    def elasticity(self, summary: LogSum, log_sums: FloatArray, weight: FloatArray | None) -> FloatArray:
        sums = np.exp(log_sums)
        with np.errstate(divide="ignore", invalid="ignore"):
            per_unit = sums * self.function.log_derivative(sums)
        return np.where(sums > 0, per_unit, 0.0) * summary.shares(self._log_price(log_sums), weight)

    def _log_price(self, log_sums: FloatArray) -> FloatArray:
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            logs = self.function.log_value(np.exp(log_sums))
        if np.isnan(logs).any() or (logs == np.inf).any():
            raise InputError(
                f"price must be a non-negative number that does not overflow; it fails for some r ≤ "
                f"{np.exp(min(log_sums.max(), 700)):g}.",
                "divide r by the number of positives inside the price, or use PNormPush, which works with log r.",
            )
        return logs
