"""Penalties for choosing among classes of scorers, S_1, S_2, …, by Ŵ_φ/n minus the penalty (CLV21, §4.1)."""

from __future__ import annotations

import math

from podium import _input
from podium.bounds import arguments
from podium.bounds.area_uniform import mean_supremum_of_pairs
from podium.bounds.rank_statistic import mean_supremum, rank_statistic_sensitivity
from podium.exceptions import InputError
from podium.phi import Phi, resolve

_ORDER_HINT = "classes are numbered 1, 2, …, in an order fixed before the data were seen."


def rank_statistic_penalty(n_pos: int, n_neg: int, phi: Phi | str, log_shatter: float, k: int) -> float:
    r"""Penalty of the k-th class, with explicit constants.

    .. math:: \mathrm{pen}(k) = \sqrt{2 V_\phi \ln(2\, r(S_k, 2n, 2m))} + \sqrt{V_\phi \ln k}

    In place of CLV21, Eq. 4.4, whose constant B₁ is not given. The first term bounds the mean of the supremum over the
    class (see :func:`~podium.bounds.rank_statistic_uniform_deviation`); with the second, the probability that class k
    exceeds its penalty by t is at most k⁻²·exp(−2t²/V_φ), which sums over k to at most 2·exp(−2t²/V_φ).

    Parameters
    ----------
    n_pos, n_neg : int
        The numbers n of positives and m of negatives in the sample.
    phi : Phi or str
        The score-generating function φ: an object of `podium.phi` or a specification such as ``"power:3"``.
    log_shatter : float
        The natural logarithm of r(S_k, 2n, 2m), the number of orders that the class can give to twice the sample.
    k : int
        The number of the class, 1 for the first; the order of the classes was fixed before the data were seen.

    Returns
    -------
    float
        The penalty on the scale of Ŵ_φ/n.

    Examples
    --------
    >>> from podium.bounds import rank_statistic_penalty
    >>> round(rank_statistic_penalty(150, 150, "auc", log_shatter=5.0, k=1), 4)
    0.1942
    >>> round(rank_statistic_penalty(150, 150, "auc", log_shatter=5.0, k=2), 4)
    0.2421
    """
    k = _input.check_integer("k", k, 1, hint=_ORDER_HINT)
    sensitivity = rank_statistic_sensitivity(n_pos, n_neg, phi)
    return mean_supremum(sensitivity, log_shatter) + math.sqrt(sensitivity * math.log(k))


def auc_penalty(n_pos: int, n_neg: int, log_shatter: float, k: int) -> float:
    r"""Penalty of the k-th class on the scale of the AUC, from disjoint pairs; V = 1/n + 1/m.

    .. math:: \mathrm{pen}(k) = \sqrt{\frac{2 \ln(2 s_{\min(n, m)}(S_k))}{\min(n, m)}} + \sqrt{V \ln k}

    For φ(u) = u in place of :func:`rank_statistic_penalty`, which it undercuts: the first term is that of
    ``auc_uniform_deviation(method="sharp")``. ``log_shatter`` is ln s, the number of ways in which the class can order
    min(n, m) disjoint pairs, for linear scorers ``log_sign_patterns(dimension, min(n_pos, n_neg))``. Class k exceeds
    its penalty by t with probability at most k⁻²·exp(−2t²/V).

    Parameters
    ----------
    n_pos, n_neg : int
        The numbers n of positives and m of negatives in the sample.
    log_shatter : float
        The natural logarithm of s, the number of ways in which the class can order min(n, m) disjoint pairs.
    k : int
        The number of the class, 1 for the first; the order of the classes was fixed before the data were seen.

    Returns
    -------
    float
        The penalty on the scale of the AUC.

    Examples
    --------
    >>> from podium.bounds import auc_penalty, log_sign_patterns
    >>> round(auc_penalty(15_000, 15_000, log_sign_patterns(15, 15_000), k=1), 4)
    0.1268
    """
    k = _input.check_integer("k", k, 1, hint=_ORDER_HINT)
    n_pos, n_neg = arguments.counts(n_pos, n_neg)
    return mean_supremum_of_pairs(n_pos, n_neg, log_shatter) + math.sqrt((1 / n_pos + 1 / n_neg) * math.log(k))


