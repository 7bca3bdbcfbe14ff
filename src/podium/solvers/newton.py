"""Newton's method for concave functions that know their curvature."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from podium import _input
from podium._types import FloatArray
from podium.exceptions import InputTypeError
from podium.solvers.base import Best, Callback, Function, Solution, Solver, warn_not_converged, warn_unbounded

_ROUNDING = 1e-16
_STRAIGHT = 1e-6  # curvature along a step, relative to the slope, below which the function rises for ever


@dataclass(frozen=True)
class Newton(Solver):
    """Newton's method, with a ridge that vanishes with the gradient and step halving.

    The function must be concave; its scale and that of the coordinates do not matter. If the maximum lies at infinity
    the gradient still vanishes on the way; if there is none, it stops with a warning.

    Parameters
    ----------
    max_iter : int
        Maximum number of steps.
    tol : float
        Stop when no entry of the gradient is larger in absolute value.
    """

    max_iter: int = 200
    tol: float = 1e-6
    needs_curvature = True

    def __post_init__(self) -> None:
        _input.check_integer("max_iter", self.max_iter, 1)
        _input.check_number("tol", self.tol, 0, open_low=True)

    def maximize(self, objective: Function, start: FloatArray, callback: Callback | None = None) -> Solution:
        curvature = getattr(objective, "curvature", None)
        if curvature is None:
            raise InputTypeError(
                "Newton needs a function with a method curvature(theta); got one without.", "use Lbfgs."
            )
        best, theta = Best(objective), np.array(start, dtype=np.float64)
        path: list[float] = []
        try:
            value, gradient = best(theta)
            path.append(value)
            for t in range(self.max_iter):
                gap = float(np.abs(gradient).max())
                if gap <= self.tol:
                    return Solution(theta=theta, value=value, n_iter=t, converged=True, path=np.array(path))
                matrix = curvature(theta)
                step = _newton_step(matrix, gradient)
                slope = float(gradient @ step)
                if step @ matrix @ step <= _STRAIGHT * slope:
                    warn_unbounded("Newton's method", t)
                    return Solution(theta=theta, value=value, n_iter=t, converged=False, path=np.array(path))
                moved = _gaining(best, theta, value, step, slope)
                if moved is None or slope <= _ROUNDING * (1 + abs(value)):  # what could be gained is rounding
                    return Solution(
                        theta=theta, value=value, n_iter=t, converged=bool(gap <= 100 * self.tol), path=np.array(path)
                    )
                theta, value, gradient = moved
                path.append(value)
                if callback is not None:
                    callback(t + 1, value)
        except KeyboardInterrupt:
            return best.interrupted(theta, path)
        warn_not_converged("Newton's method", self.max_iter, float(np.abs(gradient).max()), self.tol, "raise max_iter.")
        return Solution(theta=theta, value=value, n_iter=self.max_iter, converged=False, path=np.array(path))


def _newton_step(matrix: FloatArray, gradient: FloatArray) -> FloatArray:
    """(matrix + λ)⁻¹ gradient in coordinates that give the matrix a diagonal of ones, whatever they were before.

    λ vanishes with the gradient, and keeps steps along flat directions finite.
    """
    diagonal = np.diag(matrix)
    unit = 1 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    values, vectors = np.linalg.eigh(matrix * unit * unit[:, None])
    scaled = unit * gradient
    raised = np.maximum(values, 0) + 1e-12 * values[-1] + 1e-3 * np.abs(scaled).max()
    return np.asarray(unit * (vectors @ ((vectors.T @ scaled) / raised)))


def _gaining(
    objective: Function, theta: FloatArray, value: float, step: FloatArray, slope: float
) -> tuple[FloatArray, float, FloatArray] | None:
    """The point along the step, halved until it gains its share of what the slope promises; None if it never does."""
    length = 1.0
    while length > 1e-12:
        here, gradient = objective(theta + length * step)
        if here >= value + 1e-4 * length * slope:
            return theta + length * step, here, gradient
        length /= 2
    return None
