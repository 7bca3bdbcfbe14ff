"""A bound: Bernstein's inequality for the AUC."""

import math

from podium.bounds import arguments


def auc_bernstein_deviation(auc: float, n_pos: int, n_neg: int, *, confidence_level: float = 0.95) -> float:
    r"""Deviation of the AUC of a fixed scorer, exceeded with probability at most δ = 1 − ``confidence_level``.

    .. math:: \varepsilon = \sqrt{\frac{2 A (1 - A) \ln(2/\delta)}{k}} + \frac{2 \ln(2/\delta)}{3 k},
       \qquad k = \min(n, m)

    The AUC is a mean of means over k disjoint, so independent, pairs (Hoeffding 1963, §5), each with variance at most
    A(1 − A), A the true AUC: better than Hoeffding's inequality where A is near 1. Ties count one half.

    Parameters
    ----------
    auc : float
        The true AUC, A.
    n_pos, n_neg : int
        The numbers of positives and of negatives.
    confidence_level : float
        The probability with which the deviation is not exceeded.
    """
    auc, (n_pos, n_neg) = arguments.accuracy(auc), arguments.counts(n_pos, n_neg)
    log_term = math.log(2 / arguments.failure_probability(confidence_level))
    k = min(n_pos, n_neg)
    return math.sqrt(2 * auc * (1 - auc) * log_term / k) + 2 * log_term / (3 * k)