def paper_penalty(n_total: int, k: int, vc_dimension: int, positive_rate: float, phi: Phi | str, b1: float) -> float:
    r"""Penalty of the k-th class as printed (CLV21, Equation 4.4).

    .. math:: \mathrm{pen}(N, k) = B_1 \sqrt{\frac{\mathcal V_k}{p N}} + \sqrt{\frac{2 C \ln k}{p^2 N}}, \qquad
       C = 6 (\|\phi\|^2 + 9 \|\phi'\|^2 + 9 \|\phi''\|^2)

    𝒱_k is the VC dimension of the class, p the share of positives. The paper gives no value for B₁ (``b1``), so the
    result guarantees nothing; :func:`rank_statistic_penalty` does.

    Parameters
    ----------
    n_total : int
        The number N of observations.
    k : int
        The number of the class, 1 for the first; the order of the classes was fixed before the data were seen.
    vc_dimension : int
        The VC dimension of the class.
    positive_rate : float
        The share p of positives among all observations, in (0, 1).
    phi : Phi or str
        The score-generating function φ: an object of `podium.phi` or a specification such as ``"power:3"``.
    b1 : float
        The constant B₁, for which the paper gives no value.

    Returns
    -------
    float
        The penalty on the scale of Ŵ_φ/n.

    Examples
    --------
    >>> from podium.bounds import paper_penalty
    >>> round(paper_penalty(300, 1, 15, 0.5, "auc", b1=1.0), 4), round(paper_penalty(300, 2, 15, 0.5, "auc", b1=1.0), 4)
    (0.3162, 1.3693)
    """
    n_total = _input.check_integer("n_total", n_total, 2, hint="at least one positive and one negative.")
    k = _input.check_integer("k", k, 1, hint=_ORDER_HINT)
    vc_dimension = _input.check_integer("vc_dimension", vc_dimension, 1)
    rate, b1 = arguments.positive_share(positive_rate), _input.check_number("b1", b1, 0)
    constant = _printed_constant(resolve(phi).bind(n_total))
    return b1 * math.sqrt(vc_dimension / (rate * n_total)) + math.sqrt(2 * constant * math.log(k) / n_total) / rate


def paper_supremum_tail(epsilon: float, n_total: int, positive_rate: float, phi: Phi | str) -> float:
    r"""How likely the largest deviation over a class exceeds its mean by ε, as printed (CLV21, Lemma 23).

    .. math:: P\Bigl(\sup_s |\widehat W_\phi(s)/n - W_\phi(s)| \ge E[\sup_s \dots] + \varepsilon\Bigr)
       \le \exp\bigl(-p^2 N \varepsilon^2 / C\bigr), \qquad C = 6 (\|\phi\|^2 + 9 \|\phi'\|^2 + 9 \|\phi''\|^2)

    It holds, but says little: for φ(u) = u³ and 150 of each class it is 5 % at ε = 9.9, and Ŵ/n is in [0, 1]. Bounded
    differences give 2·exp(−2ε²/V_φ) without a class and its supremum (:func:`rank_statistic_sensitivity` is V_φ).

    Parameters
    ----------
    epsilon : float
        By how much the supremum exceeds its mean.
    n_total : int
        The number N of observations.
    positive_rate : float
        The share p of positives among all observations, in (0, 1).
    phi : Phi or str
        The score-generating function φ: an object of `podium.phi` or a specification such as ``"power:3"``.

    Returns
    -------
    float
        The bound on the probability.

    Examples
    --------
    >>> from podium.bounds import paper_supremum_tail
    >>> round(paper_supremum_tail(9.9, 300, 0.5, "power:3"), 3), round(paper_supremum_tail(1.0, 300, 0.5, "power:3"), 3)
    (0.049, 0.97)
    """
    n_total = _input.check_integer("n_total", n_total, 2, hint="at least one positive and one negative.")
    rate, epsilon = arguments.positive_share(positive_rate), arguments.deviation(epsilon)
    return math.exp(-(rate**2) * n_total * epsilon**2 / _printed_constant(resolve(phi).bind(n_total)))


def _printed_constant(phi: Phi) -> float:
    """C = 6(‖φ‖² + 9‖φ′‖² + 9‖φ″‖²)."""
    norms = (phi.sup_norm, phi.sup_norm_derivative, phi.sup_norm_second_derivative)
    if not all(map(math.isfinite, norms)):
        raise InputError(
            f"The printed constant needs a bounded φ with bounded φ' and φ''; got {phi}, whose bounds are "
            f"{', '.join(f'{norm:g}' for norm in norms)}.",
            "rank_statistic_penalty asks for nothing but a nondecreasing φ.",
        )
    return 6 * (norms[0] ** 2 + 9 * norms[1] ** 2 + 9 * norms[2] ** 2)
