"""Any rank statistic Ŵ_φ/n: bounds with explicit constants, in place of those of CLV21, §3, which have none.

Ŵ_φ = Σ_i φ(Rank(s(X_i))/(N + 1)) over the n positives (CLV21, Eq. 2.11). Where scores tie, these bounds are about the
value averaged over the tied ranks, which for φ(u) = u is the mid-rank value; φ at the mid-rank itself can move more.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from podium._types import FloatArray
from podium.bounds import arguments
from podium.bounds.sample_size import classes, fewest, sample_size, smallest_list
from podium.exceptions import InputError
from podium.phi import Phi, resolve

_LONGEST_LIST = 5 * 10**7  # a bound on W_φ looks at every rank


def rank_statistic_sensitivity(n_pos: int, n_neg: int, phi: Phi | str) -> float:
    r"""How far single observations can move Ŵ_φ/n, squared and summed: the V_φ of the bounds on rank statistics.

    .. math:: V_\phi = \frac{D_m^2}{n} + \frac{m D_n^2}{n^2},

    with D_j the sum of the j largest of the steps a_k − a_{k−1}, a_k = φ(k/(N + 1)), k = 2, …, N. A positive that moves
    past all m negatives changes Σφ by the steps at which they stand, at most D_m, since the other positives take over
    the remaining ranks; a negative that moves past all positives changes it by at most D_n. Both are attained. Every
    nondecreasing φ will do, also one that is unbounded at 0 or 1. O(N).

    Parameters
    ----------
    n_pos, n_neg : int
        The numbers n of positives and m of negatives in the sample.
    phi : Phi or str
        The score-generating function φ: an object of `podium.phi` or a specification such as ``"power:3"``.

    Returns
    -------
    float
        The sensitivity V_φ.

    Examples
    --------
    >>> from podium.bounds import rank_statistic_sensitivity
    >>> round(rank_statistic_sensitivity(150, 150, "auc") * (301 / 150) ** 2, 6)  # on the scale of the AUC: 1/n + 1/m
    0.013333
    """
    n_pos, n_neg = arguments.counts(n_pos, n_neg)
    ordered = np.partition(np.diff(_scores(n_pos, n_neg, phi)), sorted({n_pos - 1, n_neg - 1}))
    past_negatives, past_positives = float(ordered[n_pos - 1 :].sum()), float(ordered[n_neg - 1 :].sum())
    return past_negatives**2 / n_pos + n_neg * past_positives**2 / n_pos**2


def rank_statistic_span(n_pos: int, n_neg: int, phi: Phi | str) -> float:
    """The range of Ŵ_φ/n, from the worst order to the best: dividing by it puts a deviation on the scale of ω_φ.

    Parameters
    ----------
    n_pos, n_neg : int
        The numbers n of positives and m of negatives in the sample.
    phi : Phi or str
        The score-generating function φ: an object of `podium.phi` or a specification such as ``"power:3"``.

    Returns
    -------
    float
        Ŵ_φ/n of the best order less that of the worst.

    Examples
    --------
    >>> from podium.bounds import rank_statistic_span
    >>> round(rank_statistic_span(150, 150, "auc"), 4)  # m / (N + 1)
    0.4983
    """
    n_pos, n_neg = arguments.counts(n_pos, n_neg)
    scores = _scores(n_pos, n_neg, phi)
    return float(scores[-n_pos:].mean() - scores[:n_pos].mean())


def rank_statistic_deviation(n_pos: int, n_neg: int, phi: Phi | str, *, confidence_level: float = 0.95) -> float:
    r"""Deviation of Ŵ_φ/n of a fixed scorer from its own mean, exceeded with probability at most δ.

    .. math:: \varepsilon = \sqrt{\tfrac12 V_\phi \ln(2/\delta)}, \qquad
       P\bigl(|\hat W_\phi - E \hat W_\phi|/n \ge \varepsilon\bigr) \le 2 \exp(-2 \varepsilon^2 / V_\phi)

    McDiarmid's inequality with :func:`rank_statistic_sensitivity`. For φ(u) = u it is A05, Corollary 3.4. The mean
    differs from the population value W_φ by at most :func:`rank_statistic_bias`. CLV21's own inequality for a fixed
    scorer (Lemma 23) has explicit constants too, but exceeds the range of the statistic at usual sizes.

    Parameters
    ----------
    n_pos, n_neg : int
        The numbers n of positives and m of negatives in the sample.
    phi : Phi or str
        The score-generating function φ: an object of `podium.phi` or a specification such as ``"power:3"``.
    confidence_level : float
        The probability 1 − δ with which the bound holds, at least.

    Returns
    -------
    float
        The deviation ε on the scale of Ŵ_φ/n; divided by :func:`~podium.bounds.rank_statistic_span` it is on that
        of ω_φ.

    Examples
    --------
    >>> from podium.bounds import rank_statistic_deviation
    >>> round(rank_statistic_deviation(150, 150, "power:3"), 4)
    0.1359
    """
    return fixed_deviation(rank_statistic_sensitivity(n_pos, n_neg, phi), confidence_level)


def rank_statistic_bias(n_pos: int, n_neg: int, phi: Phi | str) -> float:
    r"""How far the mean of Ŵ_φ/n can be from W_φ = E φ(F(s(X))) (CLV21, Equation 3.3) at p = n/N, without ties.

    .. math:: \Bigl|\frac1n E \hat W_\phi - W_\phi\Bigr| \le \min\Bigl\{
       \frac{\|\phi'\|}{N + 1} + \frac{\|\phi''\| (N + 3)}{8 (N + 1)^2},
       \; \|\phi'\| \frac{\sqrt{N + 3}}{2 (N + 1)}\Bigr\}

    Given X₁ = x, its rank is 1 plus N − 1 independent indicators: Rank/(N + 1) has a mean within 1/(N + 1) of F(x) and
    a mean square distance of at most (N + 3)/(4(N + 1)²). The first form is a Taylor expansion of φ, the second needs
    no φ''. CLV21 leaves this term inside unspecified constants.

    Parameters
    ----------
    n_pos, n_neg : int
        The numbers n of positives and m of negatives in the sample.
    phi : Phi or str
        The score-generating function φ: an object of `podium.phi` or a specification such as ``"power:3"``.

    Returns
    -------
    float
        The bound on the bias, on the scale of Ŵ_φ/n.

    Examples
    --------
    >>> from podium.bounds import rank_statistic_bias
    >>> round(rank_statistic_bias(150, 150, "auc"), 5), round(rank_statistic_bias(150, 150, "power:3"), 5)
    (0.00332, 0.01248)
    """
    n_pos, n_neg = arguments.counts(n_pos, n_neg)
    n_total = n_pos + n_neg
    phi = resolve(phi).bind(n_total)
    slope, curvature = phi.sup_norm_derivative, phi.sup_norm_second_derivative
    if not math.isfinite(slope):
        raise InputError(
            f"The bias of a rank statistic is known only for a φ with a bounded derivative; got {phi}.",
            "rank_statistic_deviation needs no derivative; "
            f"or use {phi.smooth_alternative() or 'a smooth φ such as power:3'}.",
        )
    expansion = slope / (n_total + 1) + curvature * (n_total + 3) / (8 * (n_total + 1) ** 2)
    return min(expansion, slope * math.sqrt(n_total + 3) / (2 * (n_total + 1)))


def rank_statistic_uniform_deviation(
    n_pos: int, n_neg: int, phi: Phi | str, log_shatter: float, *, confidence_level: float = 0.95
) -> float:
    r"""Deviation of Ŵ_φ/n from W_φ that no scorer of a class exceeds, but with probability δ.

    .. math:: \varepsilon = \sqrt{2 V_\phi \ln(2\, r(F, 2n, 2m))} + \sqrt{\tfrac12 V_\phi \ln(1/\delta)} + \text{bias}

    ``log_shatter`` is ln r(F, 2n, 2m), for instance ``log_rank_shatter(2 * n_pos, 2 * n_neg, dimension,
    method="central")``: Ŵ_φ depends on the scorer through the rank matrix only. In place of CLV21, Theorem 5, whose
    constants are not given and whose range of validity is empty for large N. Without ties, φ with bounded derivative.

    The supremum moves with one observation as Ŵ_φ/n does (second term). Its mean is at most that of the difference
    between two samples; swapping their members at random makes it a maximum over r sub-Gaussian variables (first term).

    Parameters
    ----------
    n_pos, n_neg : int
        The numbers n of positives and m of negatives in the sample.
    phi : Phi or str
        The score-generating function φ: an object of `podium.phi` or a specification such as ``"power:3"``.
    log_shatter : float
        The natural logarithm of r(F, 2n, 2m), the number of orders that the class can give to twice the sample.
    confidence_level : float
        The probability 1 − δ with which the bound holds, at least.

    Returns
    -------
    float
        The deviation ε on the scale of Ŵ_φ/n; divided by :func:`~podium.bounds.rank_statistic_span` it is on that
        of ω_φ.

    Examples
    --------
    >>> from podium.bounds import log_rank_shatter, rank_statistic_uniform_deviation
    >>> n = 100_000
    >>> log_shatter = log_rank_shatter(2 * n, 2 * n, 15, method="central")
    >>> round(rank_statistic_uniform_deviation(n, n, "power:3", log_shatter), 3)
    0.105
    """
    sensitivity = rank_statistic_sensitivity(n_pos, n_neg, phi)
    return uniform_deviation(sensitivity, log_shatter, confidence_level) + rank_statistic_bias(n_pos, n_neg, phi)


def fixed_deviation(sensitivity: float, confidence_level: float) -> float:
    """√(½ V_φ ln(2/δ))."""
    return math.sqrt(sensitivity * math.log(2 / arguments.failure_probability(confidence_level)) / 2)


def uniform_deviation(sensitivity: float, log_shatter: float, confidence_level: float) -> float:
    """√(2 V_φ ln(2r)) + √(½ V_φ ln(1/δ))."""
    delta = arguments.failure_probability(confidence_level)
    return mean_supremum(sensitivity, log_shatter) + math.sqrt(sensitivity * -math.log(delta) / 2)


def mean_supremum(sensitivity: float, log_shatter: float) -> float:
    """√(2 V_φ ln(2r)): at least the mean, over samples, of the largest deviation within the class."""
    return math.sqrt(2 * sensitivity * (math.log(2) + arguments.log_count("log_shatter", log_shatter)))


def _scores(n_pos: int, n_neg: int, phi: Phi | str) -> FloatArray:
    """a_1, …, a_N."""
    n_total = n_pos + n_neg
    return resolve(phi).bind(n_total).value(np.arange(1, n_total + 1) / (n_total + 1))


# What a rank statistic owes to ranks that are estimated (CV08, proof of Proposition 5).


def rank_statistic_rank_deviation(n_pos: int, n_neg: int, phi: Phi | str, *, confidence_level: float = 0.95) -> float:
    r"""How far Ŵ_φ/n is from the mean of φ(F(s(X_i))) over the same positives, but with probability δ.

    .. math:: \Bigl|\frac1n \hat W_\phi - \frac1n \sum_i \phi\bigl(F(s(X_i))\bigr)\Bigr| \le \|\phi'\|_\infty
       \Bigl(\frac1{N + 1} + \sup_t |\hat F(t) - F(t)|\Bigr)

    with F = pG + (1 − p)H, p = n/N, and the largest distance of the distribution functions by the inequality of
    Dvoretzky, Kiefer, Wolfowitz and Massart for either class:

    .. math:: \sup_t |\hat F - F| \le p \sqrt{\frac{\ln(4/\delta)}{2n}} + (1 - p) \sqrt{\frac{\ln(4/\delta)}{2m}}

    CV08 prints it with W_φ, the mean over all positives, in the place of that over those of the sample: then it is
    false, for their own fluctuation is missing; :func:`rank_statistic_deviation` with :func:`rank_statistic_bias`
    bounds that distance. Needs a φ with bounded derivative; without ties.

    Parameters
    ----------
    n_pos, n_neg : int
        The numbers n of positives and m of negatives in the sample.
    phi : Phi or str
        The score-generating function φ: an object of `podium.phi` or a specification such as ``"power:3"``.
    confidence_level : float
        The probability 1 − δ with which the bound holds, at least.

    Returns
    -------
    float
        The deviation on the scale of Ŵ_φ/n.

    Examples
    --------
    >>> from podium.bounds import rank_statistic_rank_deviation
    >>> round(rank_statistic_rank_deviation(1000, 1000, "auc"), 4)
    0.0473
    """
    n_pos, n_neg = arguments.counts(n_pos, n_neg)
    n_total = n_pos + n_neg
    phi = resolve(phi).bind(n_total)
    if not math.isfinite(phi.sup_norm_derivative):
        raise InputError(
            f"Estimated ranks cost a known amount only at a φ with a bounded derivative; got {phi}.",
            f"use {phi.smooth_alternative() or 'a smooth φ such as power:3'}.",
        )
    log_term = math.log(4 / arguments.failure_probability(confidence_level)) / 2
    distance = (math.sqrt(n_pos * log_term) + math.sqrt(n_neg * log_term)) / n_total
    return phi.sup_norm_derivative * (1 / (n_total + 1) + distance)


def rank_statistic_sample_size(
    epsilon: float, positive_rate: float, phi: Phi | str, *, confidence_level: float = 0.95
) -> int:
    """The N at which :func:`~podium.bounds.rank_statistic_deviation` has come down to ε.

    It stays there on longer lists, up to the rounding of positive_rate·N to whole positives.

    Parameters
    ----------
    epsilon : float
        The deviation ε to which the bound shall come down, on the scale of Ŵ_φ/n.
    positive_rate : float
        The share ρ of positives among all observations, in (0, 1).
    phi : Phi or str
        The score-generating function φ: an object of `podium.phi` or a specification such as ``"power:3"``.
    confidence_level : float
        The probability 1 − δ with which the bound holds, at least.

    Returns
    -------
    int
        The number N of observations, positives and negatives together.

    Examples
    --------
    >>> from podium.bounds import rank_statistic_sample_size
    >>> rank_statistic_sample_size(0.1, 0.5, "power:3")
    559
    """
    return _sample_size(
        lambda n, m, sensitivity: fixed_deviation(sensitivity, confidence_level), epsilon, positive_rate, phi
    )


def rank_statistic_uniform_sample_size(
    epsilon: float,
    positive_rate: float,
    phi: Phi | str,
    log_shatter: Callable[[int, int], float],
    *,
    confidence_level: float = 0.95,
) -> int:
    """The N at which :func:`~podium.bounds.rank_statistic_uniform_deviation` has come down to ε.

    ``log_shatter(n_pos, n_neg)`` is ln r(F, 2n, 2m).

    Parameters
    ----------
    epsilon : float
        The deviation ε to which the bound shall come down, on the scale of Ŵ_φ/n.
    positive_rate : float
        The share ρ of positives among all observations, in (0, 1).
    phi : Phi or str
        The score-generating function φ: an object of `podium.phi` or a specification such as ``"power:3"``.
    log_shatter : callable
        A function of ``(n_pos, n_neg)`` that returns the ``log_shatter`` of the deviation at these sizes.
    confidence_level : float
        The probability 1 − δ with which the bound holds, at least.

    Returns
    -------
    int
        The number N of observations, positives and negatives together.

    Examples
    --------
    >>> from podium.bounds import log_rank_shatter, rank_statistic_uniform_sample_size
    >>> pairs = lambda n, m: log_rank_shatter(2 * n, 2 * m, 2, method="central")
    >>> rank_statistic_uniform_sample_size(0.25, 0.5, "auc", pairs)
    735
    """

    def deviation(n_pos: int, n_neg: int, sensitivity: float) -> float:
        uniform = uniform_deviation(sensitivity, log_shatter(n_pos, n_neg), confidence_level)
        return uniform + rank_statistic_bias(n_pos, n_neg, phi)

    return _sample_size(deviation, epsilon, positive_rate, phi)


def _sample_size(
    deviation: Callable[[int, int, float], float], epsilon: float, positive_rate: float, phi: Phi | str
) -> int:
    """Downwards from a list long enough for certain.

    Upwards one would stop at a tiny list: there a φ that rises only near the top hardly varies, nor does Ŵ_φ.
    """
    epsilon, rate = arguments.deviation(epsilon), arguments.positive_share(positive_rate)
    rise = _rise(phi)

    def suffices(n_total: int) -> bool:
        n_pos, n_neg = classes(n_total, rate)
        return deviation(n_pos, n_neg, rank_statistic_sensitivity(n_pos, n_neg, phi)) <= epsilon

    # D_j ≤ rise for every j
    enough = sample_size(lambda n, m: deviation(n, m, rise**2 * (n + m) / n**2), epsilon, rate, largest=_LONGEST_LIST)
    least = smallest_list(rate)
    while enough // 2 >= least and suffices(enough // 2):
        enough //= 2
    return fewest(suffices, max(enough // 2, least - 1), enough)


def _rise(phi: Phi | str) -> float:
    """From the bottom to the top of the longest list; no shorter one rises more."""
    ends = np.array([1, _LONGEST_LIST]) / (_LONGEST_LIST + 1)
    bottom, top = resolve(phi).bind(_LONGEST_LIST).value(ends)
    return float(top - bottom)
