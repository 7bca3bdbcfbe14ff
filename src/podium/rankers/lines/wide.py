"""A plug-in rule for many columns: ridge logistic regression by products with the rows alone, dense or sparse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from podium._types import FloatArray
from podium.criteria import LogLoss
from podium.metrics.linear import statistic
from podium.models import Model, WithIntercept
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
