"""A push at both ends of the list, as one sum (R09, §7)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from podium import _input
from podium._types import FloatArray, Sample
from podium.criteria.base import ChunkedCriterion, WeightedGradient
from podium.criteria.push.criterion import BottomPush, PNormPush, check_loss
from podium.rounds.computation import Finished, Rounds, rounds_within


@dataclass(frozen=True)
class BothEndsPush(ChunkedCriterion):
    r"""The push at the top and at the bottom of the list together, on the log scale (R09, §7).

    .. math:: -\frac1p \log\bigl(R_{p,\ell} + c\,R^{\text{bottom}}_{p,\ell}\bigr)

    the sum as printed. ``PNormPush(p) + c * BottomPush(p)`` differs: it adds the logarithms, so that each end counts
    by its relative improvement. Here the end with the larger cost dominates the gradient; which one that is depends on
    the class sizes: R_p is of order m·n^p, its mirror image of order n·m^p, so c = (n/m)^(p − 1) balances both ends of
    a random list.

    Parameters
    ----------
    p : float
        The power p at both ends, at least 1 and finite.
    bottom : float
        The constant c: the weight of the bottom of the list relative to its top.
    loss : {"exponential", "logistic", "hinge", "squared_hinge"}
        The loss ℓ of a pair, as in :class:`PNormPush`.
    tol : float
        Relative error allowed in the sums of the logistic loss; the other losses are exact.

    Examples
    --------
    >>> from podium.criteria import BothEndsPush
    >>> value, gradient = BothEndsPush(2).value_and_gradient([0.5, 1.0, 1.5, 2.0], [False, True, False, True])
    >>> round(value, 3)
    -1.223
    """

    p: float = 4.0
    bottom: float = 1.0
    loss: str = "exponential"
    tol: float = 1e-6

    def __post_init__(self) -> None:
        _input.check_number("p", self.p, 1, open_high=True)
        _input.check_number("bottom", self.bottom, 0, open_low=True, open_high=True)
        check_loss(self.loss, self.tol)

    @property
    def _ends(self) -> tuple[PNormPush, BottomPush]:
        return PNormPush(self.p, self.loss, self.tol), BottomPush(self.p, self.loss, self.tol)

    @property
    def rises_with_scale(self) -> bool:  # type: ignore[override]  # as its loss does
        """Whether its loss falls for ever: all do but the hinges."""
        return self._ends[0].rises_with_scale

    def rounds(self) -> Rounds:
        """The rounds of the top, then those of the bottom; each end has its share of the gradient."""
        ends = []
        for place, end in enumerate(self._ends):
            finished = yield from rounds_within(end.rounds(), place)
            ends.append(finished)
        logs = np.array([-self.p * ends[0].value, np.log(self.bottom) - self.p * ends[1].value])
        largest = float(logs.max())
        if largest == -np.inf:  # hinge losses that cost nothing at either end
            return Finished(np.inf, WeightedGradient(tuple((0.0, end) for end in ends)))
        costs = np.exp(logs - largest)
        shares = costs / costs.sum()
        value = -(largest + float(np.log(costs.sum()))) / self.p
        return Finished(value, WeightedGradient(tuple(zip(shares.tolist(), ends, strict=True))))

    def row_curvature(self, rows: Sample, gradient: FloatArray) -> FloatArray:
        """The gradient times p, for both classes are judged."""
        return self._ends[0].row_curvature(rows, gradient) + self._ends[1].row_curvature(rows, gradient)
