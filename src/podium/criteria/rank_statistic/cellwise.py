"""The steps with φ∘F̂_h interpolated in each cell: φ is evaluated at the nodes of cells, not at every positive.

F̂_h moves little within a cell, so that φ∘F̂_h and φ'∘F̂_h are close to polynomials there; exactly so for an affine φ.
How close is measured at places between the nodes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from podium._types import BoolArray, FloatArray, Sample
from podium.criteria.rank_statistic.steps import FieldTerm, PositiveTerms, SmoothedRanks, Summary
from podium.phi.classical import INNERMOST
from podium.sums.cells import CellDensity, CellSums, interpolation

_BETWEEN = np.array([-0.5, -0.25, 0.0, 0.25, 0.5])  # places of a cell where polynomials are compared


@dataclass(frozen=True, slots=True)
class ClassField:
    """What φ makes of F̂_h: for every cell the pull of its positives, and the polynomial of what each feels itself."""

    sums: CellSums
    occupied: BoolArray
    table: FloatArray
    terms: PositiveTerms
    own: FloatArray
    stretch: float
    is_accurate: bool

    def against(self, pull: FloatArray) -> tuple[CellDensity, float]:
        return self.sums.densities(pull, self.occupied, self.table), self.stretch


@dataclass(frozen=True, slots=True)
class CellwiseRanks(SmoothedRanks):
    """Cell moments by class give the value, and one polynomial per cell and class the gradient: two passes."""

    sums: CellSums
    tol: float  # allowed error of the interpolation; infinite for an affine φ, where there is none

    visits_positives = False

    def summarize(self, rows: Sample, kept: Any = None) -> tuple[Summary, None]:
        return self.sums.summarize(self.frame.place(rows.scores), rows.weight, rows.is_positive), None

    def finish(self, summary: Summary) -> ClassField:  # type: ignore[override]  # opaque to callers
        negatives, positives = summary.reshape(2, self.sums.n_cells, -1)
        pooled, pull, own = negatives + positives, np.empty_like(positives), np.empty_like(positives)
        _, to_coefficients = interpolation(self.sums.cells.order)
        at_nodes, between, _ = _powers(self.sums.cells.order)
        table, value, stretch, largest = self.sums.cells.table(self.sums.span), 0.0, 0.0, 0.0
        misses, sizes = np.zeros((2, 3))
        for here, (cdf, density, stretches) in self.sums.slabs(pooled, table):
            polynomials = [values @ to_coefficients.T for values in self._at(cdf @ at_nodes, density @ at_nodes)]
            value += float(np.vdot(polynomials[0], positives[here]))
            pull[here], own[here] = _times(polynomials[1], positives[here]), polynomials[2]
            stretch += float(np.vdot(stretches, pull[here]))
            occupied = positives[here, 0] > 0
            largest = max(largest, float(polynomials[2][:, 0].max(where=occupied, initial=0.0)))
            if self.tol == np.inf or not occupied.any():
                continue
            for k, exact in enumerate(self._at(cdf[occupied] @ between, density[occupied] @ between)):
                misses[k] = max(misses[k], np.abs(polynomials[k][occupied] @ between - exact).max())
                sizes[k] = max(sizes[k], np.abs(exact).max())
        pull /= self.spread.weight_positive
        own /= self.spread.weight_positive
        value, stretch, largest = (total / self.spread.weight_positive for total in (value, stretch, largest))
        terms = PositiveTerms(value, pull, self.spread.heaviest * largest)
        is_accurate = self.tol == np.inf or bool((misses <= self.tol / 4 * sizes).all())
        return ClassField(self.sums, pooled[:, 0] > 0, table, terms, own, stretch, is_accurate)

    def field_term(self, pooled: ClassField, total: PositiveTerms | None = None) -> FieldTerm:  # type: ignore[override]
        field = super(CellwiseRanks, self).field_term(pooled, pooled.terms)  # type: ignore[arg-type]
        on_negatives = field.density.coefficients  # type: ignore[union-attr]
        by_class = CellDensity(self.sums, np.concatenate([on_negatives, on_negatives - pooled.own]))
        return replace(field, density=by_class, is_accurate=pooled.is_accurate)

    def gradient(self, field: FieldTerm, rows: Sample, own: Any) -> FloatArray:
        gradient = np.zeros(len(rows.scores))
        if not self.is_flat:
            scores = self.frame.place(rows.scores)
            field.density.subtract_from(gradient, scores, rows.weight, rows.is_positive)  # type: ignore[call-arg]
        return gradient

    def _at(self, cdf: FloatArray, density: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """φ(F̂), φ'(F̂) and φ'(F̂)·F̂' from F̂ and h·F̂'."""
        cdf = np.clip(cdf, *INNERMOST)  # F̂ may err below 0 where it is almost 0
        v = self.phi.derivative(cdf)
        return self.phi.value(cdf), v, v * density / self.bandwidth


@lru_cache
def _powers(order: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """From coefficients to values at the nodes, and between them; from moments to as many beyond the order, less one.

    Moments beyond the order of the cells are those of the same mass put on the nodes.
    """
    nodes, to_coefficients = interpolation(order)
    at_nodes, between = (np.vander(x, order, increasing=True).T for x in (nodes, _BETWEEN))
    return at_nodes, between, to_coefficients @ np.vander(nodes, 2 * order - 1, increasing=True)[:, order:]


def _times(v: FloatArray, moments: FloatArray) -> FloatArray:
    """Moments of rows weighted by a polynomial v, from the moments of these rows: Σ_a v_a M_{a+b}."""
    order = moments.shape[1]
    *_, beyond = _powers(order)
    extended = np.concatenate([moments, moments @ beyond], axis=1)
    return np.asarray(sum(v[:, a, None] * extended[:, a : a + order] for a in range(order)))
