"""Influence values: what each item contributes to an estimate; and which rows belong together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._fast.lists import shifts
from podium._fast.order.engine import groups_of_rows
from podium._types import Array, FloatArray, Sample
from podium.exceptions import InputError
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
        # Scaled before they are squared: where φ hardly rises, factors are huge and the values tiny.
        _, pos_squares = shifts.spread(self.pos_factor * self.pos, self.ties.pos)
        _, neg_squares = shifts.spread(self.neg_factor * self.neg, self.ties.neg)
        return pos_squares / (n * (n - 1)) + neg_squares / (m * (m - 1))

    def rows(self, sample: Sample) -> FloatArray:
        """The influence value of every row of the sample, in input order."""
        return np.where(sample.is_positive, *self.of_groups(groups_of_rows(sample.scores)[1]))

    def of_groups(self, group: Array) -> tuple[FloatArray, FloatArray]:
        """The influence values that a positive and a negative of these groups have."""
        pos_mean, _ = shifts.spread(self.pos, self.ties.pos)
        neg_mean, _ = shifts.spread(self.neg, self.ties.neg)
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
