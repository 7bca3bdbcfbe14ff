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
partial-auc                  1/h
sums                         the bounds add
any other                    1, the scale of log-odds, unless it says otherwise by ``Criterion.row_curvature``
===========================  =====================================================================================

A leaf's Newton step is then Σg/Σc|g|, never longer than 1/c.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from podium import criteria
from podium._types import FloatArray, Sample
from podium.criteria import Criterion, LogLoss, RankStatistic, SmoothPartialAuc
from podium.phi import Phi

_TOL = 1e-4  # of the gradient
FLOOR = 0.1  # of the mean curvature, added to all: rows that are ranked well do not drift away for ever


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
        """First and second derivatives of what is to be minimized."""
        rows = Sample(scores, self.is_positive, self.weight)
        gradient, curvature = self.criterion.gradient_and_row_curvature(rows)
        if not gradient.any():  # all scores are equal and the bandwidth is relative to their spread: any start will do
            gradient, curvature = LogLoss().gradient_and_row_curvature(rows)
        floor = FLOOR * curvature.mean()
        curvature += floor if self.weight is None else floor * self.weight / self.weight.mean()
        unit = self._total_curvature / curvature.sum()
        gradient *= -unit
        curvature *= unit
        return gradient, curvature


def boosting_criterion(given: Criterion | Phi | str) -> Criterion:
    """A criterion as trees climb it; one given as an object is used as it is."""
    criterion = criteria.resolve(given)
    if isinstance(given, Criterion):
        return criterion
    if criterion.phi is not None:
        # Scores are log-odds from the first tree on. A bandwidth relative to their spread would have none to start
        # with and would follow it upwards.
        return RankStatistic(criterion.phi, "logistic", bandwidth=1.0, relative=False, tol=_TOL)
    if isinstance(criterion, SmoothPartialAuc):
        return SmoothPartialAuc(criterion.max_fpr, bandwidth=1.0, relative=False, tol=_TOL)
    # Libraries take gradients in single precision, and trees only need to know where they are large.
    return replace(criterion, tol=_TOL) if hasattr(criterion, "tol") else criterion  # type: ignore[type-var]
