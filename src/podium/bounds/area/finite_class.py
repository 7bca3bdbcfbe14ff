"""A scorer chosen among finitely many by looking at the sample: the union bound (A05, §3.3)."""

from __future__ import annotations

import math

from podium import _input
from podium.bounds import arguments
from podium.bounds.area.fixed import effective_size


def auc_finite_class_tail(n_pos: int, n_neg: int, n_functions: int, epsilon: float) -> float:
    r"""Probability that the AUC of any of :math:`|F|` scorers is off by ε or more, at most (A05, Theorem 3.8).

    .. math:: P\Bigl(\max_{f \in F} |\hat A(f) - A(f)| \ge \varepsilon\Bigr)
       \le 2 |F| \exp\Bigl(-\frac{2 \varepsilon^2 n m}{n + m}\Bigr)

    So it holds for the scorer chosen on the very sample. The scorers were listed before it was seen. One or more
    is vacuous; beyond the range of floats the result is infinite.

    Parameters
    ----------
    n_pos, n_neg : int
        The numbers n of positives and m of negatives in the sample.
    n_functions : int
        The number of scorers among which one is chosen; they were listed before the sample was seen.
    epsilon : float
        The deviation ε whose probability is bounded.

    Returns
    -------
    float
        An upper bound of the probability.

    Examples
    --------
    >>> from podium.bounds import auc_finite_class_tail
    >>> round(auc_finite_class_tail(2000, 2000, 10, 0.05), 4)
    0.1348
    """
    n_pos, n_neg = arguments.counts(n_pos, n_neg)
    epsilon = arguments.deviation(epsilon)
    log_tail = math.log(2) + _log_size(n_functions) - 2 * epsilon**2 * effective_size(n_pos, n_neg, "mcdiarmid")
    return math.exp(log_tail) if log_tail < 709 else math.inf


def auc_finite_class_deviation(n_pos: int, n_neg: int, n_functions: int, *, confidence_level: float = 0.95) -> float:
    r"""Deviation that the AUC of none of :math:`|F|` scorers exceeds, but with probability δ (A05, Corollary 3.9).

    .. math:: \varepsilon = \sqrt{\frac{(\ln |F| + \ln(2/\delta))(n + m)}{2 n m}}

    Dividing δ among the scorers gives the same for any other bound: ``auc_deviation(n, m,
    confidence_level=1 - delta / n_functions, method="hoeffding")`` is tighter than this one.

    Parameters
    ----------
    n_pos, n_neg : int
        The numbers n of positives and m of negatives in the sample.
    n_functions : int
        The number of scorers among which one is chosen; they were listed before the sample was seen.
    confidence_level : float
        The probability 1 − δ with which the bound holds, at least.

    Returns
    -------
    float
        The deviation ε on the scale of the AUC; 1 or more is vacuous.

    Examples
    --------
    >>> from podium.bounds import auc_finite_class_deviation
    >>> round(auc_finite_class_deviation(150, 150, 100), 4)
    0.2351
    """
    n_pos, n_neg = arguments.counts(n_pos, n_neg)
    return math.sqrt(_numerator(n_functions, confidence_level) / (2 * effective_size(n_pos, n_neg, "mcdiarmid")))


def auc_finite_class_sample_size(
    epsilon: float, positive_rate: float, n_functions: int, *, confidence_level: float = 0.95
) -> float:
    r"""Number of observations at which :func:`auc_finite_class_deviation` is ε (A05, Corollary 3.10); round up.

    .. math:: N = \frac{\ln |F| + \ln(2/\delta)}{2 \rho (1 - \rho) \varepsilon^2}

    Parameters
    ----------
    epsilon : float
        The deviation ε to which the bound shall come down.
    positive_rate : float
        The share ρ of positives among all observations, in (0, 1).
    n_functions : int
        The number of scorers among which one is chosen; they were listed before the sample was seen.
    confidence_level : float
        The probability 1 − δ with which the bound holds, at least.

    Returns
    -------
    float
        The number N of observations; round it up.

    Examples
    --------
    >>> from podium.bounds import auc_finite_class_sample_size
    >>> round(auc_finite_class_sample_size(0.1, 0.5, n_functions=100), 1)
    1658.8
    """
    rate, epsilon = arguments.positive_share(positive_rate), arguments.deviation(epsilon)
    return _numerator(n_functions, confidence_level) / (2 * effective_size(rate, 1 - rate, "mcdiarmid") * epsilon**2)


def _numerator(n_functions: int, confidence_level: float) -> float:
    return _log_size(n_functions) + math.log(2 / arguments.failure_probability(confidence_level))


def _log_size(n_functions: int) -> float:
    if type(n_functions) is int and n_functions > 2**53:
        return math.log(n_functions)  # classes of quantised weights: beyond what a float holds, no harm in a logarithm
    return math.log(
        _input.check_integer("n_functions", n_functions, 1, hint="count the scorers among which one is chosen.")
    )
