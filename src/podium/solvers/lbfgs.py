"""Limited-memory quasi-Newton ascent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from podium import _input
from podium._input import FloatArray
from podium.solvers.base import Best, Callback, Objective, Solution, Solver, warn_not_converged


@dataclass(frozen=True)
class Lbfgs(Solver):
    """L-BFGS (SciPy's) until no entry of the gradient exceeds ``tol``, at most ``max_iter`` steps."""

    max_iter: int = 200
    tol: float = 1e-6

    def __post_init__(self) -> None:
        _input.integer("max_iter", self.max_iter, 1)
        _input.number("tol", self.tol, 0, open_low=True)

    def maximise(self, objective: Objective, start: FloatArray, callback: Callback | None = None) -> Solution:
        best = Best(objective)
        path: list[float] = []

        def descend(theta: FloatArray) -> tuple[float, FloatArray]:
            value, gradient = best(theta)
            return -value, -gradient  # SciPy minimises: the only minus sign

        def after_step(theta: FloatArray) -> None:
            path.append(best.value)
            if callback is not None:
                callback(len(path) - 1, best.value)

        start = np.array(start, dtype=np.float64)
        try:
            path.append(best(start)[0])
            result = minimize(  # type: ignore[call-overload]  # its stubs do not know arrays of any shape
                descend,
                start,
                jac=True,
                method="L-BFGS-B",
                callback=after_step,
                options={"maxiter": self.max_iter, "maxfun": 20 * self.max_iter, "gtol": self.tol, "ftol": 1e-13},
            )
        except KeyboardInterrupt:
            return best.interrupted(start, path)
        gap = float(np.abs(result.jac).max())
        # A line search that finds no better float is an arrival too, if the gradient is down to rounding.
        converged = bool(result.success) or gap <= 100 * self.tol
        if not converged:
            warn_not_converged("L-BFGS", result.nit, gap, self.tol, "raise max_iter or tol, or scale the features.")
        return Solution(result.x, float(-result.fun), int(result.nit), converged, np.array(path))
