"""Sample sizes for an interval for the AUC of a given width, under the binormal model."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy
from scipy.special import expit, logit, ndtr, ndtri

from podium import _input
from podium._results import wording
from podium._results.result import Result
from podium._shares import normal_quantile
from podium._types import FloatArray
from podium.exceptions import InputError

# Variances and covariances of areas under the ROC curve in the binormal model.
#
# The model: both scorers are normal within each class, with equal variances, and correlated alike in both classes.


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
        both = scipy.stats.multivariate_normal.cdf(at, cov=np.array([[1, shared], [shared, 1]]), allow_singular=True)
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


# How many rows an interval of a wanted width needs.


LARGEST = 10**9  # rows of a class; what needs more is not planned but refused


@dataclass(frozen=True, kw_only=True, repr=False)
class SampleSize(Result):
    """The sample size of a study, and the width of its interval.

    Attributes
    ----------
    n_pos, n_neg : int
        How many positives and negatives are needed.
    width : float
        The expected width of the interval.
    auc : float
        The assumed AUC.
    confidence_level : float
        The confidence level of the interval.
    """

    n_pos: int
    n_neg: int
    width: float
    auc: float
    confidence_level: float

    def __repr__(self) -> str:
        return (
            f"{self.n_pos:,} positives and {self.n_neg:,} negatives for a {wording.level(self.confidence_level)} "
            f"interval of width {self.width:.3g} at AUC {self.auc:g}"
        )


def sample_size_for_width(
    auc: float, width: float, *, negatives_per_positive: float = 1.0, confidence_level: float = 0.95
) -> SampleSize:
    r"""The smallest sample in which the expected width of the interval for the AUC is at most ``width``.

    The interval is symmetric in logit(AUC), which the default one nearly is, with the variance that the binormal model
    with equal variances gives at the assumed AUC A:

    .. math:: \frac{A(1 - A) + (n + m - 2)(Q - A^2)}{n m}, \qquad
       Q = \Phi_2\bigl(\Phi^{-1}(A), \Phi^{-1}(A);\ \tfrac12\bigr),

    the form of Hanley and McNeil (1982) with Q for normal scores in place of their exponential ones.

    Parameters
    ----------
    auc : float
        The assumed AUC, in (0, 1).
    width : float
        The desired distance between the limits.
    negatives_per_positive : float
        The number of negatives per positive.
    confidence_level : float
        The confidence level of the interval.

    Returns
    -------
    SampleSize
        The numbers of rows, and the expected width.

    Examples
    --------
    >>> from podium.inference import sample_size_for_width
    >>> sample_size_for_width(0.85, 0.1)
    111 positives and 111 negatives for a 95 % interval of width 0.0996 at AUC 0.85
    """
    auc = _input.check_fraction("auc", auc)
    width = _input.check_fraction("width", width)
    ratio = _input.check_number("negatives_per_positive", negatives_per_positive, 0, open_low=True)
    level = _input.check_fraction("confidence_level", confidence_level)
    z = normal_quantile(level)

    def expected(n_pos: int) -> float:
        error = math.sqrt(auc_covariance(auc, auc, 1.0, n_pos, negatives(n_pos, ratio)))
        reach = z * error / (auc * (1 - auc))
        return float(expit(logit(auc) + reach) - expit(logit(auc) - reach))

    n_pos = fewest_positives(lambda n: expected(n) <= width, f"width {width!r}")
    return SampleSize(
        n_pos=n_pos, n_neg=negatives(n_pos, ratio), width=expected(n_pos), auc=auc, confidence_level=level
    )


def fewest_positives(enough: Callable[[int], bool], wanted: str) -> int:
    """The least number of positives with which a study reaches what is wanted, which more rows do not undo."""
    if not enough(LARGEST):
        raise InputError(f"The target must be within reach of {LARGEST:,} positives; got {wanted}.")
    return 1 + bisect_left(range(1, LARGEST), True, key=enough)


def negatives(n_pos: int, per_positive: float) -> int:
    """The negatives of a study with so many positives."""
    return max(1, round(n_pos * per_positive))
