"""The error rate of a classifier, fixed before the data were seen: what A05 compares the AUC with."""

from __future__ import annotations

import math

from podium import _input
from podium.bounds import arguments


def error_rate_tail(n_total: int, epsilon: float) -> float:
    r"""Probability that the error rate of a fixed classifier is off by ε or more, at most (A05, Equation 16).

    .. math:: P(|\hat L - L| \ge \varepsilon) \le 2 e^{-2 N \varepsilon^2}

    Of the AUC the exponent has the further factor ρ(1 − ρ) (:func:`auc_tail`), ρ the share of positives.

    Parameters
    ----------
    n_total : int
        The number N of observations.
    epsilon : float
        The deviation ε whose probability is bounded.

    Returns
    -------
    float
        An upper bound of the probability; one or more is vacuous.

    Examples
    --------
    >>> from podium.bounds import error_rate_tail
    >>> round(error_rate_tail(1000, 0.05), 4)
    0.0135
    """
    n_total = _input.check_integer("n_total", n_total, 1)
    return 2 * math.exp(-2 * n_total * arguments.deviation(epsilon) ** 2)


def error_rate_deviation(n_total: int, *, confidence_level: float = 0.95) -> float:
    r"""Deviation ε of the error rate of a fixed classifier that is exceeded with probability at most δ.

    .. math:: \varepsilon = \sqrt{\ln(2/\delta) / (2N)}

    Parameters
    ----------
    n_total : int
        The number N of observations.
    confidence_level : float
        The probability 1 − δ with which the bound holds, at least.

    Returns
    -------
    float
        The deviation ε; 1 or more is vacuous.

    Examples
    --------
    >>> from podium.bounds import error_rate_deviation
    >>> round(error_rate_deviation(300), 4)
    0.0784
    """
    n_total = _input.check_integer("n_total", n_total, 1)
    return math.sqrt(math.log(2 / arguments.failure_probability(confidence_level)) / (2 * n_total))


def error_rate_variance(error_rate: float, n_total: int) -> float:
    """Variance L(1 − L)/N of the error rate of a fixed classifier on N observations (A05, Equation 17).

    Parameters
    ----------
    error_rate : float
        The expected error rate L, in [0, 1].
    n_total : int
        The number N of observations.

    Returns
    -------
    float
        The variance, exact: the number of errors is binomial.

    Examples
    --------
    >>> from podium.bounds import error_rate_variance
    >>> error_rate_variance(0.5, 100)
    0.0025
    """
    error_rate = _input.check_number("error_rate", error_rate, 0, 1)
    return error_rate * (1 - error_rate) / _input.check_integer("n_total", n_total, 1)
