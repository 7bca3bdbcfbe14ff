"""Price functions g of R09 other than powers: convex, increasing, non-negative."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from podium._types import FloatArray
from podium.exceptions import InputError

_GRID = np.linspace(0, 20, 2001)


class PriceFunction(ABC):
    """g on the scale of logarithms, so that steep ones need not overflow."""

    @abstractmethod
    def log_value(self, r: FloatArray) -> FloatArray:
        """Logarithm of g(r).

        Parameters
        ----------
        r : array
            What g is taken of: one number for every negative.
        """

    @abstractmethod
    def log_derivative(self, r: FloatArray) -> FloatArray:
        """Its derivative, g'(r) / g(r).

        Parameters
        ----------
        r : array
            What g is taken of: one number for every negative.
        """


@dataclass(frozen=True, slots=True)
class ExponentialPrice(PriceFunction):
    """The price g(r) = e^r, the steepest that R09 names: nearly the worst negative alone counts."""

    def log_value(self, r: FloatArray) -> FloatArray:
        return r

    def log_derivative(self, r: FloatArray) -> FloatArray:
        return np.ones_like(r)


@dataclass(frozen=True, slots=True)
class CustomPrice(PriceFunction):
    """A price g of your own, given by vectorized functions for its value and its derivative.

    It is refused if it is negative, or if its derivative falls or is negative, anywhere on a grid from 0 to 20.

    Attributes
    ----------
    value : callable
        The price g, which takes an array of sums of losses r and gives the price of each.
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
                "A price must be convex: its derivative falls.", "a concave price such as log(1 + r) is IRPush."
            )
        rise, predicted = heights[-1] - heights[0], np.trapezoid(slopes, _GRID)
        if abs(rise - predicted) > 0.01 * max(rise, predicted):
            raise InputError(
                f"derivative must be that of value: over [0, 20] value rises by {rise:g}, by derivative {predicted:g}."
            )

    def log_value(self, r: FloatArray) -> FloatArray:
        return np.log(np.asarray(self.value(r), dtype=np.float64))

    def log_derivative(self, r: FloatArray) -> FloatArray:
        return np.asarray(self.derivative(r), dtype=np.float64) / self.value(r)
