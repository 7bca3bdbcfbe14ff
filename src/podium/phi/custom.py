"""User-defined score-generating functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from podium._types import FloatArray
from podium.exceptions import InputError
from podium.phi.classical import INFINITE, Phi

_GRID = np.linspace(0, 1, 20_001)
_STEP = 1e-6


@dataclass(frozen=True, slots=True)
class Custom(Phi):
    """A φ of your own: a vectorized function on (0, 1), and its derivative if it is to be trained on.

    Without ``derivative``, central differences take its place. A φ that decreases anywhere on a grid of 20,001 points
    is refused. How steep it can be is not known, so its derivatives count as unbounded in bounds; its integral is
    numerical.

    Parameters
    ----------
    value : callable
        φ as a function of an array on (0, 1), written with NumPy; nondecreasing and finite.
    derivative : callable, optional
        φ' as a function of an array on (0, 1).

    Examples
    --------
    >>> from podium.metrics import rank_statistic
    >>> from podium.phi import Custom
    >>> rank_statistic([0, 1, 1, 0, 1], [1, 2, 3, 4, 5], phi=Custom(lambda u: u**3))
    0.688...
    """

    function: Callable[[FloatArray], FloatArray]
    slope: Callable[[FloatArray], FloatArray] | None = None

    def __init__(
        self,
        value: Callable[[FloatArray], FloatArray],
        derivative: Callable[[FloatArray], FloatArray] | None = None,
    ) -> None:
        object.__setattr__(self, "function", value)
        object.__setattr__(self, "slope", derivative)
        inner = _GRID[1:-1]  # φ may be infinite at the ends
        heights = np.asarray(value(inner), dtype=np.float64)
        if heights.shape != inner.shape or not np.isfinite(heights).all():
            raise InputError(
                "A custom φ must map an array on (0, 1) to finite numbers, one each; "
                f"got {'values that are not finite' if heights.shape == inner.shape else f'shape {heights.shape}'}.",
                "write it with NumPy functions of u.",
            )
        drops = np.diff(heights)
        if drops.min() < -1e-12 * (1 + np.abs(heights).max()):
            worst = int(drops.argmin())
            raise InputError(
                f"φ must be nondecreasing on [0, 1]; got one that falls from {heights[worst]:g} at "
                f"u = {inner[worst]:g} to {heights[worst + 1]:g} at u = {inner[worst + 1]:g}.",
                "a higher rank must never count for less.",
            )

    def value(self, u: FloatArray) -> FloatArray:
        return np.asarray(self.function(u), dtype=np.float64)

    def derivative(self, u: FloatArray) -> FloatArray:
        if self.slope is not None:
            return np.asarray(self.slope(u), dtype=np.float64)
        low, high = np.maximum(u - _STEP, _STEP / 2), np.minimum(u + _STEP, 1 - _STEP / 2)
        return (self.value(high) - self.value(low)) / (high - low)

    def integral(self, u: FloatArray) -> FloatArray:
        heights = self.value(np.clip(_GRID, _STEP, 1 - _STEP))
        upto_grid = scipy.integrate.cumulative_simpson(heights, x=_GRID, initial=0.0)
        below = np.clip((np.asarray(u) * (len(_GRID) - 1)).astype(np.int64), 0, len(_GRID) - 1)
        rest = u - _GRID[below]
        return upto_grid[below] + rest * self.value(np.clip(_GRID[below] + rest / 2, _STEP / 2, 1 - _STEP / 2))

    @property
    def sup_norm_derivative(self) -> float:
        return INFINITE

    @property
    def sup_norm_second_derivative(self) -> float:
        return INFINITE

    def __str__(self) -> str:
        return f"custom:{getattr(self.function, '__name__', 'φ')}"
