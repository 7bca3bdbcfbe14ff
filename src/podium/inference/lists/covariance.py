"""Covariance of estimates from the influence values of their rows, and how many degrees of freedom stand behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from podium._types import Array, FloatArray, Sample
from podium.exceptions import DegenerateSampleError


@dataclass(frozen=True)
class Covariance:
    """A covariance matrix as the sum of independent parts, each with its degrees of freedom."""

    parts: tuple[tuple[FloatArray, float], ...]

    @cached_property
    def total(self) -> FloatArray:
        return np.sum([part for part, _ in self.parts], axis=0)

    def variance(self, contrast: FloatArray) -> float:
        """Variance of a linear combination of the estimates."""
        return float(contrast @ self.total @ contrast)

    def degrees_of_freedom(self, contrasts: FloatArray) -> float:
        r"""Of the estimated covariance of linear combinations, one in each row (Krishnamoorthy and Yu 2004).

        .. math:: \nu = \frac{q(q + 1)}{\sum_k \{\mathrm{tr}(A_k^2) + (\mathrm{tr} A_k)^2\}/\nu_k}, \qquad
           A_k = S_k \Bigl(\sum_k S_k\Bigr)^{-1},

        for q combinations with the parts S_k; for one it is Satterthwaite's. Infinite where nothing varies.
        """
        inverse = np.linalg.pinv(contrasts @ self.total @ contrasts.T, hermitian=True)
        shares = [(contrasts @ part @ contrasts.T @ inverse, freedom) for part, freedom in self.parts]
        rank = float(np.trace(sum(share for share, _ in shares)))
        spread = sum((np.trace(share @ share) + np.trace(share) ** 2) / freedom for share, freedom in shares)
        return float(rank * (rank + 1) / spread) if spread > 0 else np.inf


def covariance_of_rows(
    influence: FloatArray, sample: Sample, clusters: Array | None = None, parts: Sequence[Array] | None = None
) -> Covariance:
    """Covariance of estimates from their influence values: one estimate in each row, rows of the sample in columns.

    ``parts`` says which rows are a sample of their own, over whose size their influence is averaged: by default the
    positives and the negatives. Rows of one cluster may depend on each other, whatever their part: their shares of the
    estimate are summed before they are squared (Obuchowski 1997, with factors that give the ordinary variance when
    every row is a cluster). Each part has as many degrees of freedom as rows, or clusters that hold it, less one; where
    clusters hold several parts these cannot be told apart, and the smallest number counts.
    """
    weight = np.ones(len(sample.scores)) if sample.weight is None else sample.weight
    samples = (sample.is_positive, ~sample.is_positive) if parts is None else parts
    if clusters is None:
        return Covariance(tuple(_of_sample(influence[:, rows], weight[rows]) for rows in samples))
    n_clusters = int(clusters.max()) + 1
    held = np.array([np.bincount(clusters[rows], minlength=n_clusters) > 0 for rows in samples])
    shares = np.zeros((len(influence), n_clusters))
    for rows, holding in zip(samples, held, strict=True):
        factor = weight[rows] / weight[rows].sum() * _cluster_factor(int(holding.sum()))
        for values, share in zip(influence, shares, strict=True):
            share += np.bincount(clusters[rows], values[rows] * factor, minlength=n_clusters)
    freedoms = held.sum(axis=1) - 1.0
    if held.sum(axis=0).max() > 1:
        return Covariance(((shares @ shares.T, float(freedoms.min())),))
    return Covariance(
        tuple((shares[:, one] @ shares[:, one].T, float(freedom)) for one, freedom in zip(held, freedoms, strict=True))
    )


def variance_of_rows(influence: FloatArray, sample: Sample) -> float:
    """Variance of one estimate from its influence values in input order."""
    return float(covariance_of_rows(influence[None], sample).total[0, 0])


def _of_sample(influence: FloatArray, weight: FloatArray) -> tuple[FloatArray, float]:
    count = float(weight.sum())
    return (weight * influence) @ influence.T / (count * (count - 1)), count - 1


def _cluster_factor(n_clusters: int) -> float:
    """√(C/(C − 1)) for the C clusters that hold a class."""
    if n_clusters < 2:
        raise DegenerateSampleError(
            "Clustered observations need each class in at least two clusters; got one class in a single cluster.",
            "a cluster is all rows with the same value of groups.",
        )
    return float(np.sqrt(n_clusters / (n_clusters - 1)))
