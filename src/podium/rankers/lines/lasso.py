"""Sparse linear rules: logistic regression with an L1 penalty, and a plug-in direction from it."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit

from podium._fast.reductions import minimize_with_l1
from podium._types import FloatArray
from podium.metrics.linear import statistic
from podium.models import LinearModel
from podium.phi import Phi
from podium.rankers.lines.prepare import PlugIn, folds
from podium.rankers.lines.rows import Rows
from podium.rankers.lines.wide import mean_difference

# Logistic regression with an L1 penalty, by proximal Newton steps on the columns that matter.
#
# Minimizes :math:`\frac{1}{\sum w} \sum_l w_l \log(1 + e^{-y_l (b + \theta^\top x_l)}) + \lambda \|\theta\|_1` with the
# intercept b free. At the minimum, g the gradient of the mean loss, g_j = −λ·sign θ_j where θ_j ≠ 0 and |g_j| ≤ λ
# elsewhere (Karush, Kuhn and Tucker): only columns that violate this join those that are climbed on. As C of scikit-
# learn, λ = 1/(C·Σw).


_ROUNDS, _STEPS, _SWEEPS = 50, 50, 1000
_JOIN = 50  # columns that join at once, at least


class L1Logistic:
    """The problem on some rows; solutions for falling penalties start from each other."""

    def __init__(self, rows: Rows, tol: float) -> None:
        self.X, self.y = rows.X, rows.is_positive.astype(np.float64)
        self.share, self.tol = rows.weight / rows.weight.sum(), tol
        self.intercept = float(np.log(rows.n_pos / rows.n_neg))
        self.theta = np.zeros(rows.X.shape[1])
        # The least penalty at which no column is used.
        self.largest_penalty = float(np.abs(self._slope(np.full(len(self.y), self.intercept))).max())

    def solve(self, penalty: float) -> FloatArray:
        """θ at a penalty, from where the last one ended."""
        near = self.tol * self.largest_penalty
        for k in range(_ROUNDS):
            used = np.flatnonzero(self.theta)
            scores = self.intercept + self._columns(used) @ self.theta[used]
            slope = np.abs(self._slope(scores))
            slope[used] = 0.0  # those that are climbed on have been
            above = slope - penalty
            joining = np.argsort(-above)[: max(_JOIN, len(used))]
            joining = joining[above[joining] > near]
            if k > 0 and len(joining) == 0:
                break
            self._climb(np.union1d(used, joining), penalty, near)
        return self.theta

    def _climb(self, active: Any, penalty: float, near: float) -> None:
        """Newton steps on these columns and the intercept, until the conditions hold there."""
        design = np.column_stack([np.ones(len(self.y)), self._columns(active)])
        theta = np.append(self.intercept, self.theta[active])
        penalties = np.append(0.0, np.full(len(active), penalty))
        value = self._value(design, theta, penalties)
        for _ in range(_STEPS):
            p = expit(design @ theta)
            slope = design.T @ (self.share * (p - self.y))
            violated = np.where(theta == 0, np.abs(slope) - penalties, np.abs(slope + penalties * np.sign(theta)))
            if violated.max() <= near:
                break
            curvature = design.T @ (design * (self.share * np.maximum(p * (1 - p), 1e-10))[:, None])
            aim = minimize_with_l1(curvature, slope, theta, penalties, _SWEEPS, near)
            promised = float(slope @ (aim - theta) + penalties @ (np.abs(aim) - np.abs(theta)))
            length = 1.0
            while length > 1e-8:
                new = theta + length * (aim - theta)
                after = self._value(design, new, penalties)
                if after <= value + 1e-4 * length * promised:
                    break
                length /= 2
            else:
                break
            theta, value = new, after
        self.intercept, self.theta[active] = float(theta[0]), theta[1:]

    def _value(self, design: FloatArray, theta: FloatArray, penalties: FloatArray) -> float:
        scores = design @ theta
        return float(self.share @ (np.logaddexp(0, scores) - self.y * scores) + penalties @ np.abs(theta))

    def _columns(self, chosen: Any) -> FloatArray:
        part = self.X[:, chosen]
        return part if isinstance(part, np.ndarray) else part.toarray()

    def _slope(self, scores: FloatArray) -> FloatArray:
        """The derivative of the mean loss by the weight of every column."""
        return np.asarray(self.X.T @ (self.share * (expit(scores) - self.y)))


# Which L1 penalty: the one given, or the one whose left-out rows are ranked best.


_PATH = 10.0 ** (-np.arange(1, 25) / 12)  # of the least penalty that uses no column, down to a hundredth
_PATIENCE = 4  # penalties without gain after which weaker ones are not tried
_CLOSE, _COMPARED = (
    1e-6,
    1e-3,
)  # to the conditions of a minimum, in units of that penalty: penalties are compared sooner


def l1_plug_in(rows: Rows, penalty: float | None, phi: Phi) -> PlugIn:
    """Logistic regression with this L1 penalty, or with the one of the path that ranks left-out rows best."""
    problem = L1Logistic(rows, _CLOSE)
    if penalty is None:
        for each in _best_path(rows, phi) * problem.largest_penalty:
            problem.solve(each)
    else:
        problem.solve(penalty)
    return PlugIn(problem.theta, problem.intercept, 1.0)


def _best_path(rows: Rows, phi: Phi) -> FloatArray:
    """The path down to the penalty of the largest mean ω_φ over five folds."""
    fold = folds(np.asarray(rows.X @ mean_difference(LinearModel(), rows)), rows.is_positive)
    parts = [(rows.only(fold != k), rows.only(fold == k)) for k in np.unique(fold)]
    parts = [pair for pair in parts if all(0 < part.is_positive.sum() < len(part.weight) for part in pair)]
    problems = [L1Logistic(train, _COMPARED) for train, _ in parts]
    means: list[float] = []
    for ratio in _PATH:
        fitted = [problem.solve(ratio * problem.largest_penalty) for problem in problems]
        scored = [test.scored(np.asarray(test.X @ theta)) for (_, test), theta in zip(parts, fitted, strict=True)]
        means.append(float(np.mean([statistic(each, phi) for each in scored])) if scored else 0.0)
        if len(means) - 1 - int(np.argmax(means)) >= _PATIENCE:
            break
    return _PATH[: int(np.argmax(means)) + 1]
