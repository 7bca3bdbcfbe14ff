"""Limited-memory quasi-Newton ascent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from podium import _input
from podium._types import FloatArray
from podium.solvers.base import Best, Callback, Function, Solution, Solver, warn_not_converged, warn_unbounded


@dataclass(frozen=True)
class Lbfgs(Solver):
    """Limited-memory BFGS, as SciPy has it.

    Parameters
    ----------
    max_iter : int
        Maximum number of steps.
    tol : float
        Stop when no entry of the gradient is larger in absolute value.
    """

    max_iter: int = 200
    tol: float = 1e-6

    def __post_init__(self) -> None:
        _input.check_integer("max_iter", self.max_iter, 1)
        _input.check_number("tol", self.tol, 0, open_low=True)

    def maximize(self, objective: Function, start: FloatArray, callback: Callback | None = None) -> Solution:
        best = Best(objective)
        path: list[float] = []
        seen: list[tuple[FloatArray, FloatArray]] = []  # the last two points stepped to, and the gradients there
        latest = np.empty(0)

        def descend(theta: FloatArray) -> tuple[float, FloatArray]:
            nonlocal latest
            value, latest = best(theta)
            if not path:
                path.append(value)  # at the start
            return -value, -latest  # SciPy minimizes: the only minus sign

        def after_step(theta: FloatArray) -> None:
            path.append(best.value)
            if callback is not None:
                callback(len(path) - 1, best.value)
            seen[:] = [*seen[-1:], (theta.copy(), latest)]
            if len(seen) == 2 and _rises_for_ever(*seen[0], *seen[1]):
                raise StopIteration

        start = np.array(start, dtype=np.float64)
        try:
            result = scipy.optimize.minimize(  # type: ignore[call-overload]  # its stubs do not know arrays of any shape
                descend,
                start,
                jac=True,
                method="L-BFGS-B",
                callback=after_step,
                options={"maxiter": self.max_iter, "maxfun": 20 * self.max_iter, "gtol": self.tol, "ftol": 1e-13},
            )
        except KeyboardInterrupt:
            return best.interrupted(start, path)
        if len(seen) == 2 and _rises_for_ever(*seen[0], *seen[1]):
            warn_unbounded("L-BFGS", result.nit)
            return Solution(
                theta=seen[0][0],
                value=path[-2],
                n_iter=int(result.nit) - 1,
                converged=False,
                path=np.array(path[:-1]),
            )
        gap = float(np.abs(result.jac).max())
        # A line search that finds no better float is an arrival too, if the gradient is down to rounding.
        converged = bool(result.success) or gap <= 100 * self.tol
        if not converged:
            warn_not_converged("L-BFGS", result.nit, gap, self.tol, "raise max_iter or tol, or scale the features.")
        return Solution(
            theta=result.x,
            value=float(-result.fun),
            n_iter=int(result.nit),
            converged=converged,
            path=np.array(path),
        )


def _rises_for_ever(start: FloatArray, slopes: FloatArray, end: FloatArray, slopes_there: FloatArray) -> bool:
    """Whether a step as long as the way so far left the slope along it as it was, within a hundredth.

    Steps are chosen so that the slope falls by a tenth at least, wherever that is possible.
    """
    step = end - start
    slope, slope_there = float(slopes @ step), float(slopes_there @ step)
    return float(np.linalg.norm(step)) >= float(np.linalg.norm(start)) > 0 and 0 < 0.99 * slope <= slope_there
