"""Location and scatter robust to outliers, and the whitening derived from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from podium._fast.order import rows_ascending
from podium._types import BoolArray, FloatArray

_FREEDOM = 3  # of the t distribution: heavy tails, finite variance
_ROUNDS = 15
_SETTLED = 1e-3  # relative change of the scatter after which more rounds are of no use: it is a yardstick
_NEGLIGIBLE = 1e-12  # of the largest variance: what is left of a linear dependence after rounding is less
_LIFT = 1e-9  # of the variance in all rows, added to the one within classes
_ENOUGH = 2000  # rows for medians of columns
_LEAST = 0.1  # of its clipped variance that a column's scatter is not to fall below


def robust_scatter(
    X: FloatArray, weight: FloatArray, groups: BoolArray | None = None
) -> tuple[list[FloatArray], FloatArray]:
    """Location (one per group, or one in all) and common scatter of a t₃ distribution, by its EM iteration.

    Rows count by (3 + d)/(3 + Mahalanobis²), d the number of independent columns. Weights count rows.
    """
    n_columns = X.shape[1]
    covariance = weighted_covariance(X, weight)
    least = _LEAST * _clipped_variances(X, weight)
    members = [slice(None)]
    if groups is not None:  # one group after the other: slices of rows, not copies
        order, n_first = np.argsort(groups, kind="stable"), len(X) - int(groups.sum())
        X, weight, members = X[order], weight[order], [slice(n_first), slice(n_first, None)]
    count = weight
    before, centered = np.full((n_columns, n_columns), np.inf), np.empty_like(X)
    for _ in range(_ROUNDS):
        means = [count[rows] @ X[rows] / count[rows].sum() for rows in members]
        for rows, mean in zip(members, means, strict=True):
            np.subtract(X[rows], mean, out=centered[rows])
        # Over the sum of the counts, not of the weights: the same in the end, in a third of the rounds (Kent, Tyler and
        # Vardi 1994).
        scatter = (centered * count[:, None]).T @ centered / count.sum()
        # A column that is constant in most rows, such as a rare category, would collapse: keep it from that.
        stretch = np.sqrt(np.maximum(least / np.maximum(np.diag(scatter), np.finfo(np.float64).tiny), 1.0))
        scatter = scatter * np.outer(stretch, stretch)
        whitening = Whitening.of(scatter, covariance)
        distances = ((centered @ whitening.root) ** 2).sum(axis=1)
        if np.abs(scatter - before).max() <= _SETTLED * np.abs(scatter).max():
            break
        before = scatter
        count = weight * (_FREEDOM + whitening.rank) / (_FREEDOM + distances)
    return means, scatter


def _clipped_variances(X: FloatArray, weight: FloatArray) -> FloatArray:
    """Variances of columns clipped at five robust standard deviations from the median; unclipped where those are 0."""
    part = slice(None, None, max(len(X) // _ENOUGH, 1))  # it is a yardstick for a yardstick
    X, weight = X[part], weight[part]
    centered = X - [weighted_quantile(column, weight, 0.5) for column in X.T]
    limit = np.array([7.4 * weighted_quantile(np.abs(column), weight, 0.5) for column in centered.T])  # 5 · 1.483 · MAD
    clipped = np.where(limit > 0, np.clip(centered, -limit, limit), centered)
    share = weight / weight.sum()
    return share @ (clipped - share @ clipped) ** 2


def weighted_quantile(values: FloatArray, weight: FloatArray, share: float) -> float:
    """The least value that so large a share of the weight does not exceed.

    Unlike NumPy's with weights it is the same for weights in any unit: a share is reached but for rounding.
    """
    if weight.min() == weight.max():
        k = max(int(np.ceil(share * len(values) * (1 - 1e-12))) - 1, 0)
        return float(np.partition(values, k)[k])
    order, values = rows_ascending(values)
    passed = np.cumsum(weight[order])
    return float(values[np.searchsorted(passed, share * passed[-1] * (1 - 1e-12))])


@dataclass(frozen=True, eq=False)
class Whitening:
    """Coordinates of the directions in which rows vary, where M is the identity: θ = root · u, u = inverse · θ.

    Directions in which rows do not vary, because columns depend linearly on each other, drop out: no score depends on
    them. So there may be fewer coordinates than columns.
    """

    root: Any
    inverse: Any

    @classmethod
    def of(cls, metric: FloatArray, covariance: FloatArray | None = None) -> Whitening:
        """By a metric M, and the covariance of the rows that says what drops out; by default M itself is that."""
        covariance = metric if covariance is None else covariance
        variances = np.diag(covariance)
        unit = np.sqrt(np.where(variances > 0, variances, 1.0))  # dependence does not depend on units
        values, vectors = np.linalg.eigh(covariance / np.outer(unit, unit))
        varies = values > _NEGLIGIBLE * values[-1]
        if not (varies.any() and metric.any()):
            return cls.none(len(metric))
        basis, inverse = vectors[:, varies] / unit[:, None], vectors[:, varies].T * unit
        values, turn = np.linalg.eigh(basis.T @ metric @ basis)
        values = np.maximum(values, _NEGLIGIBLE * values[-1])  # rows may vary where a scatter within classes vanishes
        return cls(basis @ (turn / np.sqrt(values) @ turn.T), (turn * np.sqrt(values) @ turn.T) @ inverse)

    @classmethod
    def by_units(cls, units: FloatArray) -> Whitening:
        """By other units of the columns alone: no matrix of columns by columns."""
        return cls(sparse.diags_array(units), sparse.diags_array(1 / units))

    @classmethod
    def none(cls, n_columns: int) -> Whitening:
        return cls.by_units(np.ones(n_columns))

    @property
    def rank(self) -> int:
        """The number of coordinates."""
        return int(self.root.shape[1])


def within_classes(scatter: FloatArray, covariance: FloatArray) -> Whitening:
    """By the scatter within two classes, and the covariance of all rows.

    A direction in which rows vary between the classes alone is the best of all, and does not drop out: the scatter is
    lifted by a trace of the covariance, so that it can be divided by.
    """
    everything = Whitening.of(covariance)
    root = everything.root
    within = Whitening.of(root.T @ scatter @ root + _LIFT * np.eye(everything.rank))
    return Whitening(root @ within.root, within.inverse @ everything.inverse)


def weighted_covariance(X: FloatArray, weight: FloatArray) -> FloatArray:
    """Second moments about the mean."""
    share = weight / weight.sum()
    centered = X - share @ X
    return np.asarray((centered * share[:, None]).T @ centered)
