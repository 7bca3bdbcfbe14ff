r"""Newton's view of a criterion: its gradient in the scores, and a positive bound on its curvature, row by row.

Trees with second-order leaves need, for every row, a curvature that is positive and not too small. The criteria here
are sums of exponentials and sigmoids, whose second derivative is at most a multiple of their first,

.. math:: \Bigl|\frac{\partial^2 C}{\partial s_j^2}\Bigr| \le c_j \Bigl|\frac{\partial C}{\partial s_j}\Bigr|,

so that the curvature bound c_j·|g_j| costs nothing beyond the gradient:

===========================  =====================================================================================
criterion                    c
===========================  =====================================================================================
log-loss                     exact: p(1 − p)
W_φ, logistic kernel         1/h, because \|K'\| ≤ K/h. A bound for φ(u) = u. For other φ, terms among positives
                             cancel in g and it is an approximation there; a convex φ only lowers the curvature
W_φ, other kernels           1/h, the same approximation
push:p, exponential          softmax weights w: w(1 − w) ≤ w for positives, p·w(1 − w) ≤ p·w for negatives
push:p, logistic             p for both: \|ℓ''\| ≤ \|ℓ'\| and \|ℓ'\| ≤ ℓ
push:p, hinges               p, by analogy: there is no bound at the kink
bottom:p                     as push:p with the classes swapped
ir-push                      1: each positive has σ(1 − σ) ≤ σ; negatives share e^f, whose second derivative is itself
sums                         the bounds add
any other                    1/h with a relative bandwidth, else 1: the scale of log-odds
===========================  =====================================================================================

A leaf's Newton step is then Σg/Σc|g|, never longer than 1/c.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from podium import kernels
from podium._types import FloatArray, Sample
from podium.criteria import BottomPush, Criterion, LogLoss, PNormPush, RankStatistic, SmoothPartialAuc
from podium.criteria.base import WeightedSum
from podium.sums.spread import Spread

_FLOOR = 0.1  # of the mean curvature, added to all: rows that are ranked well do not drift away for ever
_STEEPEST = 64.0  # p of a push beyond which rounding, not curvature, is the worry


def gradient_and_curvature(criterion: Criterion, rows: Sample) -> tuple[FloatArray, FloatArray]:
    """The derivative of the criterion in every score, and a bound on the size of the second derivative."""
    if isinstance(criterion, WeightedSum):
        parts = [(factor, gradient_and_curvature(term, rows)) for factor, term in criterion.terms]
        gradient = np.sum([factor * g for factor, (g, _) in parts], axis=0)
        return gradient, np.sum([factor * c for factor, (_, c) in parts], axis=0)
    _, gradient = criterion.value_and_gradient(rows.scores, rows.is_positive, rows.weight)
    if isinstance(criterion, LogLoss):
        return gradient, np.abs(gradient) * expit(np.where(rows.is_positive, rows.scores, -rows.scores))
    positive, negative = _ratios(criterion, rows)
    curvature = np.abs(gradient)
    if positive == negative:
        curvature *= positive
    else:
        curvature *= np.where(rows.is_positive, positive, negative)
    return gradient, curvature


def _ratios(criterion: Criterion, rows: Sample) -> tuple[float, float]:
    """C for positives and for negatives."""
    if isinstance(criterion, (PNormPush, BottomPush)):
        p = min(criterion.p, _STEEPEST)
        judged, other = p, 1.0 if criterion.loss == "exponential" else p
        return (other, judged) if isinstance(criterion, PNormPush) else (judged, other)
    if isinstance(criterion, (RankStatistic, SmoothPartialAuc)):
        spread, kernel = Spread.of(rows), kernels.resolve(getattr(criterion, "kernel", "logistic"))
        h = criterion.bandwidth or kernel.default_bandwidth(spread.weight)
        if getattr(criterion, "relative", True):
            h *= spread.standard_deviation or 1.0
        return 1 / h, 1 / h
    return 1.0, 1.0


class NewtonObjective:
    """A criterion as trees take it: derivatives of its negative, scaled like those of the binary log-loss.

    Both are multiplied so that the mean curvature is π(1 − π), π the share of positives: that of the log-loss at the
    start. So the least curvature of a leaf, which backends limit, means what it means there. The factor changes no
    leaf's value.
    """

    def __init__(self, criterion: Criterion, is_positive: npt.NDArray[np.bool_], weight: FloatArray | None) -> None:
        self.criterion, self.is_positive, self.weight = criterion, is_positive, weight
        share = float(np.average(is_positive, weights=weight))
        self.prior_log_odds = float(np.log(share) - np.log1p(-share))
        total = len(is_positive) if weight is None else float(weight.sum())
        self._total_curvature = total * share * (1 - share)

    def __call__(self, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
        """First and second derivatives of what is to be minimised."""
        rows = Sample(scores, self.is_positive, self.weight)
        gradient, curvature = gradient_and_curvature(self.criterion, rows)
        if not gradient.any():  # all scores are equal and the bandwidth is relative to their spread: any start will do
            gradient, curvature = gradient_and_curvature(LogLoss(), rows)
        floor = _FLOOR * curvature.mean()
        curvature += floor if self.weight is None else floor * self.weight / self.weight.mean()
        unit = self._total_curvature / curvature.sum()
        gradient *= -unit
        curvature *= unit
        return gradient, curvature
