"""The logistic loss of pairs, and its derivative the sigmoid loss, through moments per cell."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from podium._types import FloatArray
from podium.criteria.push.classes import Classes
from podium.criteria.push.losses import ExponentialLoss, PairLoss, PairSums
from podium.sums.logistic import FAR_APART, Grid, LogisticCells


@dataclass(frozen=True, slots=True)
class Survey:
    """The cells in which rows lie, the lowest upper and the highest lower score. ``a + b`` is that of both."""

    cells: FloatArray
    lowest_upper: float
    highest_lower: float

    def __add__(self, other: Survey) -> Survey:
        return Survey(
            np.union1d(self.cells, other.cells),
            min(self.lowest_upper, other.lowest_upper),
            max(self.highest_lower, other.highest_lower),
        )


@dataclass(frozen=True, slots=True)
class LogisticLoss(PairLoss):
    """ℓ(r) = log(1 + e^(−r)), or 1/(1 + e^r) if ``bounded``: O(n + m), to ``tol`` relative to each sum."""

    tol: float
    bounded: bool = False
    cells: LogisticCells | None = None

    def survey(self, rows: Classes) -> Survey:
        grid = Grid.to(self.tol)
        return Survey(
            np.union1d(grid.occupied(rows.upper), grid.occupied(rows.lower)),
            rows.upper.min(initial=np.inf),
            rows.lower.max(initial=-np.inf),
        )

    def agreed(self, survey: Survey) -> PairLoss:
        if survey.lowest_upper - survey.highest_lower > FAR_APART:
            return ExponentialLoss()  # sums of losses may underflow, their logarithms do not
        return replace(self, cells=LogisticCells(Grid.to(self.tol), survey.cells))

    def summarize(self, rows: Classes) -> FloatArray:
        return self._cells.moments(rows.upper, rows.upper_weight)

    def at(self, summary: FloatArray, rows: Classes) -> PairSums:
        functions = self._cells.sums(summary, (1, 2) if self.bounded else (0, 1))
        return PairSums.of(*self._cells.at(rows.lower, *functions))

    def tension(self, sums: PairSums, rows: Classes, elasticity: FloatArray) -> FloatArray:
        return self._cells.moments(rows.lower, sums.force(elasticity))

    def pull(self, summary: FloatArray, tension: FloatArray, rows: Classes) -> FloatArray:
        coefficients = self._cells.reverse_sums(tension, 2 if self.bounded else 1)
        return self._cells.weighted_at(rows.upper, rows.upper_weight, coefficients)

    @property
    def _cells(self) -> LogisticCells:
        assert self.cells is not None, "agreed() comes first"
        return self.cells
