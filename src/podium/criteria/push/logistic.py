"""Pushes with the logistic loss, by sums over cells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from podium._fast.cell_sums import LOOPS
from podium._types import FloatArray, Sample
from podium.criteria.push.losses import Classes, ExponentialLoss, PairLoss, PairSums
from podium.criteria.push.prices import Price
from podium.rounds.computation import Finished
from podium.sums.cells import interpolation
from podium.sums.frame import Extent, Frame
from podium.sums.logistic import FAR_APART, Grid, LogisticCells

# The logistic loss of pairs, and its derivative the sigmoid loss, through moments per cell.


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


# Pushes with the logistic loss where there are more rows than nodes of cells: two passes over the rows.
#
# The sums r(t) move little within a cell, and so does a power of them: the price is evaluated at the nodes of cells,
# with the mass that the lower rows of a cell put on each, not at every row.


# Time of a row in two passes per moment, and where every row is evaluated instead; in products from cell to cell.
_PER_ROW_AND_MOMENT, _PER_ROW_OTHERWISE = 2, 60


@dataclass(frozen=True, slots=True)
class CellwisePush:
    """The steps over cells without gaps; ``mirrored`` where positives are judged: the list turned upside down."""

    grid: Grid
    frame: Frame
    first: float
    n_cells: int
    price: Price
    mirrored: bool

    @classmethod
    def suited(
        cls, loss: LogisticLoss, price: Price, mirrored: bool, frame: Frame, extent: Extent
    ) -> CellwisePush | None:
        """For rows of this extent in a frame; None where cells are too many, or the price too steep for any."""
        if not np.isfinite(price.steepness):
            return None
        low, high = frame.place(np.array([extent.low, extent.high])).tolist()
        n_rows = extent.n_rows

        def cost(grid: Grid) -> float:
            n_cells = grid.n_cells(low, high)
            n_products = n_cells * min(n_cells, 2 * grid.reach + 1) * 3 * grid.q**2
            return n_products + n_rows * grid.q * _PER_ROW_AND_MOMENT

        grid = min((Grid.to(loss.tol, q, price.steepness) for q in LOOPS), key=cost)
        if cost(grid) > n_rows * _PER_ROW_OTHERWISE:
            return None
        return cls(grid, frame, grid.cell_of(low), int(grid.n_cells(low, high)), price, mirrored)

    def summarize(self, rows: Sample, kept: None) -> tuple[FloatArray, None]:
        """Moments per cell, of negatives and then of positives."""
        moments = np.zeros((2 * self.n_cells, self.grid.q))
        add_moments, scores = LOOPS[self.grid.q][0], self.frame.place(rows.scores)
        add_moments(scores, rows.weight, rows.is_positive, 1 / self.grid.width, self.first, None, moments)
        return moments, None

    def finish(self, moments: FloatArray) -> Finished | None:
        """From the moments of all rows; None where the classes are so far apart that sums underflow."""
        negatives, positives = np.split(moments, 2)
        upper, lower = (self._turned(negatives), self._turned(positives)) if self.mirrored else (positives, negatives)
        here = lower[:, 0] > 0
        if (np.flatnonzero(upper[:, 0])[0] - np.flatnonzero(here)[-1] - 1) * self.grid.width > FAR_APART:
            return None
        cells = LogisticCells(self.grid, self._ids)
        nodes, to_coefficients = interpolation(self.grid.q)
        powers = np.vander(nodes, increasing=True)
        sums = PairSums.of(*(part[here] @ powers.T for part in cells.sums(upper, (0, 1))))
        mass = lower[here] @ to_coefficients
        total = self.price.summarize(sums.log.ravel(), mass.ravel())
        shares = self.price.elasticity(total, sums.log, None)
        tension, pushes = np.zeros_like(lower), np.zeros_like(lower)
        tension[here] = (mass * sums.force(shares)) @ powers
        pushes[here] = (-sums.slope * shares) @ to_coefficients.T
        pulls = cells.reverse_sums(tension, 1)
        on_negatives, on_positives = (-self._turned(pulls), -self._turned(pushes)) if self.mirrored else (pushes, pulls)
        by_class = -np.concatenate([on_negatives, on_positives])
        return Finished(self.price.value(total), partial(self._gradient, by_class))

    @property
    def _ids(self) -> FloatArray:
        ids = self.first + np.arange(self.n_cells, dtype=np.float64)
        return -ids[::-1] if self.mirrored else ids

    def _turned(self, by_cell: FloatArray) -> FloatArray:
        """Moments or coefficients of the axis turned around."""
        parity = np.where(np.arange(self.grid.q) % 2, -1.0, 1.0)
        return np.ascontiguousarray((by_cell * parity)[::-1])

    def _gradient(self, minus_by_class: FloatArray, rows: Sample, kept: None) -> FloatArray:
        gradient, scores = np.zeros(len(rows.scores)), self.frame.place(rows.scores)
        subtract, per_width = LOOPS[self.grid.q][2], 1 / self.grid.width
        subtract(scores, rows.weight, rows.is_positive, per_width, self.first, None, minus_by_class, gradient)
        return gradient
