"""How each row moves a statistic of its list, and how statistics of the same rows vary together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._fast import lists
from podium._fast.order import groups_of_rows
from podium._types import Array, FloatArray, Sample
from podium.exceptions import DegenerateSampleError, InputError
from podium.ranks.pooled import TieGroups

_READ_AS_COPIES = "weights are read as copies of rows; of 1/probability of being sampled, pass weights='sampling'"

# Influence values: what each item contributes to an estimate; and which rows belong together.


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
        # Scaled before they are squared: where φ hardly rises, factors are huge and the values tiny.
        _, pos_squares = lists.spread(self.pos_factor * self.pos, self.ties.pos)
        _, neg_squares = lists.spread(self.neg_factor * self.neg, self.ties.neg)
        return pos_squares / (n * (n - 1)) + neg_squares / (m * (m - 1))

    def rows(self, sample: Sample) -> FloatArray:
        """The influence value of every row of the sample, in input order."""
        return np.where(sample.is_positive, *self.of_groups(groups_of_rows(sample.scores)[1]))

    def of_groups(self, group: Array) -> tuple[FloatArray, FloatArray]:
        """The influence values that a positive and a negative of these groups have."""
        pos_mean, _ = lists.spread(self.pos, self.ties.pos)
        neg_mean, _ = lists.spread(self.neg, self.ties.neg)
        return self.pos_factor * (self.pos[group] - pos_mean), self.neg_factor * (self.neg[group] - neg_mean)


def typical_cluster_size(sample: Sample, clusters: Array) -> float:
    """How many rows of its own class a row shares its cluster with, itself included: the mean, of the larger class."""
    weight = np.ones(len(clusters)) if sample.weight is None else sample.weight
    sizes = [np.bincount(clusters[rows], weight[rows]) for rows in (sample.is_positive, ~sample.is_positive)]
    return max(float(size @ size / size.sum()) for size in sizes)


def clusters_of(groups: npt.ArrayLike, sample_weight: npt.ArrayLike | None, n_rows: int, name: str = "groups") -> Array:
    """Cluster numbers from 0 of the rows that a sample keeps (those of positive weight)."""
    labels = np.asarray(groups)
    if labels.ndim != 1 or (sample_weight is None and len(labels) != n_rows):
        unit = "cluster" if name == "groups" else "stratum"
        raise InputError(f"{name} must name the {unit} of every row; got shape {labels.shape} for {n_rows} rows.")
    if sample_weight is not None:
        weight = _input.check_weights(sample_weight, len(labels))
        labels = labels[weight > 0]
    return np.unique(labels, return_inverse=True)[1]


def weighted_rows(
    sample_weight: npt.ArrayLike | None, weights: str, groups: npt.ArrayLike | None, n_rows: int
) -> tuple[FloatArray | None, Array | None, str]:
    """Weights as inference counts them, the cluster of every row that is kept (None: rows are independent), and a note.

    Sampling weights are put to a mean of 1, and every row is a cluster of its own, unless clusters are given: what
    leaving it out changes goes by its whole weight, where of copies one alone would be left out.
    """
    _input.check_choice("weights", weights, ("frequency", "sampling"))
    if sample_weight is None:
        return None, None if groups is None else clusters_of(groups, None, n_rows), ""
    weight = _input.check_weights(sample_weight, n_rows)
    if weights == "sampling":
        own = np.arange(n_rows) if groups is None else groups
        weight = weight * (np.count_nonzero(weight) / weight.sum())
        return weight, clusters_of(own, weight, n_rows), ""
    clusters = None if groups is None else clusters_of(groups, weight, n_rows)
    are_copies = weight.sum() <= n_rows and bool(np.all(weight == np.round(weight)))
    return weight, clusters, "" if are_copies else _READ_AS_COPIES


# Covariance of estimates from the influence values of their rows, and how many degrees of freedom stand behind it.


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

    def with_errors(self, errors: FloatArray) -> Covariance:
        """The same correlations with other standard errors; where nothing varied, that of independent estimates."""
        old = np.sqrt(np.diag(self.total))
        varied = old > 1e-12
        factor = np.where(varied, errors / np.where(varied, old, 1.0), 0.0)
        scaled = tuple((part * np.outer(factor, factor), freedom) for part, freedom in self.parts)
        return Covariance((*scaled, (np.diag(np.where(varied, 0.0, errors**2)), np.inf)))

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
    positives and the negatives. Each part has as many degrees of freedom as rows less one. Rows of one cluster may
    depend on each other, whatever their part: see `_of_clusters`.
    """
    weight = np.ones(len(sample.scores)) if sample.weight is None else sample.weight
    samples = (sample.is_positive, ~sample.is_positive) if parts is None else parts
    if clusters is None:
        return Covariance(tuple(_of_sample(influence[:, rows], weight[rows]) for rows in samples))
    return _of_clusters(influence, weight, clusters, samples)


