"""A plug-in rule for many columns: ridge logistic regression by products with the rows alone, dense or sparse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from podium._types import FloatArray, Sample
from podium.criteria import LogLoss
from podium.metrics.linear import statistic
from podium.models import Model, WithIntercept
from podium.objective import DataInMemory, Objective
from podium.phi import Phi
from podium.rankers.lines.columns import Columns, row_blocks
from podium.rankers.lines.plug_in import PlugIn, folds
from podium.rankers.lines.prepare import Family
from podium.rankers.lines.rows import Rows
from podium.solvers import Lbfgs

# Over the mean squared norm of a row: the penalty of a prior under which log-odds have variance 1/ratio.
_RATIOS = (10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 0.003)
_PATIENCE = 2  # penalties without gain after which weaker ones are not tried
_FEW_ENTRIES = 100_000  # up to which every fold is left out in turn, else one
# Of the largest entry of the gradient at the origin, where a climb stops: to compare penalties less is needed.
_NEAR, _NEAR_ENOUGH = 1e-3, 3e-2


def wide_logistic(family: Family, rows: Rows, units: Sequence[FloatArray], phi: Phi) -> PlugIn:
    """Logistic regression with the ridge penalty, in the units of columns, whose ω_φ of left-out rows is best.

    Penalties are tried from the strongest on, each fit starting at the last, and no matrix of features by features is
    made.
    """
    model = family.model
    fold = folds(mean_direction_scores(model, rows), rows.is_positive)
    n_entries = rows.X.size  # of a sparse matrix, those that are stored
    splits = [(fold != k, fold == k) for k in np.unique(fold)]
    splits = [split for split in splits if all(_has_both_classes(rows, part) for part in split)]
    splits = splits if n_entries <= _FEW_ENTRIES else splits[:1]
    share = rows.weight / rows.weight.sum()
    mean_norms = [float(share @ family.squared_norms(rows.X, each)) or 1.0 for each in units]
    best, (i, ratio) = -np.inf, (0, 1.0)
    for candidate, (unit, size) in enumerate(zip(units, mean_norms, strict=True)):
        for r, value in _left_out(model, rows, unit, size, splits, phi):
            if value > best:
                best, i, ratio = value, candidate, r
    tol = _NEAR * _gradient_at_origin(model, rows, units[i])
    theta = _fitted(model, rows, units[i], ratio * mean_norms[i], tol)
    return PlugIn(theta[:-1], float(theta[-1]), ratio * mean_norms[i], units[i])


def _left_out(
    model: Model, rows: Rows, unit: FloatArray, size: float, splits: Sequence[Any], phi: Phi
) -> list[tuple[float, float]]:
    """The mean ω_φ of left-out rows for every ratio tried."""
    if not splits:
        return []
    # Another copy of the rows costs more, in memory and time, than products with rows that do not count.
    parts = [replace(rows, weight=rows.weight * train) for train, _ in splits]
    tols = [_NEAR_ENOUGH * _gradient_at_origin(model, train, unit) for train in parts]
    starts: list[FloatArray | None] = [None] * len(parts)
    values: list[tuple[float, float]] = []
    for ratio in _RATIOS:
        total = 0.0
        for k, (train, (_, test)) in enumerate(zip(parts, splits, strict=True)):
            theta = starts[k] = _fitted(model, train, unit, ratio * size, tols[k], starts[k])
            scores = model.scores(rows.X, theta[:-1])[test]
            total += statistic(Sample(scores, rows.is_positive[test], rows.weight[test]), phi)
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


def _gradient_at_origin(model: Model, rows: Rows, unit: FloatArray) -> float:
    """Its largest entry, whatever the penalty."""
    origin = _origin(rows, len(unit) + 1)
    objective = Objective.of_checked(
        LogLoss(), WithIntercept(model), DataInMemory(rows.X, rows.is_positive, rows.weight)
    )
    return float(np.abs(np.append(unit, 1.0) * objective(origin)[1]).max())


def mean_direction_scores(model: Model, rows: Rows) -> FloatArray:
    """Scores by the difference of the mean features of the classes."""
    pull = np.where(rows.is_positive, rows.weight / rows.n_pos, -rows.weight / rows.n_neg)
    n_parameters = model.n_features(rows.X.shape[1])
    return model.scores(rows.X, model.vjp(rows.X, np.zeros(n_parameters), pull))


def _has_both_classes(rows: Rows, part: Any) -> bool:
    return bool(rows.is_positive[part].any()) and not rows.is_positive[part].all()


def typical_sizes(rows: Rows, columns: Columns) -> FloatArray:
    """The root mean square of each column over the entries that are not zero in the table given.

    A rare column of ones has size one, however rare: unit variance would make much of a few rows.
    """
    X, share = rows.X, rows.weight / rows.weight.sum()
    if isinstance(X, np.ndarray):
        zero = -columns.mean / columns.scale  # as it is once standardized
        squares = sum(share[part] @ X[part] ** 2 for part in row_blocks(X))
        present = sum(share[part] @ (X[part] != zero) for part in row_blocks(X))
    else:
        squares, present = share @ squared(X), share @ (X != 0)
    return np.asarray(np.sqrt(np.where(squares > 0, squares / np.where(present > 0, present, 1.0), 1.0)))


def squared_norms(X: Any, units: FloatArray) -> FloatArray:
    """Of every row, columns taken in these units."""
    if isinstance(X, np.ndarray):
        return np.concatenate([X[part] ** 2 @ units**2 for part in row_blocks(X)])
    return np.asarray(squared(X) @ units**2)


def squared(X: Any) -> Any:
    """Every entry of a sparse matrix squared."""
    return sparse.csr_array((X.data**2, X.indices, X.indptr), shape=X.shape)
