"""Deviations of the AUC over a class of scorers, uniformly."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

from podium import _input
from podium.bounds import arguments
from podium.bounds.area_fixed import effective_size
from podium.bounds.sample_size import sample_size


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


UniformMethod = Literal["agarwal", "sharp"]


def auc_uniform_log_tail(n_pos: int, n_neg: int, log_shatter: float, epsilon: float) -> float:
    r"""Logarithm of the probability that the AUC of some scorer of a class is off by ε or more (A05, Theorem 4.4).

    .. math:: \ln P\Bigl(\sup_{f \in F} |\hat A(f) - A(f)| \ge \varepsilon\Bigr)
       \le \ln 4 + \ln r(F, 2n, 2m) - \frac{n m \varepsilon^2}{8 (n + m)}

    ``log_shatter`` is ln r(F, 2n, 2m), for instance ``log_rank_shatter(2 * n_pos, 2 * n_neg, dimension)``. Zero or more
    is vacuous.

    Parameters
    ----------
    n_pos, n_neg : int
        The numbers n of positives and m of negatives in the sample.
    log_shatter : float
        The natural logarithm of r(F, 2n, 2m), the number of orders that the class can give to twice the sample.
    epsilon : float
        The deviation ε whose probability is bounded.

    Returns
    -------
    float
        The natural logarithm of the bound on the probability.

    Examples
    --------
    >>> import math
    >>> from podium.bounds import auc_uniform_log_tail
    >>> round(auc_uniform_log_tail(10_000, 10_000, math.log(3), 0.1), 3)  # one feature: r = 3
    -3.765
    """
    n_pos, n_neg = arguments.counts(n_pos, n_neg)
    log_shatter, epsilon = arguments.log_count("log_shatter", log_shatter), arguments.deviation(epsilon)
    return math.log(4) + log_shatter - epsilon**2 / (8 * (1 / n_pos + 1 / n_neg))


def auc_uniform_deviation(
    n_pos: int,
    n_neg: int,
    log_shatter: float,
    *,
    confidence_level: float = 0.95,
    method: UniformMethod = "agarwal",
) -> float:
    r"""Deviation that the AUC of no scorer of a class exceeds, but with probability δ; V = 1/n + 1/m.

    ``"agarwal"`` (A05, Corollary 4.5), with ``log_shatter`` = ln r(F, 2n, 2m):

    .. math:: \varepsilon = \sqrt{8 V (\ln r(F, 2n, 2m) + \ln(4/\delta))}

    ``"sharp"``, not in print, with ``log_shatter`` = ln s_k, where s_k is the number of ways in which the class can
    order k = min(n, m) disjoint pairs (for linear scorers ``log_sign_patterns(dimension, k)``):

    .. math:: \varepsilon = \sqrt{\frac{2 \ln(2 s_k)}{k}} + \sqrt{\frac{V \ln(1/\delta)}{2}}

    The supremum moves by at most 1/n or 1/m with one observation, so it stays near its mean (second term); the mean is
    at most that over k disjoint pairs, which are independent, so symmetrization and a maximum over s_k patterns bound
    it (first term). The printed proof doubles the sample and takes all 4nm pairs instead.

    Parameters
    ----------
    n_pos, n_neg : int
        The numbers n of positives and m of negatives in the sample.
    log_shatter : float
        The natural logarithm of the number of orders that the class can give to the sample, as said above.
    confidence_level : float
        The probability 1 − δ with which the bound holds, at least.
    method : {"agarwal", "sharp"}
        Which of the two bounds is used; each has its own ``log_shatter``.

    Returns
    -------
    float
        The deviation ε on the scale of the AUC; 1 or more is vacuous.

    Examples
    --------
    >>> from podium.bounds import auc_uniform_deviation, log_rank_shatter, log_sign_patterns
    >>> n, d = 50_000, 15
    >>> round(auc_uniform_deviation(n, n, log_rank_shatter(2 * n, 2 * n, d)), 3)
    0.327
    >>> round(auc_uniform_deviation(n, n, log_sign_patterns(d, n), method="sharp"), 3)
    0.082
    """
    n_pos, n_neg = arguments.counts(n_pos, n_neg)
    delta = arguments.failure_probability(confidence_level)
    harmonic = 1 / n_pos + 1 / n_neg
    if _input.check_choice("method", method, ("agarwal", "sharp")) == "agarwal":
        return math.sqrt(8 * harmonic * (arguments.log_count("log_shatter", log_shatter) + math.log(4 / delta)))
    return mean_supremum_of_pairs(n_pos, n_neg, log_shatter) + math.sqrt(harmonic * -math.log(delta) / 2)


def mean_supremum_of_pairs(n_pos: int, n_neg: int, log_shatter: float) -> float:
    """√(2 ln(2 s_k)/k), k = min(n, m): at least the mean, over samples, of the largest deviation within the class."""
    return math.sqrt(2 * (math.log(2) + arguments.log_count("log_shatter", log_shatter)) / min(n_pos, n_neg))


def auc_uniform_sample_size(
    epsilon: float,
    positive_rate: float,
    log_shatter: Callable[[int, int], float],
    *,
    confidence_level: float = 0.95,
    method: UniformMethod = "agarwal",
) -> int:
    """The smallest N at which :func:`auc_uniform_deviation` is at most ε.

    The class can order more ways the larger the sample, so ``log_shatter(n_pos, n_neg)`` is a function here.

    Parameters
    ----------
    epsilon : float
        The deviation ε to which the bound shall come down.
    positive_rate : float
        The share ρ of positives among all observations, in (0, 1).
    log_shatter : callable
        A function of ``(n_pos, n_neg)`` that returns the ``log_shatter`` of the deviation at these sizes.
    confidence_level : float
        The probability 1 − δ with which the bound holds, at least.
    method : {"agarwal", "sharp"}
        Which of the two bounds is used; each has its own ``log_shatter``.

    Returns
    -------
    int
        The number N of observations, positives and negatives together.

    Examples
    --------
    >>> from podium.bounds import auc_uniform_sample_size, log_rank_shatter, log_sign_patterns
    >>> auc_uniform_sample_size(0.1, 0.5, lambda n, m: log_rank_shatter(2 * n, 2 * m, 15)) // 2
    659056
    >>> auc_uniform_sample_size(0.1, 0.5, lambda n, m: log_sign_patterns(15, min(n, m)), method="sharp") // 2
    32145
    """
    return sample_size(
        lambda n, m: auc_uniform_deviation(n, m, log_shatter(n, m), confidence_level=confidence_level, method=method),
        epsilon,
        positive_rate,
    )


def freund_deviation(
    n_pos: int, n_neg: int, log_shatter_pos: float, log_shatter_neg: float, *, confidence_level: float = 0.95
) -> float:
    r"""Deviation of the AUC over a class by classification within each class of labels (A05, Theorem 4.14).

    .. math:: \varepsilon = 2 \sqrt{\frac{\ln s(\tilde F, 2n) + \ln(12/\delta)}{n}}
       + 2 \sqrt{\frac{\ln s(\tilde F, 2m) + \ln(12/\delta)}{m}}

    ``log_shatter_pos`` is ln s(F̃, 2n) and ``log_shatter_neg`` ln s(F̃, 2m): the sign patterns of f(x) − f(z), f ∈ F and
    any z, on that many points. For linear scorers in R^d they are ``log_sign_patterns(d + 1, 2 * n_pos)`` and likewise
    for the negatives. The bound generalizes one of Freund, Iyer, Schapire and Singer (2003). For linear scorers of one
    feature, the case that A05 compares, Corollary 4.5 is tighter wherever either is below ½; for fifteen features it is
    the other way round.

    Parameters
    ----------
    n_pos, n_neg : int
        The numbers n of positives and m of negatives in the sample.
    log_shatter_pos, log_shatter_neg : float
        Natural logarithms of the numbers of sign patterns s(F̃, 2n) and s(F̃, 2m), as said above.
    confidence_level : float
        The probability 1 − δ with which the bound holds, at least.

    Returns
    -------
    float
        The deviation ε on the scale of the AUC; 1 or more is vacuous.

    Examples
    --------
    >>> import math
    >>> from podium.bounds import freund_deviation
    >>> log_shatter = math.log(8 * 50_000 + 1)
    >>> round(freund_deviation(50_000, 50_000, log_shatter, log_shatter, confidence_level=0.99), 4)
    0.08
    """
    n_pos, n_neg = arguments.counts(n_pos, n_neg)
    log_shatter_pos = arguments.log_count("log_shatter_pos", log_shatter_pos)
    log_shatter_neg = arguments.log_count("log_shatter_neg", log_shatter_neg)
    confidence = math.log(12 / arguments.failure_probability(confidence_level))
    return 2 * math.sqrt((log_shatter_pos + confidence) / n_pos) + 2 * math.sqrt((log_shatter_neg + confidence) / n_neg)


def freund_sample_size(
    epsilon: float, positive_rate: float, log_shatter: Callable[[int], float], *, confidence_level: float = 0.95
) -> int:
    """The smallest N at which :func:`freund_deviation` is at most ε; ``log_shatter(n)`` is ln s(F̃, n).

    Parameters
    ----------
    epsilon : float
        The deviation ε to which the bound shall come down.
    positive_rate : float
        The share ρ of positives among all observations, in (0, 1).
    log_shatter : callable
        A function of n that returns ln s(F̃, n), the natural logarithm of the number of sign patterns on n points.
    confidence_level : float
        The probability 1 − δ with which the bound holds, at least.

    Returns
    -------
    int
        The number N of observations, positives and negatives together.

    Examples
    --------
    >>> import math
    >>> from podium.bounds import freund_sample_size
    >>> # linear scorers of one feature
    >>> freund_sample_size(0.1, 0.5, lambda n: math.log(4 * n + 1), confidence_level=0.99) // 2
    31230
    """
    return sample_size(
        lambda n, m: freund_deviation(n, m, log_shatter(2 * n), log_shatter(2 * m), confidence_level=confidence_level),
        epsilon,
        positive_rate,
    )
