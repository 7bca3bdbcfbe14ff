"""The top of a line: where the slope of a function vanishes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from podium import _input
from podium._types import FloatArray
from podium.solvers.base import Best, Callback, Function, Solution, Solver, warn_unbounded

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


Coordinate = TypeVar("Coordinate", bound=Hashable)
Steps = list[Any]  # of pairs: a coordinate, and how far along it


class Coordinates(ABC, Generic[Coordinate]):
    """A function at a current point: its steepest coordinate, and moves along a coordinate."""

    value: float

    @abstractmethod
    def steepest(self) -> tuple[Coordinate, float]:
        """The coordinate whose derivative is largest in size, and that derivative."""

    @abstractmethod
    def line(self, coordinate: Coordinate) -> Line:
        """The function along a coordinate."""

    @abstractmethod
    def move(self, line: Line, coordinate: Coordinate, step: float) -> None:
        """Move along it by a step."""


@dataclass(frozen=True)
class CoordinateAscent(Solver):
    """Coordinate ascent: maximize along the coordinate with the largest derivative (R09, Figure 2).

    Parameters
    ----------
    n_rounds : int
        Maximum number of rounds; 100 in the paper's experiments.
    learning_rate : float
        The factor applied to each step, in (0, 1].
    tol : float
        Stop when no derivative is larger in absolute value.
    """

    n_rounds: int = 100
    learning_rate: float = 1.0
    tol: float = 1e-9

    def __post_init__(self) -> None:
        _input.check_integer("n_rounds", self.n_rounds, 1)
        _input.check_number("learning_rate", self.learning_rate, 0, 1, open_low=True)
        _input.check_number("tol", self.tol, 0)

    def climb(
        self, coordinates: Coordinates[Coordinate], after_round: Callable[[Steps, float], bool | None] | None = None
    ) -> tuple[list[tuple[Coordinate, float]], FloatArray, bool]:
        """The steps, the values along the way, and whether it converged.

        If the function increases without bound along a line, it stops with a warning where the line became straight.

        Parameters
        ----------
        coordinates : Coordinates
            The function to maximize: its value, its steepest coordinate, the line along one, and a step on it.
        after_round : callable, optional
            Called with the steps and the value after every round; return True to stop.
        """
        steps: list[tuple[Coordinate, float]] = []
        path = [coordinates.value]
        for t in range(self.n_rounds):
            coordinate, slope = coordinates.steepest()
            if abs(slope) <= self.tol:
                return steps, np.array(path), True
            line = coordinates.line(coordinate)
            step, bounded = _best_step(line, slope)
            if bounded:
                step *= self.learning_rate
            coordinates.move(line, coordinate, step)
            steps.append((coordinate, step))
            path.append(coordinates.value)
            if after_round is not None and after_round(steps, coordinates.value):
                break
            if not bounded:
                warn_unbounded("Coordinate ascent", t + 1)
                break
        return steps, np.array(path), False

    def maximize(self, objective: Function, start: FloatArray, callback: Callback | None = None) -> Solution:
        best = Best(objective)
        coordinates = _Vector(best, np.array(start, dtype=np.float64))
        try:
            steps, path, converged = self.climb(coordinates, _counting(callback))
        except KeyboardInterrupt:
            return best.interrupted(coordinates.theta, [coordinates.value])
        return Solution(
            theta=coordinates.theta, value=coordinates.value, n_iter=len(steps), converged=converged, path=path
        )


def _counting(callback: Callback | None) -> Callable[[Steps, float], None] | None:
    return None if callback is None else lambda steps, value: callback(len(steps), value)


def _best_step(line: Line, slope: float) -> tuple[float, bool]:
    """By a formula where the line has one with a finite answer, else by search."""
    step = line.exact_step()
    return (step, True) if step is not None and np.isfinite(step) else top_of_line(line, slope)


class _Vector(Coordinates[int]):
    """Any function of a vector, by its value and gradient."""

    def __init__(self, objective: Function, theta: FloatArray) -> None:
        self.objective, self.theta = objective, theta
        self.value, self.gradient = objective(theta)

    def steepest(self) -> tuple[int, float]:
        j = int(np.argmax(np.abs(self.gradient)))
        return j, float(self.gradient[j])

    def line(self, coordinate: int) -> Line:
        return _AxisLine(self.objective, self.theta, coordinate)

    def move(self, line: Line, coordinate: int, step: float) -> None:
        self.theta = self.theta.copy()
        self.theta[coordinate] += step
        self.value, self.gradient = self.objective(self.theta)


class _AxisLine(Line):
    def __init__(self, objective: Function, theta: FloatArray, j: int) -> None:
        self.objective, self.theta, self.j = objective, theta, j

    def derivatives(self, step: float) -> tuple[float, float]:
        theta = self.theta.copy()
        theta[self.j] += step
        return float(self.objective(theta)[1][self.j]), np.nan
