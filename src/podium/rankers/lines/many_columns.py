"""Plug-in rules for many columns: ridge by products with the rows alone, dense or sparse, and an L1 penalty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import expit

from podium._fast.reductions import minimize_with_l1
from podium._types import FloatArray
from podium.criteria import LogLoss
from podium.metrics.linear import statistic
from podium.models import LinearModel, Model, WithIntercept
from podium.objective import DataInMemory, Objective
from podium.phi import Phi
from podium.rankers.lines.prepare import PlugIn, folds
from podium.rankers.lines.rows import Columns, Rows, row_blocks
from podium.solvers import Lbfgs

# Over the mean squared norm of a row: the penalty of a prior under which log-odds have variance 1/ratio.
_RATIOS = (10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 0.003)
_PATIENCE = 2  # penalties without gain after which weaker ones are not tried
_FEW_ENTRIES = 100_000  # up to which every fold is left out in turn, else one
# Of the largest entry of the gradient at the origin, where a climb stops: to compare penalties less is needed.
_NEAR, _NEAR_ENOUGH = 1e-3, 3e-2


def wide_logistic(model: Model, rows: Rows, ways: Sequence[tuple[FloatArray, float]], phi: Phi) -> PlugIn:
    """Logistic regression with the ridge penalty, in the units of columns, whose ω_φ of left-out rows is best.

    ``ways`` are units, each with the mean squared norm of a row in them. Penalties are tried from the strongest on,
    each fit starting at the last, and no matrix of features by features is made.
    """
    difference = mean_difference(model, rows)
    fold = folds(model.scores(rows.X, difference), rows.is_positive)
    n_entries = rows.X.size  # of a sparse matrix, those that are stored
    splits = [(fold != k, fold == k) for k in np.unique(fold)]
    splits = [split for split in splits if all(_has_both_classes(rows, part) for part in split)]
    splits = splits if n_entries <= _FEW_ENTRIES else splits[:1]
    best, (i, ratio) = -np.inf, (0, 1.0)
    for candidate, (unit, size) in enumerate(ways):
        for r, value in _left_out(model, rows, unit, size, splits, phi):
            if value > best:
                best, i, ratio = value, candidate, r
    unit, size = ways[i]
    tol = _NEAR * _steepest_at_origin(rows, unit, difference)
    theta = _fitted(model, rows, unit, ratio * size, tol)
    return PlugIn(theta[:-1], float(theta[-1]), ratio * size, unit)


def _left_out(
    model: Model, rows: Rows, unit: FloatArray, size: float, splits: Sequence[Any], phi: Phi
) -> list[tuple[float, float]]:
    """The mean ω_φ of left-out rows for every ratio tried."""
    if not splits:
        return []
    # Another copy of the rows costs more, in memory and time, than products with rows that do not count.
    parts = [replace(rows, weight=rows.weight * train) for train, _ in splits]
    left_out = [rows.only(test) for _, test in splits]
    tols = [_NEAR_ENOUGH * _steepest_at_origin(train, unit, mean_difference(model, train)) for train in parts]
    starts: list[FloatArray | None] = [None] * len(parts)
    values: list[tuple[float, float]] = []
    for ratio in _RATIOS:
        total = 0.0
        for k, (train, test) in enumerate(zip(parts, left_out, strict=True)):
            theta = starts[k] = _fitted(model, train, unit, ratio * size, tols[k], starts[k])
            total += statistic(test.scored(model.scores(test.X, theta[:-1])), phi)
        values.append((ratio, total / len(parts)))
        if len(values) - 1 - int(np.argmax([value for _, value in values])) >= _PATIENCE:
            break
    return values


def _fitted(
    model: Model, rows: Rows, unit: FloatArray, penalty: float, tol: float, start: FloatArray | None = None
) -> FloatArray:
    """Weights of the features, and the intercept."""
    units = np.append(unit, 1.0)
    strength = np.append(np.full(len(unit), penalty / rows.n_total), 0.0) / units**2
    data = DataInMemory(rows.X, rows.is_positive, rows.weight)
    objective = Objective.of_checked(LogLoss(), WithIntercept(model), data, strength)

    def in_units(v: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = objective(units * v)
        return value, units * gradient

    begin = _origin(rows, len(units)) if start is None else start / units
    return units * Lbfgs(200, max(tol, np.finfo(np.float64).tiny)).maximize(in_units, begin).theta


def _origin(rows: Rows, n_parameters: int) -> FloatArray:
    """No weights, and the intercept that is best then."""
    return np.append(np.zeros(n_parameters - 1), np.log(rows.n_pos / rows.n_neg))


def _steepest_at_origin(rows: Rows, unit: FloatArray, difference: FloatArray) -> float:
    """The largest entry of the gradient, whatever the penalty: there, p(1 − p) times the difference of the means."""
    return rows.n_pos / rows.n_total * (rows.n_neg / rows.n_total) * float(np.abs(unit * difference).max())


def mean_difference(model: Model, rows: Rows) -> FloatArray:
    """By how much the mean features of the positives exceed those of the negatives."""
    pull = np.where(rows.is_positive, rows.weight / rows.n_pos, -rows.weight / rows.n_neg)
    return model.vjp(rows.X, np.zeros(model.n_features(rows.X.shape[1])), pull)


def _has_both_classes(rows: Rows, part: Any) -> bool:
    return bool(rows.is_positive[part].any()) and not rows.is_positive[part].all()


def squares_and_presence(rows: Rows, columns: Columns) -> tuple[FloatArray, FloatArray]:
    """The mean square of every column, and the share of rows in which it is not zero in the table given."""
    X, share = rows.X, rows.weight / rows.weight.sum()
    if not isinstance(X, np.ndarray):
        return share @ sparse.csr_array((X.data**2, X.indices, X.indptr), shape=X.shape), share @ (X != 0)
    zero = -columns.mean / columns.scale  # as it is once standardized
    squares, present = np.zeros((2, X.shape[1]))
    for part in row_blocks(X):
        squares += share[part] @ X[part] ** 2
        present += share[part] @ (X[part] != zero)
    return squares, present


def typical_sizes(squares: FloatArray, present: FloatArray) -> FloatArray:
    """The root mean square of each column over the entries that are not zero in the table given.

    A rare column of ones has size one, however rare: unit variance would make much of a few rows.
    """
    return np.asarray(np.sqrt(np.where(squares > 0, squares / np.where(present > 0, present, 1.0), 1.0)))


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
_PATIENCE_ON_PATH = 4  # penalties without gain after which weaker ones are not tried
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
        if len(means) - 1 - int(np.argmax(means)) >= _PATIENCE_ON_PATH:
            break
    return _PATH[: int(np.argmax(means)) + 1]
