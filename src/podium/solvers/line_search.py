"""The top of a line: where the slope of a function vanishes."""

from __future__ import annotations

from typing import Protocol

import numpy as np

_MAX_STEPS = 100
_STRAIGHT = 1e-6  # a slope that changes by less, relative, over a doubled step will never vanish
_PLATEAU = 1e-6  # what is left of the first slope where, without ever turning, there is nothing more to gain


class Line(Protocol):
    """A function of one step length."""

    def derivatives(self, step: float) -> tuple[float, float]:
        """Slope and curvature; the latter may be NaN where it is not known."""

    def exact_step(self) -> float | None:
        """The best step if there is a formula for it; it may be infinite."""
        return None


def top_of_line(line: Line, slope: float, tol: float = 1e-10) -> tuple[float, bool]:
    """A step to where the slope vanishes, and True; or to where the line rises straight, for ever, and False.

    ``slope`` is that at zero; its sign says which way to go. Steps grow until the slope turns, then Newton's steps
    (secant steps where the curvature is unknown) shrink the bracket; what leaves it is replaced by its middle. A line
    that flattens towards a bound it never reaches ends where little of its slope is left.
    """
    sign = 1.0 if slope > 0 else -1.0
    first = abs(slope)
    low, slope_low, high = 0.0, first, np.inf
    _, curvature = line.derivatives(0.0)
    step = first / -curvature if curvature < 0 else 1.0
    for _ in range(_MAX_STEPS):
        here, curvature = line.derivatives(sign * step)
        here *= sign
        if here == 0:
            break
        if not curvature < 0:
            curvature = (here - slope_low) / (step - low)
        newton = step - here / curvature if curvature < 0 else np.inf
        if here > 0 and np.isinf(high):
            if abs(here - slope_low) < _STRAIGHT * slope_low and newton > step / _STRAIGHT:
                return sign * step, False
            if here < _PLATEAU * first and newton > 1.001 * step:
                break
        if here > 0:
            low, slope_low = step, here
        else:
            high = step
        if np.isinf(high):
            following = min(max(newton, 1.5 * step), 4 * step) if newton > 1.001 * step else newton
        else:
            following = newton if low < newton < high else (low + high) / 2
        if abs(following - step) <= tol * (1 + step):
            step = following
            break
        step = following
    return sign * step, True
