"""What an error rate says about the AUC: its mean and deviation over all lists with so many errors."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from podium import _input
from podium._results.result import Result
from podium.bounds import arguments


@dataclass(frozen=True, kw_only=True, repr=False)
class AucGivenErrors(Result):
    """The AUC of lists with a given number of errors.

    Attributes
    ----------
    mean, standard_deviation : float
        Over all such lists, each as likely as any other.
    low, high : float
        Limits that hold for the stated share of them, at least.
    confidence_level : float
        The share of the lists for which the limits hold.
    error_rate : float
        The share of rows that are on the wrong side of the threshold.
    """

    mean: float
    standard_deviation: float
    low: float
    high: float
    confidence_level: float
    error_rate: float

    def __repr__(self) -> str:
        return (
            f"AUC {self.mean:.4f} [{self.low:.4f}, {self.high:.4f}] at {100 * self.error_rate:.3g} % errors "
            f"({100 * self.confidence_level:g} %)"
        )


def auc_given_errors(n_pos: int, n_neg: int, n_errors: int, *, confidence_level: float = 0.95) -> AucGivenErrors:
    r"""Mean and deviation of the AUC at a fixed error rate, and its interval (Cortes and Mohri, 2004 and 2005).

    Over all orders of n positives and m negatives and all thresholds with exactly k rows on the wrong side, each as
    likely as any other. With x of the errors positives, the n − x positives and k − x negatives above the threshold
    stand in any order, and so do the rest below, so that

    .. math:: P(x) \propto \binom{n + k - 2x}{k - x} \binom{m - k + 2x}{x},

    .. math:: nm\,E[A \mid x] = (n - x)(m - k + x) + \tfrac12 (n - x)(k - x) + \tfrac12 x (m - k + x),

    and the variance given x is that of two rank sums. The interval is Chebyshev's, mean ± σ/√δ with δ = 1 −
    ``confidence_level``, within what k errors allow. Scores do not tie. For k ≤ min(n, m) the mean is Cortes and
    Mohri's closed form. A05's Table 1 shows why such an interval is needed: lists with the same error rate can have
    different AUCs.

    Parameters
    ----------
    n_pos, n_neg : int
        The numbers n of positives and m of negatives.
    n_errors : int
        The number k of rows on the wrong side of the threshold.
    confidence_level : float
        The share of all such lists whose AUC lies within the limits, at least.

    Returns
    -------
    AucGivenErrors
        Mean, standard deviation and limits.

    References
    ----------
    Cortes, C. and Mohri, M. (2004). AUC optimization vs. error rate minimization. *Advances in Neural Information
    Processing Systems* 16.

    Cortes, C. and Mohri, M. (2005). Confidence intervals for the area under the ROC curve. *Advances in Neural
    Information Processing Systems* 17.

    Examples
    --------
    >>> from podium.bounds import auc_given_errors
    >>> auc_given_errors(50, 50, 10)
    AUC 0.9000 [0.8201, 0.9799] at 10 % errors (95 %)
    """
    n, m = arguments.counts(n_pos, n_neg)
    k = _input.check_integer("n_errors", n_errors, 0, n + m)
    delta = arguments.failure_probability(confidence_level)
    x = np.arange(max(0, k - m), min(n, k) + 1, dtype=np.float64)  # positives among the errors
    log_weight = _log_binomial(n + k - 2 * x, k - x) + _log_binomial(m - k + 2 * x, x)
    weight = np.exp(log_weight - log_weight.max())
    weight /= weight.sum()
    won = (n - x) * (m - k + x)  # pairs in the right order whatever the orders on either side
    above, below = (n - x) * (k - x), x * (m - k + x)  # pairs on one side: half are won in the mean
    mean_given = (won + (above + below) / 2) / (n * m)
    variance_given = (above * (n + k - 2 * x + 1) + below * (m - k + 2 * x + 1)) / (12 * (n * m) ** 2)
    mean = float(weight @ mean_given)
    deviation = math.sqrt(float(weight @ (variance_given + (mean_given - mean) ** 2)))
    reach = deviation / math.sqrt(delta)
    return AucGivenErrors(
        mean=mean,
        standard_deviation=deviation,
        low=max(mean - reach, float(won.min()) / (n * m)),
        high=min(mean + reach, float((won + above + below).max()) / (n * m)),
        confidence_level=confidence_level,
        error_rate=k / (n + m),
    )


def _log_binomial(n: np.ndarray, k: np.ndarray) -> np.ndarray:
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))
