"""Price functions: the cost of the summed losses at a negative."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from podium._types import FloatArray
from podium.exceptions import InputError
from podium.sums.log_sum import LogSum

# Price functions g of R09 other than powers: convex, increasing, non-negative.


_GRID = np.linspace(0, 20, 2001)


class PriceFunction(ABC):
    """A price g on the log scale, so that steep prices do not overflow."""

    @abstractmethod
    def log_value(self, r: FloatArray) -> FloatArray:
        """Logarithm of g(r).

        Parameters
        ----------
        r : array
            The sum of losses at every negative.
        """

    @abstractmethod
    def log_derivative(self, r: FloatArray) -> FloatArray:
        """Its derivative, g'(r) / g(r).

        Parameters
        ----------
        r : array
            The sum of losses at every negative.
        """


@dataclass(frozen=True, slots=True)
class ExponentialPrice(PriceFunction):
    """The price g(r) = e^r, the steepest in R09: in effect only the worst negative counts."""

    def log_value(self, r: FloatArray) -> FloatArray:
        return r

    def log_derivative(self, r: FloatArray) -> FloatArray:
        return np.ones_like(r)


@dataclass(frozen=True, slots=True)
class CustomPrice(PriceFunction):
    """A custom price g, given by vectorized functions for its value and its derivative.

    It must be non-negative, with a non-negative and nondecreasing derivative, which is checked on a grid from 0 to 20.

    Attributes
    ----------
    value : callable
        The price g: takes an array of sums of losses r and returns the price of each.
    derivative : callable
        The derivative of g, in the same form.

    Examples
    --------
    >>> from podium.criteria import CustomPrice, PNormPush, Push
    >>> rows = [0.5, 1.0, 1.5, 2.0], [False, True, False, True]
    >>> quartic = Push(CustomPrice(lambda r: r**4, lambda r: 4 * r**3))
    >>> round(quartic.value_and_gradient(*rows)[0] / PNormPush(4).value_and_gradient(*rows)[0], 9)
    4.0
    """

    value: Callable[[FloatArray], FloatArray]
    derivative: Callable[[FloatArray], FloatArray]

    def __post_init__(self) -> None:
        heights, slopes = (np.asarray(part(_GRID), dtype=np.float64) for part in (self.value, self.derivative))
        for heading, numbers in (("value", heights), ("derivative", slopes)):
            if numbers.shape != _GRID.shape or not np.isfinite(numbers).all() or numbers.min() < 0:
                raise InputError(
                    f"The {heading} of a price must be a non-negative number for every r ≥ 0.",
                    "write it with NumPy functions of r; a price grows with the sum of losses.",
                )
        if np.diff(slopes).min() < -1e-12 * (1 + slopes.max()):
            raise InputError(
                "A price must be convex; its derivative decreases.", "for the concave price log(1 + r), use IRPush."
            )
        rise, predicted = heights[-1] - heights[0], np.trapezoid(slopes, _GRID)
        if abs(rise - predicted) > 0.01 * max(rise, predicted):
            raise InputError(
                f"derivative must be that of value: over [0, 20] value rises by {rise:g}, the integral of derivative "
                f"is {predicted:g}."
            )

    def log_value(self, r: FloatArray) -> FloatArray:
        return np.log(np.asarray(self.value(r), dtype=np.float64))

    def log_derivative(self, r: FloatArray) -> FloatArray:
        return np.asarray(self.derivative(r), dtype=np.float64) / self.value(r)


# Prices: what the sums of losses at the lower rows cost together. A price adds up over chunks, then divides itself.


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
