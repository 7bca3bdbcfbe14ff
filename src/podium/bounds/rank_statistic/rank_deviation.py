"""What a rank statistic owes to ranks that are estimated (CV08, proof of Proposition 5)."""

from __future__ import annotations

import math

from podium.bounds import arguments
from podium.exceptions import InputError
from podium.phi import Phi, resolve


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
