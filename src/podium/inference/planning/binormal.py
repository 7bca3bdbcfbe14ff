"""Variances and covariances of areas under the ROC curve in the binormal model.

The model: both scorers are normal within each class, with equal variances, and correlated alike in both classes.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import multivariate_normal

from podium._types import FloatArray

_N_NODES = 400  # equally likely values of each normal variable


def auc_covariance(auc_a: float, auc_b: float, correlation: float, n_pos: int, n_neg: int) -> float:
    """Of the AUCs of two scorers on the same rows; of an AUC with itself, its variance, at ``correlation`` 1.

    Exact: of two pairs that share a positive, a negative or both, the differences of scores are bivariate normal.
    """
    at = ndtri([auc_a, auc_b])
    by_chance = auc_a * auc_b

    def both_right(shared: float) -> float:
        """Probability that a pair is right by the one scorer and another pair by the other, less that by chance."""
        if shared == 1:
            return min(auc_a, auc_b) - by_chance
        both = multivariate_normal.cdf(at, cov=np.array([[1, shared], [shared, 1]]), allow_singular=True)
        return float(both) - by_chance

    # The same pair; pairs with one row in common, where half of the variance of a difference is shared.
    return (both_right(correlation) + (n_pos + n_neg - 2) * both_right(correlation / 2)) / (n_pos * n_neg)


def partial_auc(auc: float, max_fpr: float) -> float:
    """The area up to a false positive rate of the curve that has this AUC."""
    rates = (np.arange(10 * _N_NODES) + 0.5) / (10 * _N_NODES) * max_fpr
    return float(_curve(auc, rates).mean() * max_fpr)


def partial_auc_covariance(
    auc_a: float, auc_b: float, max_fpr: float, correlation: float, n_pos: int, n_neg: int
) -> float:
    """Of the areas up to a false positive rate, from what one row contributes; for long lists."""
    likely = (np.arange(_N_NODES) + 0.5) / _N_NODES
    first, noise = np.meshgrid(ndtri(likely), ndtri(likely))
    other = correlation * first + np.sqrt(1 - correlation**2) * noise

    def of_positive(auc: float, normal: FloatArray) -> FloatArray:
        return np.maximum(max_fpr - ndtr(-normal - np.sqrt(2) * ndtri(auc)), 0.0)

    def of_negative(auc: float, normal: FloatArray) -> FloatArray:
        return _curve(auc, np.minimum(ndtr(-normal), max_fpr))

    def covariance(a: FloatArray, b: FloatArray) -> float:
        return float((a * b).mean() - a.mean() * b.mean())

    return (
        covariance(of_positive(auc_a, first), of_positive(auc_b, other)) / n_pos
        + covariance(of_negative(auc_a, first), of_negative(auc_b, other)) / n_neg
    )


def _curve(auc: float, fpr: FloatArray) -> FloatArray:
    return ndtr(np.sqrt(2) * ndtri(auc) + ndtri(fpr))
