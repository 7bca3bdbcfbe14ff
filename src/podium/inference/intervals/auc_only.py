"""Intervals for the AUC alone: φ(u) = u."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from podium._normal import normal_quantile
from podium.inference.intervals.limits import Limits, wald

_NEAR = 1e-9  # to an estimate of 0 or 1: a limit that is nearer is the estimate


def hanley_mcneil(auc: float, n_pos: float, n_neg: float, confidence_level: float) -> Limits:
    """Estimate ± z·SE with the variance of exponential scores (Hanley and McNeil 1982), cut to [0, 1]."""
    return wald(auc, _exponential_variance(auc, n_pos, n_neg, n_pos, n_neg), confidence_level)


def newcombe(auc: float, n_pos: float, n_neg: float, confidence_level: float) -> Limits:
    r"""All A with |Â − A| ≤ z·SE(A) (Newcombe 2006, method 5).

    SE is Hanley and McNeil's at A instead of Â, with both class sizes in it replaced by their mean.
    """
    mean_size = (n_pos + n_neg) / 2
    z = normal_quantile(confidence_level)

    def excess(a: float) -> float:
        return abs(auc - a) - z * float(np.sqrt(_exponential_variance(a, n_pos, n_neg, mean_size, mean_size)))

    # SE vanishes at 0 and 1, which makes an estimate there a root of its own: look for the other one.
    start = auc if 0 < auc < 1 else abs(auc - _NEAR)
    low, high = (brentq(excess, start, end) if excess(start) < 0 < excess(end) else auc for end in (0.0, 1.0))
    return Limits(low, high, float(np.sqrt(_exponential_variance(auc, n_pos, n_neg, mean_size, mean_size))))


def _exponential_variance(auc: float, n_pos: float, n_neg: float, pos_size: float, neg_size: float) -> float:
    """Variance if both classes are exponential: P(a positive beats two negatives) = 2A²/(1 + A), and so on."""
    # 2A²/(1 + A) − A² = A(1 − A)·A/(1 + A): as products nothing cancels, and no sum is below zero.
    two_positives, two_negatives = (1 - auc) / (2 - auc), auc / (1 + auc)
    return auc * (1 - auc) * (1 + (pos_size - 1) * two_positives + (neg_size - 1) * two_negatives) / (n_pos * n_neg)
