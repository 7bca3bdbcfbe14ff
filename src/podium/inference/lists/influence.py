"""Influence values: what each item contributes to an estimate; from them come variances, paired, clustered or not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._fast.lists import shifts
from podium._types import Array, FloatArray, Sample
from podium.exceptions import DegenerateSampleError, InputError
from podium.ranks.pooled import TieGroups


@dataclass(frozen=True)
class Influence:
    r"""Influence values of the items of a list, by tie group and class.

    The influence of a positive of group g is ``pos_factor * (pos[g] − mean of pos)``, likewise of a negative. With
    values ψ_i of the n positives and χ_j of the m negatives, ω̂ − ω ≈ Σψ_i/n + Σχ_j/m and

    .. math:: \widehat{\mathrm{var}} = \frac{\sum_i \psi_i^2}{n(n-1)} + \frac{\sum_j \chi_j^2}{m(m-1)}.
    """

    ties: TieGroups
    pos: FloatArray
    neg: FloatArray
    pos_factor: float
    neg_factor: float

    def variance(self) -> float:
        n, m = self.ties.n_pos, self.ties.n_neg
        _, pos_squares = shifts.spread(self.pos, self.ties.pos)
        _, neg_squares = shifts.spread(self.neg, self.ties.neg)
        return self.pos_factor**2 * pos_squares / (n * (n - 1)) + self.neg_factor**2 * neg_squares / (m * (m - 1))

    def rows(self, sample: Sample) -> FloatArray:
        """The influence value of every row of the sample, in input order."""
        pos_mean, _ = shifts.spread(self.pos, self.ties.pos)
        neg_mean, _ = shifts.spread(self.neg, self.ties.neg)
        group = np.unique(sample.scores, return_inverse=True)[1]
        return np.where(
            sample.is_positive,
            self.pos_factor * (self.pos[group] - pos_mean),
            self.neg_factor * (self.neg[group] - neg_mean),
        )


def variance_of_rows(influence: FloatArray, sample: Sample, clusters: Array | None = None) -> float:
    """Variance of an estimate from its influence values in input order.

    Rows of one cluster may depend on each other, whatever their class: their shares of the estimate are summed before
    they are squared (Obuchowski 1997, with factors that give the ordinary variance when every row is a cluster).
    """
    weight = np.ones(len(influence)) if sample.weight is None else sample.weight
    shares = np.empty(len(influence))
    variance = 0.0
    for rows in (sample.is_positive, ~sample.is_positive):
        count = weight[rows].sum()
        variance += float(weight[rows] @ influence[rows] ** 2) / (count * (count - 1))
        if clusters is not None:
            shares[rows] = weight[rows] * influence[rows] / count * _cluster_factor(clusters[rows])
    return variance if clusters is None else float((np.bincount(clusters, shares) ** 2).sum())


def _cluster_factor(clusters: Array) -> float:
    """√(C/(C − 1)) for the C clusters that hold a class."""
    n_clusters = len(np.unique(clusters))
    if n_clusters < 2:
        raise DegenerateSampleError(
            "Clustered observations need each class in at least two clusters; got one class in a single cluster.",
            "a cluster is all rows with the same value of groups.",
        )
    return float(np.sqrt(n_clusters / (n_clusters - 1)))


def typical_cluster_size(sample: Sample, clusters: Array) -> float:
    """How many rows of its own class a row shares its cluster with, itself included: the mean, of the larger class."""
    weight = np.ones(len(clusters)) if sample.weight is None else sample.weight
    sizes = [np.bincount(clusters[rows], weight[rows]) for rows in (sample.is_positive, ~sample.is_positive)]
    return max(float(size @ size / size.sum()) for size in sizes)


def clusters_of(groups: npt.ArrayLike, sample_weight: npt.ArrayLike | None, n_rows: int) -> Array:
    """Cluster numbers from 0 of the rows that a sample keeps (those of positive weight)."""
    labels = np.asarray(groups)
    if labels.ndim != 1 or (sample_weight is None and len(labels) != n_rows):
        raise InputError(f"groups must name the cluster of every row; got shape {labels.shape} for {n_rows} rows.")
    if sample_weight is not None:
        weight = _input.check_weights(sample_weight, len(labels))
        labels = labels[weight > 0]
    return np.unique(labels, return_inverse=True)[1]
