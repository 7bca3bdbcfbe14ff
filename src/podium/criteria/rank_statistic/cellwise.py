"""The steps with φ∘F̂_h interpolated in each cell: φ is evaluated at the nodes of cells, not at every positive.

F̂_h moves little within a cell, so that φ∘F̂_h and φ'∘F̂_h are close to polynomials there; exactly so for an affine φ.
How close is measured at places between the nodes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from podium._types import FloatArray, Sample
from podium.criteria.rank_statistic.steps import FieldTerm, PositiveTerms, SmoothedRanks, Summary
from podium.phi.base import INNERMOST
from podium.sums.cells import CellDensity, CellField, CellSums, interpolation


@dataclass(frozen=True, slots=True)
class ClassField:
    """F̂_h of all rows, and the cell moments of the positives."""

    pooled: CellField
    positives: FloatArray


@dataclass(frozen=True, slots=True)
class CellwiseRanks(SmoothedRanks):
    """Cell moments by class give the value, and one polynomial per cell and class the gradient: two passes."""

    sums: CellSums
    tol: float  # allowed error of the interpolation; infinite for an affine φ, where there is none

    visits_positives = False

    def summarize(self, rows: Sample, kept: Any = None) -> tuple[Summary, None]:
        return self.sums.summarize(self.frame.place(rows.scores), rows.weight, rows.is_positive), None

    def finish(self, summary: Summary) -> ClassField:  # type: ignore[override]  # opaque to callers
        negatives, positives = np.split(summary, 2)
        return ClassField(self.sums.finish(negatives + positives), positives)

    def field_term(self, pooled: ClassField, total: PositiveTerms | None = None) -> FieldTerm:  # type: ignore[override]
        nodes, to_coefficients = interpolation(self.sums.cells.order)
        at_nodes = self._at(pooled.pooled, np.vander(nodes, increasing=True).T)
        value, v, own = (values @ (to_coefficients.T / self.spread.weight_positive) for values in at_nodes)
        largest = self.spread.heaviest * float(own[pooled.positives[:, 0] > 0, 0].max())
        here = PositiveTerms(float(np.vdot(value, pooled.positives)), _times(v, pooled.positives), largest)
        field = super(CellwiseRanks, self).field_term(pooled.pooled, here)
        on_negatives = field.density.coefficients  # type: ignore[union-attr]
        by_class = CellDensity(self.sums, np.concatenate([on_negatives, on_negatives - own]))
        return replace(field, density=by_class, is_accurate=self._follows(pooled, [value, v, own]))

    def gradient(self, field: FieldTerm, rows: Sample, own: Any) -> FloatArray:
        gradient = np.zeros(len(rows.scores))
        if not self.is_flat:
            scores = self.frame.place(rows.scores)
            field.density.subtract_from(gradient, scores, rows.weight, rows.is_positive)  # type: ignore[call-arg]
        return gradient

    def _at(self, pooled: CellField, powers: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """φ(F̂), φ'(F̂) and φ'(F̂)·F̂' at the same places of every cell, from the powers of these places."""
        cdf = np.clip(pooled.cdf @ powers, *INNERMOST)  # F̂ may err below 0 where it is almost 0
        v = self.phi.derivative(cdf)
        return self.phi.value(cdf), v, v * (pooled.density @ powers) / self.bandwidth

    def _follows(self, pooled: ClassField, coefficients: list[FloatArray]) -> bool:
        """Whether the polynomials meet what they interpolate up to tol of its largest value, where positives are."""
        between = np.array([-0.5, -0.25, 0.0, 0.25, 0.5])
        powers = np.vander(between, self.sums.cells.order, increasing=True).T
        occupied = pooled.positives[:, 0] > 0
        return all(
            np.abs(polynomial @ powers * self.spread.weight_positive - exact)[occupied].max()
            <= self.tol / 4 * np.abs(exact[occupied]).max()
            for polynomial, exact in zip(coefficients, self._at(pooled.pooled, powers), strict=True)
        )


def _times(v: FloatArray, moments: FloatArray) -> FloatArray:
    """Moments of rows weighted by a polynomial v, from the moments of these rows: Σ_a v_a M_{a+b}.

    Moments beyond the order of the cells are those of the same mass put on the nodes.
    """
    order = moments.shape[1]
    nodes, to_coefficients = interpolation(order)
    beyond = to_coefficients @ np.vander(nodes, 2 * order - 1, increasing=True)[:, order:]
    extended = np.concatenate([moments, moments @ beyond], axis=1)
    return np.asarray(sum(v[:, a, None] * extended[:, a : a + order] for a in range(order)))
