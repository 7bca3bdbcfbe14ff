"""The variance of the AUC of one scorer, and bounds by it, given errors or not."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from podium import _input
from podium._results.result import Result
from podium._shares import normal_quantile
from podium.bounds import arguments


def auc_variance(auc: float, p1: float, p2: float, n_pos: int, n_neg: int) -> float:
    r"""Variance of the sample AUC of a fixed scorer without ties (A05, Equation 7).

    .. math:: \sigma^2 = \frac{A(1 - A) + (n - 1)(p_1 - A^2) + (m - 1)(p_2 - A^2)}{n m}

    p₁ is the probability that two positives both outrank one negative, p₂ that one positive outranks two negatives.

    Parameters
    ----------
    auc : float
        The true AUC.
    p1 : float
        The probability that two positives both outrank one negative.
    p2 : float
        The probability that one positive outranks two negatives.
    n_pos, n_neg : int
        The numbers n of positives and m of negatives in the sample.

    Returns
    -------
    float
        The variance σ² of the sample AUC.

    Examples
    --------
    >>> from podium.bounds import auc_variance
    >>> round(auc_variance(0.5, 1 / 3, 1 / 3, 10, 10), 6)  # scores of both classes alike: (N + 1) / (12 n m)
    0.0175
    """
    auc, (n_pos, n_neg) = arguments.accuracy(auc), arguments.counts(n_pos, n_neg)
    p1, p2 = _input.check_number("p1", p1, 0, 1), _input.check_number("p2", p2, 0, 1)
    square = auc**2
    return (auc * (1 - auc) + (n_pos - 1) * (p1 - square) + (n_neg - 1) * (p2 - square)) / (n_pos * n_neg)


def auc_variance_max(auc: float, n_pos: int, n_neg: int) -> float:
    r"""The largest variance that a sample AUC can have, whatever the distribution (A05, Equation 14).

    .. math:: \sigma^2_{\max} = \frac{A(1 - A)}{\min(n, m)} \le \frac{1}{4 \min(n, m)}

    Ties included. The least value stated beside it, A(1 − A)/(nm) (A05, Equation 15), is attained only with one
    positive or one negative, or at an AUC of 0 or 1, so there is no function for it.

    Parameters
    ----------
    auc : float
        The true AUC; 0.5 is the worst case.
    n_pos, n_neg : int
        The numbers n of positives and m of negatives in the sample.

    Returns
    -------
    float
        The largest variance that any distribution with this AUC can lead to.

    Examples
    --------
    >>> from podium.bounds import auc_variance_max
    >>> auc_variance_max(0.5, 25, 100)
    0.01
    """
    auc, (n_pos, n_neg) = arguments.accuracy(auc), arguments.counts(n_pos, n_neg)
    return auc * (1 - auc) / min(n_pos, n_neg)


def auc_chebyshev(auc: float, n_pos: int, n_neg: int, *, confidence_level: float = 0.95) -> float:
    r"""Deviation by Chebyshev's inequality, ε = σ_max/√δ (A05, Equations 11 and 14).

    ``auc`` is the *true* AUC; 0.5 covers every case. Looser than :func:`~podium.bounds.auc_deviation` at any usual δ.

    Parameters
    ----------
    auc : float
        The true AUC; with 0.5 the result covers every case.
    n_pos, n_neg : int
        The numbers n of positives and m of negatives in the sample.
    confidence_level : float
        The probability 1 − δ with which the bound holds, at least.

    Returns
    -------
    float
        The deviation ε on the scale of the AUC; 1 or more is vacuous.

    Examples
    --------
    >>> from podium.bounds import auc_chebyshev
    >>> round(auc_chebyshev(0.5, 100, 100, confidence_level=0.99), 12)
    0.5
    """
    return math.sqrt(auc_variance_max(auc, n_pos, n_neg) / arguments.failure_probability(confidence_level))


def auc_normal(auc: float, n_pos: int, n_neg: int, *, confidence_level: float = 0.95) -> float:
    r"""Deviation by normal approximation, ε = σ_max·Φ⁻¹(1 − δ/2) (A05, Equations 13 and 14).

    ``auc`` is the *true* AUC; 0.5 covers every case. Approximate: it holds as both classes grow, not at a given size.

    Parameters
    ----------
    auc : float
        The true AUC; with 0.5 the result covers every case.
    n_pos, n_neg : int
        The numbers n of positives and m of negatives in the sample.
    confidence_level : float
        The probability 1 − δ with which the deviation is not exceeded, approximately.

    Returns
    -------
    float
        The deviation ε on the scale of the AUC; 1 or more is vacuous.

    Examples
    --------
    >>> from podium.bounds import auc_normal
    >>> round(auc_normal(0.5, 100, 100), 4)
    0.098
    """
    return math.sqrt(auc_variance_max(auc, n_pos, n_neg)) * normal_quantile(arguments.confidence(confidence_level))


def auc_chebyshev_sample_size(
    auc: float, epsilon: float, positive_rate: float, *, confidence_level: float = 0.95
) -> float:
    r"""Number of observations at which :func:`auc_chebyshev` is ε: A(1 − A)/(min(ρ, 1 − ρ)·δ·ε²); round up.

    Parameters
    ----------
    auc : float
        The true AUC; with 0.5 the result covers every case.
    epsilon : float
        The deviation ε to which the bound shall come down.
    positive_rate : float
        The share ρ of positives among all observations, in (0, 1).
    confidence_level : float
        The probability 1 − δ with which the bound holds, at least.

    Returns
    -------
    float
        The number N of observations; round it up.

    Examples
    --------
    >>> from podium.bounds import auc_chebyshev_sample_size
    >>> round(auc_chebyshev_sample_size(0.5, 0.1, 0.5))
    1000
    """
    return _sample_size(auc, epsilon, positive_rate) / arguments.failure_probability(confidence_level)


def auc_normal_sample_size(
    auc: float, epsilon: float, positive_rate: float, *, confidence_level: float = 0.95
) -> float:
    r"""Number of observations at which :func:`auc_normal` is ε: A(1 − A)·Φ⁻¹(1 − δ/2)²/(min(ρ, 1 − ρ)·ε²); round up.

    Parameters
    ----------
    auc : float
        The true AUC; with 0.5 the result covers every case.
    epsilon : float
        The deviation ε to which the bound shall come down.
    positive_rate : float
        The share ρ of positives among all observations, in (0, 1).
    confidence_level : float
        The probability 1 − δ with which the deviation is not exceeded, approximately.

    Returns
    -------
    float
        The number N of observations; round it up.

    Examples
    --------
    >>> from podium.bounds import auc_normal_sample_size
    >>> round(auc_normal_sample_size(0.5, 0.1, 0.5))
    192
    """
    return _sample_size(auc, epsilon, positive_rate) * normal_quantile(arguments.confidence(confidence_level)) ** 2


def _sample_size(auc: float, epsilon: float, positive_rate: float) -> float:
    """The N at which σ_max is ε."""
    auc, epsilon = arguments.accuracy(auc), arguments.deviation(epsilon)
    rate = arguments.positive_share(positive_rate)
    return auc * (1 - auc) / (min(rate, 1 - rate) * epsilon**2)


@dataclass(frozen=True, kw_only=True, repr=False)
class AucGivenErrors(Result):
    """The AUC of lists with a given number of errors.

    Attributes
    ----------
    mean, standard_deviation : float
        Over all such lists, each as likely as any other.
    low, high : float
        Limits that hold for the stated share of them, at least.
    confidence_level : float
        The share of the lists for which the limits hold.
    error_rate : float
        The share of rows that are on the wrong side of the threshold.
    """

    mean: float
    standard_deviation: float
    low: float
    high: float
    confidence_level: float
    error_rate: float

    def __repr__(self) -> str:
        return (
            f"AUC {self.mean:.4f} [{self.low:.4f}, {self.high:.4f}] at {100 * self.error_rate:.3g} % errors "
            f"({100 * self.confidence_level:g} %)"
        )


def auc_given_error_interval(
    n_pos: int, n_neg: int, fewest: int, most: int, *, confidence_level: float = 0.95
) -> tuple[float, float]:
    """Limits of the AUC from an interval of the number of errors (Cortes and Mohri, 2005, §5).

    The widest of the limits of :func:`auc_given_errors` over all numbers of errors in the interval. If the interval
    holds with probability 1 − ε and the limits at every number of errors with 1 − δ, those of the AUC hold with
    (1 − ε)(1 − δ), for lists that are as likely as any other with as many errors.

    Parameters
    ----------
    n_pos, n_neg : int
        The numbers n of positives and m of negatives.
    fewest, most : int
        The least and the largest number of rows on the wrong side of the threshold.
    confidence_level : float
        The share 1 − δ of the lists with any such number of errors whose AUC lies within the limits, at least.

    Returns
    -------
    tuple of float
        The lower and the upper limit.

    Examples
    --------
    >>> from podium.bounds import auc_given_error_interval
    >>> low, high = auc_given_error_interval(50, 50, 6, 15)
    >>> round(low, 3), round(high, 3)
    (0.754, 1.0)
    """
    _input.check_integer("most", most, _input.check_integer("fewest", fewest, 0))
    found = [auc_given_errors(n_pos, n_neg, k, confidence_level=confidence_level) for k in range(fewest, most + 1)]
    return min(each.low for each in found), max(each.high for each in found)


def auc_given_errors(n_pos: int, n_neg: int, n_errors: int, *, confidence_level: float = 0.95) -> AucGivenErrors:
    r"""Mean and deviation of the AUC at a fixed error rate, and its interval (Cortes and Mohri, 2004 and 2005).

    Over all orders of n positives and m negatives and all thresholds with exactly k rows on the wrong side, each as
    likely as any other. With x of the errors positives, the n − x positives and k − x negatives above the threshold
    stand in any order, and so do the rest below, so that

    .. math:: P(x) \propto \binom{n + k - 2x}{k - x} \binom{m - k + 2x}{x},

    .. math:: nm\,E[A \mid x] = (n - x)(m - k + x) + \tfrac12 (n - x)(k - x) + \tfrac12 x (m - k + x),

    and the variance given x is that of two rank sums. The interval is Chebyshev's, mean ± σ/√δ with δ = 1 −
    ``confidence_level``, within what k errors allow. Scores do not tie. For k ≤ min(n, m) the mean is Cortes and
    Mohri's closed form. A05's Table 1 shows why such an interval is needed: lists with the same error rate can have
    different AUCs.

    Parameters
    ----------
    n_pos, n_neg : int
        The numbers n of positives and m of negatives.
    n_errors : int
        The number k of rows on the wrong side of the threshold.
    confidence_level : float
        The share of all such lists whose AUC lies within the limits, at least.

    Returns
    -------
    AucGivenErrors
        Mean, standard deviation and limits.

    References
    ----------
    Cortes, C. and Mohri, M. (2004). AUC optimization vs. error rate minimization. *Advances in Neural Information
    Processing Systems* 16.

    Cortes, C. and Mohri, M. (2005). Confidence intervals for the area under the ROC curve. *Advances in Neural
    Information Processing Systems* 17.

    Examples
    --------
    >>> from podium.bounds import auc_given_errors
    >>> auc_given_errors(50, 50, 10)
    AUC 0.9000 [0.8201, 0.9799] at 10 % errors (95 %)
    """
    n, m = arguments.counts(n_pos, n_neg)
    k = _input.check_integer("n_errors", n_errors, 0, n + m)
    delta = arguments.failure_probability(confidence_level)
    x = np.arange(max(0, k - m), min(n, k) + 1, dtype=np.float64)  # positives among the errors
    log_weight = _log_binomial(n + k - 2 * x, k - x) + _log_binomial(m - k + 2 * x, x)
    weight = np.exp(log_weight - log_weight.max())
    weight /= weight.sum()
    won = (n - x) * (m - k + x)  # pairs in the right order whatever the orders on either side
    above, below = (n - x) * (k - x), x * (m - k + x)  # pairs on one side: half are won in the mean
    mean_given = (won + (above + below) / 2) / (n * m)
    variance_given = (above * (n + k - 2 * x + 1) + below * (m - k + 2 * x + 1)) / (12 * (n * m) ** 2)
    mean = float(weight @ mean_given)
    deviation = math.sqrt(float(weight @ (variance_given + (mean_given - mean) ** 2)))
    reach = deviation / math.sqrt(delta)
    return AucGivenErrors(
        mean=mean,
        standard_deviation=deviation,
        low=max(mean - reach, float(won.min()) / (n * m)),
        high=min(mean + reach, float((won + above + below).max()) / (n * m)),
        confidence_level=confidence_level,
        error_rate=k / (n + m),
    )


def _log_binomial(n: np.ndarray, k: np.ndarray) -> np.ndarray:
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))
