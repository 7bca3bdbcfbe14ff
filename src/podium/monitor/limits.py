"""Limits by betting for means of observations in [0, 1]: of a sample, and time-uniform for a stream."""

from __future__ import annotations

import numpy as np
import scipy
from scipy.special import logsumexp

from podium._types import FloatArray


def farthest(squares: float, error: float) -> float:
    """Time-uniform bound on the deviation of the sum from its expectation."""
    k = np.arange(1, 17)
    rates = 0.5**k  # a rate for every size of V, up to some 10⁹
    costs = -(np.log1p(-rates) + rates) * squares
    log_shares = -np.log(k * (k + 1) * (1 - 1 / 17))  # more on large rates: most streams are short

    def log_wealth(distance: float) -> float:
        return float(logsumexp(log_shares + rates * distance - costs))

    # One player alone, who must win for all, bounds the distance.
    most = float(((costs - log_shares - np.log(error)) / rates).min())
    return float(
        scipy.optimize.brentq(lambda distance: log_wealth(distance) + np.log(error), 0.0, most + 1.0, xtol=1e-6)
    )


def weighted_limits(values: FloatArray, weights: FloatArray, error: float) -> tuple[float | None, float, float]:
    """The weighted mean of values in [0, 1], and time-uniform limits for what it estimates, in any order of the values.

    Weights are at most 1. A limit μ is where the sum of w(x − μ) is as far from 0 as it ever is, V being the sum of
    w²(x − μ)².
    """
    if len(values) == 0:
        return None, 0.0, 1.0
    x, w = (each[np.lexsort((weights, values))] for each in (values, weights))
    mean = float(w @ x / w.sum())

    def beyond(limit: float) -> float:
        return float(abs(w @ (x - limit))) - farthest(float(w**2 @ (x - limit) ** 2), error)

    low, high = (
        end if beyond(end) <= 0 else float(scipy.optimize.brentq(beyond, end, mean, xtol=1e-9)) for end in (0.0, 1.0)
    )
    return mean, low, high


def lower_limit(values: FloatArray, error: float) -> float:
    r"""A lower limit for the mean of values in [0, 1], too high with probability ``error`` at most, by betting.

    The wealth Π(1 + min(λ_i, 0.9/m)(x_i − m)) falls as m grows; the limit is where it reaches 1/error. λ_i is made for
    the variance of the values before, which are taken in an order drawn once and for all.
    """
    x = np.random.default_rng(0).permutation(values)
    n = len(x)
    before = np.arange(1, n + 1)
    means = (0.5 + np.concatenate([[0.0], np.cumsum(x)[:-1]])) / before
    spread = np.concatenate([[0.0], np.cumsum((x[:-1] - means[:-1]) ** 2)])
    rates = np.sqrt(2 * np.log(1 / error) / (n * (0.25 + spread) / before))

    def excess(m: float) -> float:
        return float(np.log1p(np.minimum(rates, 0.9 / m) * (x - m)).sum() - np.log(1 / error))

    tiny = 1e-6
    return 0.0 if excess(tiny) < 0 else float(scipy.optimize.brentq(excess, tiny, 1.0, xtol=1e-9))
