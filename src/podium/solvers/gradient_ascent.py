"""Algorithm 1 of CLV21, as printed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from podium import _input
from podium._types import FloatArray
from podium.solvers.base import Best, Callback, Function, Solution, Solver, warn_not_converged


@dataclass(frozen=True)
class GradientAscent(Solver):
    r"""Gradient ascent with a fixed step (CLV21, Algorithm 1).

    .. math:: \theta^{(t+1)} = \theta^{(t)} + \eta\,\nabla f(\theta^{(t)}), \qquad t = 0, \dots, T - 1.

    Parameters
    ----------
    n_steps : int
        Maximum number of steps T; 50 in the paper's experiments.
    step_size : float, optional
        The factor η from the gradient to the step; 1/√T by default, as in the paper.
    tol : float
        Stop when a step is no longer than this; with 0 all T steps are taken, without a check of convergence.
    """

    n_steps: int = 50
    step_size: float | None = None
    tol: float = 0.0
    has_fixed_steps = True

    def __post_init__(self) -> None:
        _input.check_integer("n_steps", self.n_steps, 1)
        if self.step_size is not None:
            _input.check_number("step_size", self.step_size, 0, open_low=True)
        _input.check_number("tol", self.tol, 0)

    def maximize(self, objective: Function, start: FloatArray, callback: Callback | None = None) -> Solution:
        eta = 1 / np.sqrt(self.n_steps) if self.step_size is None else self.step_size
        best = Best(objective)
        theta = np.array(start, dtype=np.float64)
        path: list[float] = []
        length = np.inf
        try:
            for step in range(self.n_steps):
                value, gradient = best(theta)
                path.append(value)
                theta = theta + eta * gradient
                length = float(eta * np.linalg.norm(gradient))
                if callback is not None:
                    callback(step + 1, value)
                if length <= self.tol:
                    break
            path.append(best(theta)[0])
        except KeyboardInterrupt:
            return best.interrupted(theta, path)
        n_iter = len(path) - 1
        if self.tol > 0 and length > self.tol:
            warn_not_converged("Gradient ascent", n_iter, length, self.tol, "use more steps, or Lbfgs.")
        return Solution(
            theta=theta, value=path[-1], n_iter=n_iter, converged=bool(length <= self.tol), path=np.array(path)
        )
