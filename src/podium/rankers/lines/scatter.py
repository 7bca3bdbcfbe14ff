"""Location and scatter that a few wild rows cannot spoil, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from podium._fast.order.engine import rows_ascending
from podium._types import BoolArray, FloatArray

_FREEDOM = 3  # of the t distribution: heavy tails, finite variance
_ROUNDS = 15
_SETTLED = 1e-3  # relative change of the scatter after which more rounds are of no use: it is a yardstick
_LEAST = 0.1  # of its clipped variance that a column's scatter is not to fall below


def robust_scatter(
    X: FloatArray, weight: FloatArray, groups: BoolArray | None = None
) -> tuple[list[FloatArray], FloatArray]:
    """Location (one per group, or one in all) and common scatter of a t₃ distribution, by its EM iteration.

    Rows count by (3 + d)/(3 + Mahalanobis²). Weights count rows.
    """
    n_columns = X.shape[1]
    least = _LEAST * _clipped_variances(X, weight)
    members = [slice(None)]
    if groups is not None:  # one group after the other: slices of rows, not copies
        order, n_first = np.argsort(groups, kind="stable"), len(X) - int(groups.sum())
        X, weight, members = X[order], weight[order], [slice(n_first), slice(n_first, None)]
    count = weight
    before, centred = np.full((n_columns, n_columns), np.inf), np.empty_like(X)
    for _ in range(_ROUNDS):
        means = [count[rows] @ X[rows] / count[rows].sum() for rows in members]
        for rows, mean in zip(members, means, strict=True):
            np.subtract(X[rows], mean, out=centred[rows])
        scatter = (centred * count[:, None]).T @ centred / weight.sum()
        # A column that is constant in most rows, such as a rare category, would collapse: keep it from that.
        stretch = np.sqrt(np.maximum(least / np.maximum(np.diag(scatter), np.finfo(np.float64).tiny), 1.0))
        scatter = scatter * np.outer(stretch, stretch)
        distances = np.einsum("ij,ij->i", centred @ np.linalg.inv(lifted(scatter)), centred)
        if np.abs(scatter - before).max() <= _SETTLED * np.abs(scatter).max():
            break
        before = scatter
        count = weight * (_FREEDOM + n_columns) / (_FREEDOM + distances)
    return means, scatter


def _clipped_variances(X: FloatArray, weight: FloatArray) -> FloatArray:
    """Variances of columns clipped at five robust standard deviations from the median; unclipped where those are 0."""
    centred = X - [weighted_quantile(column, weight, 0.5) for column in X.T]
    limit = np.array([7.4 * weighted_quantile(np.abs(column), weight, 0.5) for column in centred.T])  # 5 · 1.483 · MAD
    clipped = np.where(limit > 0, np.clip(centred, -limit, limit), centred)
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


def lifted(scatter: FloatArray) -> FloatArray:
    """A scatter plus a trace of the identity, so that one without full rank can be inverted."""
    lift = 1e-9 * np.trace(scatter) / len(scatter) + np.finfo(np.float64).tiny
    return scatter + lift * np.eye(len(scatter))


@dataclass(frozen=True)
class Whitening:
    """Coordinates in which M is the identity: θ = root · u, u = inverse · θ."""

    root: FloatArray
    inverse: FloatArray

    @classmethod
    def of(cls, metric: FloatArray) -> Whitening:
        """The symmetric root of M⁻¹; directions in which M vanishes are damped, not divided by."""
        values, vectors = np.linalg.eigh(metric)
        values = np.maximum(values, 1e-10 * values[-1] + np.finfo(np.float64).tiny)
        return cls(vectors / np.sqrt(values) @ vectors.T, vectors * np.sqrt(values) @ vectors.T)

    @classmethod
    def none(cls, n_columns: int) -> Whitening:
        return cls(np.eye(n_columns), np.eye(n_columns))
