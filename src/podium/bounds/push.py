"""The P-Norm Push: how far the training risk at the top of the list can be below the truth (R09, §4 and §10)."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from podium import _input
from podium.bounds import arguments
from podium.bounds.sample_size import sample_size

PushMethod = Literal["rudin", "sharp"]


def push_log_tail(
    n_pos: int,
    n_neg: int,
    epsilon: float,
    p: float,
    *,
    log_covering: float = 0.0,
    r_min: float = 0.0,
    method: PushMethod = "rudin",
) -> float:
    r"""Bound on the logarithm of the probability that some scorer's true p-norm risk exceeds its margin risk by ε.

    .. math:: P\bigl(\exists f: R_p(f) \ge \hat R_{p,\theta}(f) + \varepsilon\bigr) \le 2 \mathcal N\,
       \bigl(e^{-2 K a} + e^{-\varepsilon^2 I / 8 + \ln K}\bigr), \quad
       a = \max\Bigl\{\tfrac{\varepsilon^2}{16} R_{\min}^{2(p-1)}, \bigl(\tfrac\varepsilon4\bigr)^{2p}\Bigr\}

    (R09, Theorem 3; Theorem 2 at ``r_min=0``, the only value known without an assumption), with I positives, K
    negatives and R_min the least risk in the class. R_p = (E₋ P₊(f(x₊) ≤ f(x₋))^p)^(1/p), and the empirical risk
    counts pairs within a margin θ of each other as wrong.
    ``log_covering`` is ln 𝒩(F, εθ/8), the covering number in the sup norm: 0 for a single scorer, the logarithm of
    their number for finitely many, :func:`log_covering_linear` for linear ones. Zero or more is vacuous.

    ``"sharp"``, not in print, drops the factor 2 and ln K. Only one side is needed; and the empirical p-norm moves by
    at most 1/I with one positive while its mean is not below the norm of the mean, so no union over the K negatives.

    Parameters
    ----------
    n_pos, n_neg : int
        The numbers I of positives and K of negatives in the sample.
    epsilon : float
        The amount ε by which the true risk exceeds the risk on the sample.
    p : float
        The power p of the P-Norm Push, at least 1.
    log_covering : float
        The natural logarithm of the covering number 𝒩 of the class, 0 for a single scorer.
    r_min : float
        The smallest p-norm risk of any scorer, in [0, 1]; 0 if unknown.
    method : {"rudin", "sharp"}
        Which bound is used: the printed one, or the tighter one described above.

    Returns
    -------
    float
        The natural logarithm of the bound on the probability.

    Examples
    --------
    >>> from podium.bounds import push_log_tail
    >>> round(push_log_tail(5000, 5000, 0.25, 1), 2), round(push_log_tail(5000, 5000, 0.25, 1, method="sharp"), 2)
    (-29.85, -38.37)
    """
    n_pos, n_neg = arguments.counts(n_pos, n_neg)
    epsilon, p = arguments.deviation(epsilon), _input.check_number("p", p, 1)
    log_covering, r_min = arguments.log_count("log_covering", log_covering), _input.check_number("r_min", r_min, 0, 1)
    negatives = -2 * n_neg * max(epsilon**2 / 16 * r_min ** (2 * (p - 1)), _power(epsilon / 4, 2 * p))
    positives = -(epsilon**2) / 8 * n_pos
    if _input.check_choice("method", method, ("rudin", "sharp")) == "rudin":
        positives += math.log(n_neg)
        log_covering += math.log(2)
    return log_covering + float(np.logaddexp(negatives, positives))


def push_sample_size(
    epsilon: float,
    positive_rate: float,
    p: float,
    *,
    confidence_level: float = 0.95,
    log_covering: float = 0.0,
    r_min: float = 0.0,
    method: PushMethod = "rudin",
) -> int:
    """The smallest N at which :func:`push_log_tail` is at most ln δ.

    The push is paid for: each unit of p costs a factor (4/ε)² unless ``r_min`` is known.

    Parameters
    ----------
    epsilon : float
        The amount ε by which the true risk may exceed the risk on the sample.
    positive_rate : float
        The share ρ of positives among all observations, in (0, 1).
    p : float
        The power p of the P-Norm Push, at least 1.
    confidence_level : float
        The probability 1 − δ with which the bound holds, at least.
    log_covering : float
        The natural logarithm of the covering number 𝒩 of the class, 0 for a single scorer.
    r_min : float
        The smallest p-norm risk of any scorer, in [0, 1]; 0 if unknown.
    method : {"rudin", "sharp"}
        Which bound is used: the printed one, or the tighter one described above.

    Returns
    -------
    int
        The number N of observations, positives and negatives together.

    Examples
    --------
    >>> from podium.bounds import push_sample_size
    >>> [push_sample_size(0.25, 0.5, p, method="sharp") for p in (1, 2)]
    [945, 196329]
    """
    delta = arguments.failure_probability(confidence_level)

    def tail(n_pos: int, n_neg: int) -> float:
        log_tail = push_log_tail(n_pos, n_neg, epsilon, p, log_covering=log_covering, r_min=r_min, method=method)
        return math.exp(min(log_tail, 0.0))

    return sample_size(tail, delta, positive_rate)


def log_covering_linear(radius: float, dimension: int, weight_norm: float, feature_norm: float) -> float:
    r"""Logarithm of a bound on the covering number of linear scorers with ‖w‖ ≤ B on features with ‖x‖ ≤ R.

    .. math:: \ln \mathcal N(r) \le d \ln(1 + 2BR/r)

    In the sup norm, by comparing volumes. For :func:`push_log_tail` the radius is εθ/8.

    Parameters
    ----------
    radius : float
        The radius r of the balls that cover the class.
    dimension : int
        The number d of features.
    weight_norm : float
        The largest norm B that the weights of a scorer may have.
    feature_norm : float
        The largest norm R that the features of a row may have.

    Returns
    -------
    float
        The natural logarithm of the bound on the covering number.

    Examples
    --------
    >>> from podium.bounds import log_covering_linear
    >>> round(log_covering_linear(0.25 * 0.1 / 8, 10, 1.0, 1.0), 2)
    64.63
    """
    radius = _input.check_number("radius", radius, 0, open_low=True)
    dimension = _input.check_integer("dimension", dimension, 1)
    weight_norm = _input.check_number("weight_norm", weight_norm, 0)
    feature_norm = _input.check_number("feature_norm", feature_norm, 0)
    return dimension * math.log1p(2 * weight_norm * feature_norm / radius)


def _power(base: float, exponent: float) -> float:
    """A power that may be infinite."""
    try:
        return base**exponent
    except OverflowError:
        return math.inf
