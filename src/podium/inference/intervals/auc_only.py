"""Intervals for the AUC alone: φ(u) = u."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from podium._normal import normal_quantile
from podium.inference.intervals.limits import Limits, wald


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
    low = brentq(excess, 0.0, min(auc, 1 - 1e-9)) if auc > 0 else 0.0
    high = brentq(excess, max(auc, 1e-9), 1.0) if auc < 1 else 1.0
    return Limits(low, high, float(np.sqrt(_exponential_variance(auc, n_pos, n_neg, mean_size, mean_size))))


def _exponential_variance(auc: float, n_pos: float, n_neg: float, pos_size: float, neg_size: float) -> float:
    """Variance if both classes are exponential: P(a positive beats two negatives) = 2A²/(1 + A), and so on."""
    two_positives = auc / (2 - auc) - auc**2
    two_negatives = 2 * auc**2 / (1 + auc) - auc**2
    return (auc * (1 - auc) + (pos_size - 1) * two_positives + (neg_size - 1) * two_negatives) / (n_pos * n_neg)
