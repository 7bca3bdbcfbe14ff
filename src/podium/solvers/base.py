"""Base class of solvers, which maximize a function with a gradient and know nothing about ranking."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from podium._results import wording
from podium._results.result import Result
from podium._types import FloatArray

# From a parameter to the value to be maximized and its gradient.
Function = Callable[[FloatArray], tuple[float, FloatArray]]
# Called after every step with its number and the value reached.
Callback = Callable[[int, float], None]


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Solution(Result):
    """Where a solver stopped.

    Attributes
    ----------
    theta : ndarray
        The best parameter.
    value : float
        The value of the function there.
    n_iter : int
        Number of steps.
    converged : bool
        Whether the solver reached a maximum, up to its tolerance.
    path : ndarray
        The value at the start and after every step.
    """

    theta: FloatArray
    value: float
    n_iter: int
    converged: bool
    path: FloatArray

    def __repr__(self) -> str:
        state = "converged" if self.converged else "not converged"
        value = wording.minus(f"{self.value:.6g}")
        return f"value {value} at {len(self.theta):,} parameters, {state} after {self.n_iter:,} steps"


class Solver(ABC):
    """Base of the solvers, which maximize a function.

    Interrupted by Ctrl-C, a solver returns the best point it has seen, with a warning.

    A solver of your own implements :meth:`maximize` and declares what it needs.

    Attributes
    ----------
    needs_curvature : bool
        Whether the function must have a method ``curvature(theta)``, minus its second derivative. Such a solver finds
        its own metric, so that the units of the coordinates do not matter to it.
    has_fixed_steps : bool
        Whether the length of a step follows from the size of the gradient alone, so that units matter. Rankers then
        leave the problem as it is in the features given.
    """

    needs_curvature: bool = False
    has_fixed_steps: bool = False

    @abstractmethod
    def maximize(self, objective: Function, start: FloatArray, callback: Callback | None = None) -> Solution:
        """Climb from ``start``.

        Parameters
        ----------
        objective : callable
            From a parameter to the value and the gradient there, such as :class:`podium.Objective`.
        start : ndarray
            The parameter to begin with.
        callback : callable, optional
            Called after every step with its number and the value reached.

        Returns
        -------
        Solution
            Where the solver stopped, and whether that is a maximum.
        """


class Best:
    """Wraps an objective and remembers the best point it was asked for."""

    def __init__(self, objective: Function) -> None:
        self.objective = objective
        self.value = -np.inf
        self.theta: FloatArray | None = None

    def __call__(self, theta: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = self.objective(theta)
        if value > self.value:
            self.value, self.theta = value, theta.copy()
        return value, gradient

    def interrupted(self, start: FloatArray, path: list[float]) -> Solution:
        """The best point so far, after Ctrl-C."""
        warnings.warn(
            f"Interrupted after {max(len(path) - 1, 0)} steps; the best point so far is kept.",
            ConvergenceWarning,
            stacklevel=3,
        )
        theta = start if self.theta is None else self.theta
        n_iter = max(len(path) - 1, 0)
        return Solution(theta=theta, value=self.value, n_iter=n_iter, converged=False, path=np.array(path))


def warn_not_converged(solver: str, n_iter: int, gap: float, tol: float, hint: str) -> None:
    """Say that a solver stopped before it arrived."""
    warnings.warn(
        f"{solver} stopped after {n_iter} steps without convergence: the gap is {gap:.3g}, the tolerance {tol:.3g}.\n"
        f"Hint: {hint}",
        ConvergenceWarning,
        stacklevel=3,
    )


def warn_unbounded(solver: str, n_iter: int) -> None:
    """Warn that a solver stopped because the function increases without bound."""
    warnings.warn(
        f"{solver} stopped after {n_iter} steps: the function increases without bound along a line.\n"
        "Hint: a push has no maximum if the training rows can be ranked perfectly; the model returned is finite.",
        ConvergenceWarning,
        stacklevel=3,
    )
