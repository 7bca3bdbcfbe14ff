"""A solver: gradient ascent whose steps are halved until they gain enough."""

from dataclasses import dataclass

import numpy as np

from podium.solvers import Solution, Solver
from podium.solvers.base import Best, warn_not_converged


@dataclass(frozen=True)
class BacktrackingAscent(Solver):
    """Steps along the gradient, twice as long as the last and halved until they gain half of what the slope says."""

    max_iter: int = 1000
    tol: float = 1e-6

    def maximize(self, objective, start, callback=None):
        best, theta, length = Best(objective), np.array(start, dtype=float), 1.0
        path = []
        try:
            value, gradient = best(theta)
            path.append(value)
            while np.abs(gradient).max() > self.tol and len(path) <= self.max_iter:
                length *= 2
                while (ahead := best(theta + length * gradient))[0] < value + length * (gradient @ gradient) / 2:
                    length /= 2
                theta, (value, gradient) = theta + length * gradient, ahead
                path.append(value)
                if callback is not None:
                    callback(len(path) - 1, value)
        except KeyboardInterrupt:
            return best.interrupted(theta, path)
        n_iter, gap, path = len(path) - 1, float(np.abs(gradient).max()), np.array(path)
        if gap > self.tol:
            warn_not_converged("Backtracking ascent", n_iter, gap, self.tol, "raise max_iter.")
        return Solution(theta=theta, value=value, n_iter=n_iter, converged=gap <= self.tol, path=path)
