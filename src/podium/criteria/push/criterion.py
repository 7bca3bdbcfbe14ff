r"""Pushes: the sum of losses at each negative, and a convex price of it (R09).

Which one to use. The exponential loss is the cheapest and what R09 and RankBoost use, but it grows without bound, so
one outlier can dominate the gradient. The logistic and hinge losses grow linearly; the squared hinge lies between.
:class:`~podium.criteria.SmoothPartialAuc` is bounded: use it where labels or features are contaminated. Without
regularization a large p saturates: p·λ tends to a limit that is not the minimizer of R_max, and ``IRPush`` is close to
the same limit. p ≤ 4 is a good start; a stronger push needs a penalty.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from podium import _input
from podium._types import FloatArray, Sample
from podium.criteria.base import ChunkedCriterion, CurvatureTerms, ExponentialLine, Scatter, ScoreLine
from podium.criteria.push.blocks import AllRows, BlockPush
from podium.criteria.push.exponential import ExponentialPush, ir_rounds
from podium.criteria.push.logistic import CellwisePush, LogisticLoss
from podium.criteria.push.losses import ExponentialLoss, HingeLoss, PairLoss
from podium.criteria.push.prices import GeneralPrice, PowerPrice, Price, PriceFunction, WorstPrice
from podium.rounds.computation import Rounds
from podium.sums.frame import Extent, Frame

_STEEPEST = 64.0  # p beyond which rounding, not curvature, is the worry of a Newton step

LOSSES = ("exponential", "logistic", "hinge", "squared_hinge")


def check_loss(loss: str, tol: float) -> None:
    """Refuse an unknown loss and an impossible tolerance."""
    _input.check_choice("loss", loss, LOSSES)
    _input.check_number("tol", tol, 1e-12, 1e-2)


def pair_loss(loss: str, tol: float) -> PairLoss:
    """The loss of a name."""
    if loss == "logistic":
        return LogisticLoss(tol)
    return ExponentialLoss() if loss == "exponential" else HingeLoss(1 if loss == "hinge" else 2)


def power_price(p: float) -> Price:
    """r^p, or the largest r if p is infinite."""
    return WorstPrice() if np.isinf(p) else PowerPrice(float(p))


class PairPush(ChunkedCriterion):
    """A price over sums of pair losses; subclasses say which, and which class is judged."""

    judges_positives: bool = False

    @property
    @abstractmethod
    def _loss(self) -> PairLoss:
        """What a pair costs by the difference of its scores."""

    @property
    @abstractmethod
    def _price(self) -> Price:
        """What the sums of losses cost together."""

    @property
    def rises_with_scale(self) -> bool:  # type: ignore[override]  # as its loss does
        """Whether its loss falls for ever: all do but the hinges."""
        return not self._loss.has_margin

    def rounds(self) -> Rounds:
        """The extent of the scores; then sums over cells where these are fewer than rows, or over rows."""
        extent = yield Extent.of
        frame = Frame.in_units_of_one(extent.low, extent.high)
        loss, price, mirrored = self._loss, self._price, self.judges_positives
        cellwise = None
        if isinstance(loss, LogisticLoss):
            cellwise = CellwisePush.suited(loss, price, mirrored, frame, extent)
        finished = None if cellwise is None else cellwise.finish((yield cellwise.summarize))
        if finished is None:
            finished = yield from BlockPush(loss, price, AllRows(loss, frame, mirrored)).rounds()
        return finished


@dataclass(frozen=True)
class PowerPush(PairPush):
    """What the pushes with a power for their price have in common."""

    p: float = 4.0
    loss: str = "exponential"
    tol: float = 1e-6

    def __post_init__(self) -> None:
        _input.check_number("p", self.p, 1)
        check_loss(self.loss, self.tol)

    @property
    def _loss(self) -> PairLoss:
        return pair_loss(self.loss, self.tol)

    @property
    def _price(self) -> Price:
        return power_price(self.p)

    def rounds(self) -> Rounds:
        """Two sums of exponentials if the loss is e^(−r); otherwise as any push."""
        if self.loss == "exponential" and np.isfinite(self.p):
            up, down = (self.p, 1.0) if self.judges_positives else (1.0, self.p)
            return ExponentialPush(float(up), float(down)).rounds()
        return super().rounds()

    def row_curvature(self, rows: Sample, gradient: FloatArray) -> FloatArray:
        r"""The gradient times p for the class that is judged, and for the other unless the loss is exponential.

        With the exponential loss the gradients are softmax weights w of each class, and the second derivatives
        w(1 − w) and p·w(1 − w). With the logistic one \|ℓ''\| ≤ \|ℓ'\| ≤ ℓ. Hinges have no bound at the kink: there it
        is an analogy.
        """
        p = min(self.p, _STEEPEST)
        other = 1.0 if self.loss == "exponential" else p
        if other == p:
            return np.abs(gradient) * p
        return np.abs(gradient) * np.where(rows.is_positive == self.judges_positives, p, other)


@dataclass(frozen=True)
class PNormPush(PowerPush):
    r"""The P-Norm Push on the log scale (R09, §2).

    .. math:: -\frac1p \log R_{p,\ell}, \qquad
       R_{p,\ell} = \sum_k \Bigl(\sum_i \ell\bigl(f(x_i) - f(\tilde x_k)\bigr)\Bigr)^p

    over negatives k and positives i. A larger p pushes harder at the top of the list; p = 1 with the exponential loss
    is RankBoost's objective; as p → ∞ it tends to −log R_max,ℓ, which ``p=inf`` gives with a subgradient. Plus
    infinity, with a zero gradient, where every pair has a margin that costs nothing (hinge losses). The gradient sums
    to zero. R_max ≤ R_{p,ℓ}^{1/p} = e^(−value) for every loss but the logistic one, which is log 2 < 1 at 0.

    Parameters
    ----------
    p : float
        The power p, at least 1; a larger one concentrates on the top of the list.
    loss : {"exponential", "logistic", "hinge", "squared_hinge"}
        The loss ℓ of a pair: e^(−r), log(1 + e^(−r)), (1 − r)₊ or (1 − r)₊². The first two take O(n + m) time, the
        others a sort.
    tol : float
        Relative error allowed in the sums of the logistic loss; the other losses are exact.

    Examples
    --------
    >>> from podium.criteria import PNormPush
    >>> value, gradient = PNormPush(4).value_and_gradient([0.5, 1.0, 1.5, 2.0], [False, True, False, True])
    >>> round(value, 3)
    -0.818
    """

    def along(self, rows: Sample, value: float, gradient: FloatArray, direction: FloatArray) -> ScoreLine:
        """The criterion along a line of scores; with the exponential loss its gradient says all about it."""
        if self.has_curvature:
            return ExponentialLine(self.p, value, gradient, direction)
        return super().along(rows, value, gradient, direction)

    @property
    def has_curvature(self) -> bool:  # type: ignore[override]  # by its loss and p
        """Whether the loss is exponential and p is finite."""
        return self.loss == "exponential" and bool(np.isfinite(self.p))

    def curvature_terms(self, gradient: FloatArray, features: FloatArray) -> CurvatureTerms:
        """The scatter of the features under the shares of positives and of negatives (exponential loss)."""
        if not self.has_curvature:
            return super().curvature_terms(gradient, features)
        return CurvatureTerms(((1.0, Scatter.of(gradient, features)), (self.p, Scatter.of(-gradient, features))))


@dataclass(frozen=True)
class BottomPush(PowerPush):
    r"""The push at the bottom of the list: low-scoring positives cost most (R09, §7).

    .. math:: -\frac1p \log \sum_i \Bigl(\sum_k \ell\bigl(f(x_i) - f(\tilde x_k)\bigr)\Bigr)^p

    It equals :class:`PNormPush` of the reversed list with the classes swapped.

    Parameters
    ----------
    p : float
        The power p, at least 1; a larger one concentrates on the top of the list.
    loss : {"exponential", "logistic", "hinge", "squared_hinge"}
        The loss ℓ of a pair, as in :class:`PNormPush`.
    tol : float
        Relative error allowed in the sums of the logistic loss; the other losses are exact.

    Examples
    --------
    >>> from podium.criteria import BottomPush
    >>> value, gradient = BottomPush(4).value_and_gradient([0.5, 1.0, 1.5, 2.0], [False, True, False, True])
    >>> round(value, 3)
    -0.818
    """

    judges_positives = True


@dataclass(frozen=True)
class IRPush(ChunkedCriterion):
    r"""The IR Push, per positive (R09, Equation 2).

    .. math:: -\frac1n \sum_i \ln\Bigl(1 + \sum_k e^{-(f(x_i) - f(\tilde x_k))}\Bigr)

    A concave surrogate of the discounted cumulative gain. The inner sum is S·e^(−f(x_i)) with S common to all
    positives, so that it takes O(n + m) time.

    Examples
    --------
    >>> from podium.criteria import IRPush
    >>> value, gradient = IRPush().value_and_gradient([0.5, 1.0, 1.5, 2.0], [False, True, False, True])
    >>> round(value, 3)
    -0.892
    """

    rises_with_scale = True

    def rounds(self) -> Rounds:
        """The sum over negatives, then over positives."""
        return ir_rounds()


@dataclass(frozen=True)
class Push(PairPush):
    r"""The push with a custom price function, on the log scale (R09, §2).

    .. math:: -\log R_{g,\ell}, \qquad R_{g,\ell} = \sum_k g\Bigl(\sum_i \ell\bigl(f(x_i) - f(\tilde x_k)\bigr)\Bigr)

    ``Push(CustomPrice(lambda r: r**4, lambda r: 4 * r**3))`` is four times ``PNormPush(4)``.

    Parameters
    ----------
    price : PriceFunction
        The price g, convex and increasing: a :class:`~podium.criteria.CustomPrice` or
        :class:`~podium.criteria.ExponentialPrice`.
    loss : {"exponential", "logistic", "hinge", "squared_hinge"}
        The loss ℓ of a pair, as in :class:`PNormPush`.
    tol : float
        Relative error allowed in the sums of the logistic loss; the other losses are exact.
    """

    price: PriceFunction
    loss: str = "exponential"
    tol: float = 1e-6

    def __post_init__(self) -> None:
        check_loss(self.loss, self.tol)

    @property
    def _loss(self) -> PairLoss:
        return pair_loss(self.loss, self.tol)

    @property
    def _price(self) -> Price:
        return GeneralPrice(self.price)
