r"""The kernel-smoothed linear rank statistic and its gradient (CLV21, §4.2 and §5.1).

It is computed in rounds over chunks of rows (:mod:`podium.rounds.computation`), so that the same code serves one array,
files larger than memory and the partitions of a cluster.

>>> import numpy as np
>>> from podium._types import Sample
>>> chunks = [Sample(np.array([0.1, 2.0]), np.array([False, True])), Sample(np.array([1.0]), np.array([False]))]
>>> value, gradients = RankStatistic("power:3").over_chunks(chunks)
>>> bool(np.isclose(value, RankStatistic("power:3").value_and_gradient([0.1, 2.0, 1.0], [0, 1, 0])[0]))
True
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np

from podium import _input, kernels
from podium._types import FloatArray, Sample
from podium.criteria.base import ChunkedCriterion
from podium.criteria.rank_statistic.cellwise import CellwiseRanks
from podium.criteria.rank_statistic.steps import SmoothedRanks
from podium.exceptions import InputError
from podium.phi import Phi, resolve
from podium.rounds.computation import Finished, LastStep, Rounds, Step
from podium.sums.cells import CELLS_PER_ROW, FINEST, Cells, CellSums, OccupiedCells
from podium.sums.frame import PLAIN, Frame, Spread
from podium.sums.points import PointSums

_LITTLE = 0.1  # of the rise of φ: a half of the list that has no more hardly feels it
_NARROWEST = 1e-250  # bandwidth, of scores of size one: closer scores are of no size


@dataclass(frozen=True)
class RankStatistic(ChunkedCriterion):
    r"""The smoothed W_φ of a scoring rule, per positive (CLV21, Equations 4.8 and 4.10).

    .. math:: \frac1n \widehat W_{\phi,h}(s) = \frac1n \sum_{i \le n} \phi\bigl(\widehat F_h(s_i)\bigr), \qquad
       \widehat F_h(t) = \frac1N \sum_{l \le N} \kappa\Bigl(\frac{t - s_l}{h}\Bigr),

    where κ is the primitive of the kernel K, h the bandwidth, and the sum in F̂_h is over all N positives and
    negatives, the point itself included. A weight of 3 is three equal rows. As h → 0, N·F̂_h tends to mid-rank − ½; as
    h → ∞, to N/2. The gradient,

    .. math:: \frac{\partial}{\partial s_j} \frac1n \widehat W_{\phi,h}
       = \frac{1}{nNh} \sum_l K\Bigl(\frac{s_j - s_l}{h}\Bigr) (v_j - v_l), \qquad
       v_i = \phi'\bigl(\widehat F_h(s_i)\bigr) \text{ for positives}, \; 0 \text{ for negatives},

    sums to zero (from CLV21, Equations 5.1 and 5.2; h fixed). Scores that tie thus take φ at their mid-rank here, while
    metrics and intervals take the mean of φ over the ranks of the tie.

    Parameters
    ----------
    phi : Phi or str
        The score-generating function, which says which part of the list matters; it must be continuous.
    kernel : Kernel or str
        The smoothing kernel: an object of :mod:`podium.kernels` or its name.
    bandwidth : float, optional
        The bandwidth h, in units of the standard deviation of the pooled scores if ``relative``; N^(−1/5) by default.
    relative : bool
        Whether h is proportional to the spread of the scores. The value is then invariant under increasing affine maps
        of the scores, and the gradient is orthogonal to them. Where all scores are equal, the value has no limit; it is
        defined as φ(½), with gradient zero.
    tol : float
        Error allowed in the gradient, relative to its largest entry (never below 1e-12 of the terms whose differences
        its entries are). Only sums of the smooth kernels (Gaussian, logistic) are approximate; the others are exact,
        after a sort.

    Examples
    --------
    >>> from podium.criteria import RankStatistic
    >>> criterion = RankStatistic("power:3", bandwidth=0.5)
    >>> value, gradient = criterion.value_and_gradient([0.5, 1.0, 1.5, 2.0], [False, True, False, True])
    >>> round(value, 3), bool(abs(gradient.sum()) < 1e-12)
    (0.351, True)
    """

    phi: Phi | str = "auc"  # type: ignore[assignment]  # a φ from the start: resolved below
    kernel: kernels.Kernel | str = "gaussian"
    bandwidth: float | None = None
    relative: bool = True
    tol: float = 1e-6

    def __post_init__(self) -> None:
        object.__setattr__(self, "phi", resolve(self.phi))
        object.__setattr__(self, "kernel", kernels.resolve(self.kernel))
        if self.bandwidth is not None:
            _input.check_number("bandwidth", self.bandwidth, 0, open_low=True)
        _input.check_choice("relative", self.relative, (True, False))
        _input.check_number("tol", self.tol, 1e-12, 1e-2)
        if self._phi.discontinuous:
            raise InputError(
                f"A gradient needs a continuous φ; got {self.phi!s}.",
                f"train with {self._phi.smooth_alternative()!r}, and use {self.phi!s} as a metric.",
            )

    @property
    def _phi(self) -> Phi:
        return self.phi  # type: ignore[return-value]  # from the start

    @property
    def _kernel(self) -> kernels.Kernel:
        return self.kernel  # type: ignore[return-value]  # from the start

    @property
    def is_scale_free(self) -> bool:  # type: ignore[override]  # by its bandwidth
        """Whether the bandwidth moves with the spread of the scores."""
        return self.relative

    @property
    def is_local(self) -> bool:  # type: ignore[override]  # by its φ
        """Whether less than a tenth of the rise of φ lies in the lower half of the list."""
        return _share_of_lower_half(self._phi) < _LITTLE

    def absolute_bandwidth(self, spread: Spread) -> float:
        """The bandwidth h in units of the scores, for a sample of this spread.

        Parameters
        ----------
        spread : Spread
            Number, mean and standard deviation of the scores.

        Returns
        -------
        float
            The bandwidth h.
        """
        h = self._bandwidth(spread)
        if self.relative:
            h = h * spread.standard_deviation or 1.0  # where all scores are equal every bandwidth gives F̂ = ½
        return h

    def relative_bandwidth(self, rows: Sample) -> float:
        """The bandwidth in units of the standard deviation of the scores."""
        spread = Spread.of(rows)
        h, deviation = self._bandwidth(spread), spread.standard_deviation
        if self.relative:
            return h
        return h / deviation if deviation > 0 else np.inf

    def _bandwidth(self, spread: Spread) -> float:
        return float(self.bandwidth or self._kernel.default_bandwidth(spread.weight))

    def row_curvature(self, rows: Sample, gradient: FloatArray) -> FloatArray:
        r"""The gradient over h.

        A bound for φ(u) = u with the logistic kernel, because \|K'\| ≤ K/h. For other φ terms among positives cancel
        in the gradient, and it is an approximation, as it is for other kernels; a convex φ only lowers the curvature.
        """
        return np.abs(gradient) * (1 / self.absolute_bandwidth(Spread.of(rows)))

    def rounds(self) -> Rounds:
        """The spread; F̂_h; where φ is evaluated there, the positives; and a gradient accurate enough."""
        spread = yield _spread
        frame = Frame.scale_free(spread.low, spread.high)
        if not frame.is_plain:
            spread = yield partial(_spread, frame=frame)
        for tol in self._tolerances(spread):
            sums = yield from self._sums(spread, frame, tol)
            for ranks in self._ways(spread, frame, tol, sums):
                pooled = ranks.finish((yield ranks.summarize))
                total = (yield partial(ranks.at_positives, pooled)) if ranks.visits_positives else None
                field = ranks.field_term(pooled, total)
                if field.is_accurate:
                    break
            # Errors are relative to K(0). Entries far smaller than their terms come from pairs in the tails of K.
            is_reached = yield LastStep(partial(ranks.try_gradient, field), ranks.finished_gradient)
            if is_reached:
                break
        return Finished(field.value, ranks.finished_gradient)

    def _tolerances(self, spread: Spread) -> tuple[float, ...]:
        """Errors to allow in sums over cells, and next if entries of the gradient turn out small beside their terms."""
        magnified = _steepness(self._phi.bind(spread.weight)) / 5  # F̂ errs a fifth as much as its density
        tol = self.tol / max(1.0, magnified)
        if isinstance(self._kernel, kernels.SmoothKernel) and tol > FINEST:
            return tol, FINEST
        return (FINEST,)

    def _ways(self, spread: Spread, frame: Frame, tol: float, sums: CellSums | PointSums) -> Iterator[SmoothedRanks]:
        """Ways to take the steps; the last is accurate in any case."""
        bound = self._phi.bind(spread.weight)
        ranks = SmoothedRanks(bound, spread, frame, self._framed_bandwidth(spread, frame), self.relative, sums)
        steepness = _steepness(ranks.phi)
        if isinstance(ranks.sums, CellSums):
            if steepness == 0:
                yield self._cellwise(ranks, np.inf)
                return
            if tol > FINEST and ranks.sums.n_nodes < spread.n_positives:
                # The spread's derivative divides by t = (s − s̄)/h, however small: errors grow with h/σ.
                yield self._cellwise(ranks, tol * min(1.0, spread.standard_deviation / ranks.bandwidth))
        yield ranks

    @staticmethod
    def _cellwise(ranks: SmoothedRanks, tol: float) -> CellwiseRanks:
        return CellwiseRanks(ranks.phi, ranks.spread, ranks.frame, ranks.bandwidth, ranks.relative, ranks.sums, tol)  # type: ignore[arg-type]

    def _sums(self, spread: Spread, frame: Frame, tol: float) -> Generator[Step, OccupiedCells, CellSums | PointSums]:
        """Sums over cells that all chunks agree on, or over points; a round to see which cells are not empty."""
        kernel, h = self._kernel, self._framed_bandwidth(spread, frame)
        if not isinstance(kernel, kernels.SmoothKernel):
            return PointSums(kernel, h, None)
        cells = Cells.fit(kernel, h, tol, spread)
        if not cells.are_few(spread):
            row = cells.width, *cells.first_and_last(spread.low, spread.high)
            occupied = yield partial(OccupiedCells.of, row, frame, int(spread.n_rows * CELLS_PER_ROW))
            if occupied.ids is None:
                return PointSums(kernel, h, cells)
            if len(occupied.ids) < cells.n_cells(spread) / 2:
                return CellSums.over(cells, occupied.ids)
        return CellSums.covering(cells, spread)

    def _framed_bandwidth(self, spread: Spread, frame: Frame) -> float:
        """The bandwidth in units of the frame."""
        h = self.absolute_bandwidth(spread) if self.relative else self.absolute_bandwidth(spread) / frame.unit
        return min(max(h, _NARROWEST), 1 / _NARROWEST)


@lru_cache
def _share_of_lower_half(phi: Phi) -> float:
    """How much of the rise of φ over a list of a thousand lies in its lower half."""
    rise = np.abs(phi.bind(1000).derivative((np.arange(1000) + 0.5) / 1000))
    return float(rise[:500].sum() / (rise.sum() or 1.0))


@lru_cache
def _steepness(phi: Phi) -> float:
    """‖φ''‖ / ‖φ'‖: how much larger an error of F̂ may be in φ'(F̂), relative to its size; infinite near the ends."""
    curvature = phi.sup_norm_second_derivative
    return curvature if curvature in (0.0, np.inf) else curvature / phi.sup_norm_derivative


def _spread(rows: Sample, kept: Any, frame: Frame = PLAIN) -> tuple[Spread, None]:
    return Spread.of(frame.place_rows(rows)), None
