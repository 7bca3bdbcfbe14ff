"""Rows with labels and weights, as they pass through the stages of a fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from podium._types import BoolArray, FloatArray, Sample

IntArray = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows with labels and weights; every row has one."""

    X: Any
    is_positive: BoolArray
    weight: FloatArray

    @property
    def n_pos(self) -> float:
        return float(self.weight @ self.is_positive)

    @property
    def n_total(self) -> float:
        return float(self.weight.sum())

    @property
    def n_neg(self) -> float:
        return float(self.weight @ ~self.is_positive)  # a difference of the totals might cancel

    @property
    def smaller_class(self) -> float:
        return min(self.n_pos, self.n_neg)

    def scored(self, scores: FloatArray) -> Sample:
        """Scores of these rows with their labels and weights."""
        return Sample(scores, self.is_positive, self.weight)

    def only(self, chosen: Any) -> Rows:
        """Some of the rows."""
        return Rows(self.X[chosen], self.is_positive[chosen], self.weight[chosen])

    def subsample(self, n_rows: int, rng: np.random.RandomState) -> Rows:
        """At most so many rows, of either class at least a tenth where it has them; weights stand for the rest."""
        if len(self.weight) <= n_rows:
            return self
        index, weight = [], []
        for c in (self.is_positive, ~self.is_positive):
            members = np.flatnonzero(c)
            size = min(len(members), max(round(n_rows * len(members) / len(c)), n_rows // 10))
            chosen = np.sort(members[_draw(len(members), size, rng)])
            index.append(chosen)
            weight.append(self.weight[chosen] * ((self.weight @ c) / self.weight[chosen].sum()))
        joined = np.concatenate(index)
        return Rows(self.X[joined], self.is_positive[joined], np.concatenate(weight))


def _draw(n_members: int, size: int, rng: np.random.RandomState) -> IntArray:
    """So many different numbers below ``n_members``: the first ones that turn up, where they are few of many."""
    if size > n_members // 8:
        return rng.choice(n_members, size, replace=False)  # shuffles all of them
    drawn = rng.randint(n_members, size=size + size // 4 + 20)
    first = np.sort(np.unique(drawn, return_index=True)[1])
    return drawn[first[:size]] if len(first) >= size else rng.choice(n_members, size, replace=False)
