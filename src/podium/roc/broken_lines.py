"""Broken lines: the integral of φ along one, and the least concave one above points."""

from __future__ import annotations

import numpy as np

from podium._types import BoolArray, FloatArray
from podium.phi import Phi


def integral_along(phi: Phi, u: FloatArray, width: FloatArray) -> float:
    """∫φ(u(x))dx for a falling u that is straight between corners so far apart in x: φ's integral gives the means."""
    high, low = u[:-1], u[1:]
    moves = high - low > 1e-12
    integral = phi.integral(u)
    rise = np.where(moves, integral[:-1] - integral[1:], 0.0)
    sloped = width > 0
    mean = rise[sloped] / np.where(moves, high - low, 1.0)[sloped]
    flat = ~moves[sloped]
    if flat.any():
        mean[flat] = phi.value((high + low)[sloped][flat] / 2)
    return float(mean @ width[sloped])


def corners(x: FloatArray, y: FloatArray) -> list[int]:
    """Which of the points, in order of x, are corners of the least concave line above them."""
    kept: list[int] = []
    for i in range(len(x)):
        # Drop what lies on or below the chord from the point before it to the new one.
        while len(kept) > 1:
            a, b = kept[-2], kept[-1]
            if (x[b] - x[a]) * (y[i] - y[a]) < (x[i] - x[a]) * (y[b] - y[a]):
                break
            kept.pop()
        kept.append(i)
    return kept


def turns(x: FloatArray, y: FloatArray) -> BoolArray:
    """Which points of a rising line are its ends, or not between two level steps or two upright ones."""
    level, upright = np.diff(y) == 0, np.diff(x) == 0
    inside = (level[:-1] & level[1:]) | (upright[:-1] & upright[1:])
    return np.concatenate([[True], ~inside, [True]])
