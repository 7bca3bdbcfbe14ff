"""Location and scatter that a few wild rows cannot spoil, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from podium._input import BoolArray, FloatArray

_FREEDOM = 3  # of the t distribution: heavy tails, finite variance
_ROUNDS = 15


def robust_scatter(
    X: FloatArray, weight: FloatArray, groups: BoolArray | None = None
) -> tuple[list[FloatArray], FloatArray]:
    """Location (one per group, or one in all) and common scatter of a t₃ distribution, by its EM iteration.

    Rows count by (3 + d)/(3 + Mahalanobis²). Weights count rows.
    """
    n_columns = X.shape[1]
    labels = np.zeros(len(X), dtype=np.intp) if groups is None else groups.astype(np.intp)
    count = weight.copy()
    for _ in range(_ROUNDS):
        means = [np.average(X[labels == g], axis=0, weights=count[labels == g]) for g in range(labels.max() + 1)]
        centred = X - np.array(means)[labels]
        scatter = (centred * count[:, None]).T @ centred / weight.sum()
        count = weight * (_FREEDOM + n_columns) / (_FREEDOM + _squared_distances(centred, scatter))
    return means, scatter


def _squared_distances(centred: FloatArray, scatter: FloatArray) -> FloatArray:
    """Mahalanobis distances squared; a scatter without full rank is lifted by a trace of the identity."""
    lift = 1e-9 * np.trace(scatter) / len(scatter) + np.finfo(np.float64).tiny
    root = cholesky(scatter + lift * np.eye(len(scatter)), lower=True)
    return np.sum(solve_triangular(root, centred.T, lower=True) ** 2, axis=0)


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
