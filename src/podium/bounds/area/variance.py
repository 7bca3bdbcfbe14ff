"""The variance of the AUC of a fixed scorer, and the limits by Chebyshev and by normal approximation (A05, §3.1)."""

from __future__ import annotations

import math

from podium import _input
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