def variance_of_rows(influence: FloatArray, sample: Sample) -> float:
    """Variance of one estimate from its influence values in input order."""
    return float(covariance_of_rows(influence[None], sample).total[0, 0])


def _of_sample(influence: FloatArray, weight: FloatArray) -> tuple[FloatArray, float]:
    count = float(weight.sum())
    return (weight * influence) @ influence.T / (count * (count - 1)), count - 1


def _of_clusters(influence: FloatArray, weight: FloatArray, clusters: Array, parts: Sequence[Array]) -> Covariance:
    r"""The jackknife over clusters: what leaving out each of them changes in the estimates, squared and summed.

    Of a part with C clusters, in which cluster g has the share :math:`p_g` of the weight and :math:`T_g` of the mean
    influence, that is :math:`T_g / (1 - p_g)`, and their sum of squares is multiplied by (C − 1)/C: Obuchowski's (1997)
    variance where clusters are equally large, and the ordinary one where every row is a cluster. With clusters of very
    unequal sizes that variance is too small, since a large cluster draws the mean towards itself.

    Where clusters hold several parts these cannot be told apart, and are one.
    """
    n_clusters = int(clusters.max()) + 1
    held = np.array([np.bincount(clusters[rows], minlength=n_clusters) > 0 for rows in parts])
    changes, size = np.zeros((len(influence), n_clusters)), np.zeros(n_clusters)
    for rows in parts:
        mass = np.bincount(clusters[rows], weight[rows], minlength=n_clusters).astype(np.float64)
        factor = left_out_factor(mass)
        size += mass
        share = weight[rows] / weight[rows].sum() * factor[clusters[rows]]
        for values, change in zip(influence, changes, strict=True):
            change += np.bincount(clusters[rows], values[rows] * share, minlength=n_clusters)
    if held.sum(axis=0).max() > 1:
        return Covariance((_with_freedom(changes, size, int(held.sum(axis=1).min())),))
    return Covariance(tuple(_with_freedom(changes[:, one], size[one], int(one.sum())) for one in held))


def left_out_factor(mass: FloatArray) -> FloatArray:
    """1/(1 − p) · √((C − 1)/C) for each of C clusters with the share p of the mass; 1 for those without any."""
    n_clusters = np.count_nonzero(mass)
    if n_clusters < 2:
        raise DegenerateSampleError(
            "Clustered observations need each class in at least two clusters; got one class in a single cluster.",
            "a cluster is all rows with the same value of groups.",
        )
    return np.where(mass > 0, np.sqrt(1 - 1 / n_clusters) / (1 - mass / mass.sum()), 1.0)


def _with_freedom(changes: FloatArray, size: FloatArray, n_clusters: int) -> tuple[FloatArray, float]:
    r"""The covariance of changes by clusters, and its degrees of freedom, at most C − 1.

    Satterthwaite's, from how unequal the changes are: with :math:`q_g = c_g^\top S^- c_g` of the changes :math:`c_g`
    and their covariance S of rank r, :math:`2 r / (\sum q_g^2 - r^2/C)`, which is about C for normal changes of equal
    size. But no fewer than unequal sizes :math:`m_g` can explain, :math:`(\sum m_g^2)^2 / \sum m_g^4 - 1`: between
    equal clusters, changes that differ much are those of a steep φ, and as likely to be of either sign.
    """
    covariance = changes @ changes.T
    inverse = np.linalg.pinv(covariance, hermitian=True)
    q = np.einsum("ig,ij,jg->g", changes, inverse, changes)
    rank = float(q.sum())
    spread = float(q @ q) - rank**2 / len(q)
    share = size / size.max()
    explained = float((share @ share) ** 2 / (share**2 @ share**2)) - 1
    freedom = max(2 * rank / spread, explained) if spread > 0 else np.inf
    return covariance, float(np.clip(freedom, 1.0, n_clusters - 1))
