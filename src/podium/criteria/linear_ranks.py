"""The steps for an affine φ, as for the AUC: φ' is known beforehand, so positives need no pass of their own."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from podium._input import FloatArray, Sample
from podium.criteria.cell_sums import CellDensity, CellField, CellSums
from podium.criteria.smoothed_ranks import Pull, Push, SmoothedRanks, Summary, Total


@dataclass(frozen=True, slots=True)
class ClassField:
    """F̂_h of all rows, and the cell moments of the positives."""

    pooled: CellField
    positives: FloatArray


@dataclass(frozen=True, slots=True)
class LinearRanks(SmoothedRanks):
    """Cell moments by class give the value, and one polynomial per cell and class the gradient."""

    sums: CellSums

    def summarise(self, rows: Sample) -> Summary:
        return self.sums.summarise(rows.scores, rows.weight, rows.is_positive)

    def finish(self, summary: Summary) -> ClassField:  # type: ignore[override]  # opaque to callers
        negatives, positives = np.split(summary, 2)
        return ClassField(self.sums.finish(negatives + positives), positives)

    def pull(self, pooled: ClassField, rows: Sample) -> Pull:  # type: ignore[override]
        return Pull(Total(0.0, 0.0, 0.0), np.zeros(len(rows.scores)))

    def push(self, pooled: ClassField, total: Total) -> Push:  # type: ignore[override]
        weight_positive = self.spread.weight_positive
        v = float(self.phi.derivative(np.array([0.5]))[0]) / weight_positive
        mean_rank = np.vdot(pooled.pooled.cdf, pooled.positives) / weight_positive
        value = float(self.phi.value(np.array([mean_rank]))[0])
        own = v / self.bandwidth * pooled.pooled.density
        largest = self.spread.heaviest * float(own[pooled.positives[:, 0] > 0, 0].max())
        push = super(LinearRanks, self).push(pooled.pooled, Total(value, v * pooled.positives, largest))
        on_negatives = push.density.coefficients  # type: ignore[union-attr]
        by_class = CellDensity(self.sums, np.concatenate([on_negatives, on_negatives - own]))
        return replace(push, density=by_class)

    def gradient(self, push: Push, pull: Pull, rows: Sample) -> FloatArray:
        if not self.is_flat:
            push.density.subtract_from(pull.gradient, rows.scores, rows.weight, rows.is_positive)  # type: ignore[call-arg]
        return pull.gradient
