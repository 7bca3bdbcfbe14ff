"""What is known of the AUC of one scorer fixed beforehand, and of the error rate, with which A05 compares it."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import scipy
from scipy.special import rel_entr

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


METHODS = ("mcdiarmid", "hoeffding")
Method = Literal["mcdiarmid", "hoeffding"]


def auc_tail(n_pos: int, n_neg: int, epsilon: float) -> float:
    r"""Probability that the AUC of a fixed scorer is off by ε or more, at most (A05, Theorem 3.3).

    .. math:: P(|\hat A - A| \ge \varepsilon) \le 2 \exp\Bigl(-\frac{2 \varepsilon^2 n m}{n + m}\Bigr)

    n positives, m negatives. One or more is vacuous; below the range of floats the result is 0.

    Parameters
    ----------
    n_pos, n_neg : int
        The numbers n of positives and m of negatives in the sample.
    epsilon : float
        The deviation ε whose probability is bounded.

    Returns
    -------
    float
        An upper bound of the probability.

    Examples
    --------
    >>> from podium.bounds import auc_tail
    >>> round(auc_tail(1000, 1000, 0.05), 4)
    0.1642
    """
    n_pos, n_neg = arguments.counts(n_pos, n_neg)
    epsilon = arguments.deviation(epsilon)
    return 2 * math.exp(-2 * epsilon**2 * effective_size(n_pos, n_neg, "mcdiarmid"))


def auc_deviation(n_pos: int, n_neg: int, *, confidence_level: float = 0.95, method: Method = "mcdiarmid") -> float:
    r"""Deviation ε of the AUC of a fixed scorer that is exceeded with probability at most δ.

    .. math:: \varepsilon = \sqrt{\frac{\ln(2/\delta)}{2 M}}, \qquad
       M = \frac{n m}{n + m} \text{ (mcdiarmid)}, \quad M = \min(n, m) \text{ (hoeffding)}

    ``"mcdiarmid"`` is A05, Corollary 3.4. ``"hoeffding"`` departs from print and is always tighter: the AUC is an
    average of means over min(n, m) disjoint pairs, and the exponential moment of an average is at most that of one
    such mean of independent terms.

    Parameters
    ----------
    n_pos, n_neg : int
        The numbers n of positives and m of negatives in the sample.
    confidence_level : float
        The probability 1 − δ with which the bound holds, at least.
    method : {"mcdiarmid", "hoeffding"}
        Which inequality is used: the printed one, or the tighter one over disjoint pairs.

    Returns
    -------
    float
        The deviation ε on the scale of the AUC; 1 or more is vacuous.

    Examples
    --------
    >>> from podium.bounds import auc_deviation
    >>> round(auc_deviation(150, 150), 4)
    0.1568
    >>> round(auc_deviation(150, 150, method="hoeffding"), 4)
    0.1109
    """
    n_pos, n_neg = arguments.counts(n_pos, n_neg)
    delta = arguments.failure_probability(confidence_level)
    return math.sqrt(math.log(2 / delta) / (2 * effective_size(n_pos, n_neg, method)))


def auc_sample_size(
    epsilon: float, positive_rate: float, *, confidence_level: float = 0.95, method: Method = "mcdiarmid"
) -> float:
    r"""Number N of observations at which :func:`auc_deviation` is ε (A05, Corollary 3.5); round up.

    .. math:: N = \frac{\ln(2/\delta)}{2 \rho (1 - \rho) \varepsilon^2} \text{ (mcdiarmid)}, \qquad
       N = \frac{\ln(2/\delta)}{2 \min(\rho, 1 - \rho)\, \varepsilon^2} \text{ (hoeffding)}

    ρ is the share of positives among the N.

    Parameters
    ----------
    epsilon : float
        The deviation ε to which the bound shall come down.
    positive_rate : float
        The share ρ of positives among all observations, in (0, 1).
    confidence_level : float
        The probability 1 − δ with which the bound holds, at least.
    method : {"mcdiarmid", "hoeffding"}
        Which inequality is used: the printed one, or the tighter one over disjoint pairs.

    Returns
    -------
    float
        The number N of observations; round it up.

    Examples
    --------
    >>> from podium.bounds import auc_sample_size
    >>> round(auc_sample_size(0.1, 0.5) / 2, 1), round(auc_sample_size(0.1, 0.5, method="hoeffding") / 2, 1)
    (368.9, 184.4)
    """
    epsilon, delta = arguments.deviation(epsilon), arguments.failure_probability(confidence_level)
    rate = arguments.positive_share(positive_rate)
    return math.log(2 / delta) / (2 * effective_size(rate, 1 - rate, method) * epsilon**2)


class KlInterval(NamedTuple):
    """The limits of :func:`kl_interval`, both of which belong to the interval.

    Attributes
    ----------
    low, high : float
        The smallest and the largest AUC that the sample does not exclude.
    """

    low: float
    high: float


def kl_interval(auc: float, n_pos: int, n_neg: int, *, confidence_level: float = 0.95) -> KlInterval:
    r"""Interval that holds the true AUC of a fixed scorer with probability at least 1 − δ, from its sample value Â.

    .. math:: \Bigl\{A : \mathrm{kl}(\hat A \,\|\, A) \le \frac{\ln(2/\delta)}{\min(n, m)}\Bigr\}, \qquad
       \mathrm{kl}(a \,\|\, b) = a \ln\frac ab + (1 - a) \ln\frac{1 - a}{1 - b}

    Not in print: Chernoff's inequality for the mean over min(n, m) disjoint pairs (see :func:`auc_deviation`), each
    side at δ/2. Never wider than ``auc_deviation(method="hoeffding")`` on either side, and far narrower near 1.

    Parameters
    ----------
    auc : float
        The AUC that was measured on the sample.
    n_pos, n_neg : int
        The numbers n of positives and m of negatives in the sample.
    confidence_level : float
        The probability 1 − δ with which the interval holds the true AUC, at least.

    Returns
    -------
    KlInterval
        The limits ``low`` and ``high``.

    Examples
    --------
    >>> from podium.bounds import kl_interval
    >>> low, high = kl_interval(0.95, 150, 150)
    >>> round(low, 4), round(high, 4)
    (0.8867, 0.9845)
    """
    auc, (n_pos, n_neg) = arguments.accuracy(auc), arguments.counts(n_pos, n_neg)
    radius = math.log(2 / arguments.failure_probability(confidence_level)) / min(n_pos, n_neg)
    return KlInterval(1 - _largest(1 - auc, radius), _largest(auc, radius))


def kl_sample_size(auc: float, epsilon: float, positive_rate: float, *, confidence_level: float = 0.95) -> float:
    r"""Number N of observations from which on :func:`kl_interval` lies within Â ± ε; round up.

    .. math:: N = \frac{\ln(2/\delta)}{\min(\rho, 1 - \rho)\,
       \min\{\mathrm{kl}(\hat A \| \hat A - \varepsilon), \mathrm{kl}(\hat A \| \hat A + \varepsilon)\}}

    A side on which Â ± ε leaves [0, 1] asks for nothing.

    Parameters
    ----------
    auc : float
        The AUC that was measured on the sample.
    epsilon : float
        The distance ε from the measured AUC within which both limits shall lie.
    positive_rate : float
        The share ρ of positives among all observations, in (0, 1).
    confidence_level : float
        The confidence level 1 − δ of the interval.

    Returns
    -------
    float
        The number N of observations; round it up.

    Examples
    --------
    >>> from podium.bounds import auc_sample_size, kl_sample_size
    >>> round(kl_sample_size(0.95, 0.05, 0.5)), round(auc_sample_size(0.05, 0.5, method="hoeffding"))
    (442, 1476)
    """
    auc, epsilon = arguments.accuracy(auc), arguments.deviation(epsilon)
    rate = arguments.positive_share(positive_rate)
    sides = [kl(auc, limit) for limit in (auc - epsilon, auc + epsilon) if 0 <= limit <= 1]
    return math.log(2 / arguments.failure_probability(confidence_level)) / (
        min(rate, 1 - rate) * min(sides, default=math.inf)
    )


def effective_size(n_pos: float, n_neg: float, method: str) -> float:
    """The number of independent observations whose mean deviates as the AUC does, at most."""
    _input.check_choice("method", method, METHODS)
    return n_pos * n_neg / (n_pos + n_neg) if method == "mcdiarmid" else min(n_pos, n_neg)


def kl(a: float, b: float) -> float:
    """Relative entropy of a coin of probability a to one of probability b."""
    return float(rel_entr(a, b) + rel_entr(1 - a, 1 - b))


def _largest(a: float, radius: float) -> float:
    """The largest b ≥ a with kl(a ‖ b) ≤ radius."""
    if kl(a, 1 - 1e-16) <= radius:
        return 1.0
    return float(scipy.optimize.brentq(lambda b: kl(a, b) - radius, a, 1 - 1e-16, xtol=1e-15, rtol=1e-14))
