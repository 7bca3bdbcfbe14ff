"""How many rows a study needs, under the binormal model.

The model: both scorers are normal within each class, with equal variances, and correlated alike in both classes. Then
every covariance of two AUCs is known: of a pair of pairs that share a positive, a negative or both, the score
differences are bivariate normal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit
from scipy.stats import multivariate_normal, norm

from podium import _input, _wording
from podium._normal import normal_quantile
from podium._result import Result
from podium.exceptions import InputError

LARGEST = 10**9  # rows of a class; what needs more is not planned but refused


@dataclass(frozen=True, kw_only=True, repr=False)
class SampleSize(Result):
    """Rows that a study needs, and what they buy.

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
            f"{self.n_pos:,} positives and {self.n_neg:,} negatives for a {_wording.level(self.confidence_level)} "
            f"interval of width {self.width:.3g} at AUC {self.auc:g}"
        )


def sample_size_for_width(
    auc: float, width: float, *, negatives_per_positive: float = 1.0, confidence_level: float = 0.95
) -> SampleSize:
    r"""The fewest rows at which the interval for the AUC is expected to be at most ``width`` wide.

    The interval is the default one, symmetric in logit(AUC), with the variance that the binormal model with equal
    variances gives at the assumed AUC A:

    .. math:: \frac{A(1 - A) + (n + m - 2)(Q - A^2)}{n m}, \qquad
       Q = \Phi_2\bigl(\Phi^{-1}(A), \Phi^{-1}(A);\ \tfrac12\bigr),

    the form of Hanley and McNeil (1982) with Q for normal scores in place of their exponential ones.

    Parameters
    ----------
    auc : float
        The assumed AUC, in (0, 1).
    width : float
        The distance from the lower to the upper limit that is asked for.
    negatives_per_positive : float
        How many negatives the study has for every positive.
    confidence_level : float
        The confidence level of the interval.

    Examples
    --------
    >>> sample_size_for_width(0.85, 0.1)
    111 positives and 111 negatives for a 95 % interval of width 0.0996 at AUC 0.85
    """
    auc = _input.check_number("auc", auc, 0, 1, open_low=True, open_high=True)
    width = _input.check_number("width", width, 0, 1, open_low=True, open_high=True)
    ratio = _input.check_number("negatives_per_positive", negatives_per_positive, 0, open_low=True)
    level = _input.check_number("confidence_level", confidence_level, 0, 1, open_low=True, open_high=True)
    z = normal_quantile(level)

    def expected(n_pos: int) -> float:
        error = math.sqrt(auc_covariance(auc, auc, 1.0, n_pos, _negatives(n_pos, ratio)))
        reach = z * error / (auc * (1 - auc))
        return float(expit(logit(auc) + reach) - expit(logit(auc) - reach))

    if expected(LARGEST) > width:
        raise InputError(f"width must be within reach of {LARGEST:,} positives; got {width!r}.")
    too_few, enough = 0, LARGEST
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        too_few, enough = (too_few, middle) if expected(middle) <= width else (middle, enough)
    return SampleSize(
        n_pos=enough, n_neg=_negatives(enough, ratio), width=expected(enough), auc=auc, confidence_level=level
    )


def power(
    auc_a: float,
    auc_b: float,
    n_pos: int,
    n_neg: int,
    *,
    correlation: float = 0.0,
    confidence_level: float = 0.95,
) -> float:
    r"""Probability that a two-sided comparison of two AUCs finds the difference.

    .. math:: \Phi\Bigl(\frac{|A - B|}{\sigma} - z\Bigr) + \Phi\Bigl(-\frac{|A - B|}{\sigma} - z\Bigr), \qquad
       \sigma^2 = \mathrm{var}_A + \mathrm{var}_B - 2\,\mathrm{cov}

    with variances and covariance of the binormal model with equal variances; z is the normal quantile of the test.

    Parameters
    ----------
    auc_a, auc_b : float
        The assumed AUCs, in (0, 1).
    n_pos, n_neg : int
        The numbers of rows of each class; of each of the two samples where the scorers are compared on different ones.
    correlation : float
        The correlation of the two scores within a class, in [−1, 1]: 0 for different samples, and often .5 to .9 on the
        same rows.
    confidence_level : float
        One minus the size of the test: 0.95 for a test at the 5 % level.

    Examples
    --------
    >>> round(power(0.80, 0.85, 150, 150), 2), round(power(0.80, 0.85, 150, 150, correlation=0.7), 2)
    (0.32, 0.71)
    """
    auc_a = _input.check_number("auc_a", auc_a, 0, 1, open_low=True, open_high=True)
    auc_b = _input.check_number("auc_b", auc_b, 0, 1, open_low=True, open_high=True)
    n_pos, n_neg = _input.check_integer("n_pos", n_pos, 1), _input.check_integer("n_neg", n_neg, 1)
    correlation = _input.check_number("correlation", correlation, -1, 1)
    level = _input.check_number("confidence_level", confidence_level, 0, 1, open_low=True, open_high=True)
    variances = sum(auc_covariance(a, a, 1.0, n_pos, n_neg) for a in (auc_a, auc_b))
    variance = variances - 2 * auc_covariance(auc_a, auc_b, correlation, n_pos, n_neg)
    if auc_a == auc_b:
        return 1 - level
    shift = abs(auc_a - auc_b) / math.sqrt(variance) if variance > 0 else np.inf
    z = normal_quantile(level)
    return float(norm.cdf(shift - z) + norm.cdf(-shift - z))


def auc_covariance(auc_a: float, auc_b: float, correlation: float, n_pos: int, n_neg: int) -> float:
    """Of the AUCs of two scorers on the same rows; of an AUC with itself, its variance, at ``correlation`` 1."""
    at = np.array([norm.ppf(auc_a), norm.ppf(auc_b)])
    by_chance = auc_a * auc_b

    def both_right(shared: float) -> float:
        """Probability that a pair is right by the one scorer and another pair by the other, less that by chance."""
        if shared == 1:
            return min(auc_a, auc_b) - by_chance
        both = multivariate_normal.cdf(at, cov=np.array([[1, shared], [shared, 1]]), allow_singular=True)
        return float(both) - by_chance

    # The same pair; pairs with one row in common, where half of the variance of a difference is shared.
    return (both_right(correlation) + (n_pos + n_neg - 2) * both_right(correlation / 2)) / (n_pos * n_neg)


def _negatives(n_pos: int, ratio: float) -> int:
    return max(1, round(n_pos * ratio))
