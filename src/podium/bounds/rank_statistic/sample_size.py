"""How long a list must be for the bounds on Ŵ_φ/n to come down to ε."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from podium.bounds import arguments
from podium.bounds.rank_statistic.deviation import (
    fixed_deviation,
    rank_statistic_bias,
    rank_statistic_sensitivity,
    uniform_deviation,
)
from podium.bounds.sample_size import bisect, classes, sample_size, smallest_list
from podium.phi import Phi, resolve

_LONGEST_LIST = 5 * 10**7  # a bound on W_φ looks at every rank


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
    return bisect(suffices, max(enough // 2, least - 1), enough)


def _rise(phi: Phi | str) -> float:
    """From the bottom to the top of the longest list; no shorter one rises more."""
    ends = np.array([1, _LONGEST_LIST]) / (_LONGEST_LIST + 1)
    bottom, top = resolve(phi).bind(_LONGEST_LIST).value(ends)
    return float(top - bottom)
