"""Limits of a share, and the quantile behind every two-sided interval."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import betaincinv, ndtri

from podium._types import FloatArray


def normal_quantile(confidence_level: float) -> float:
    """The z with P(|Z| ≤ z) = ``confidence_level`` for a standard normal Z.

    >>> round(normal_quantile(0.95), 6)
    1.959964
    """
    return -float(ndtri((1 - confidence_level) / 2))  # from the lower tail: near 1 the upper one would round to 1


def counted(weight: FloatArray | None, n_rows: int) -> FloatArray:
    """Weights that sum to the number of rows of equal weight that they are worth, (Σw)²/Σw² (Kish)."""
    return np.ones(n_rows) if weight is None else weight * (weight.sum() / (weight @ weight))


def wilson(hits: Any, rows: Any, z: float) -> tuple[Any, Any]:
    """Wilson's limits of shares: those from which the share seen is no more than z standard errors away."""
    middle = (hits + z**2 / 2) / (rows + z**2)
    spread = z / (rows + z**2) * np.sqrt(hits * (rows - hits) / rows + z**2 / 4)
    return middle - spread, middle + spread


def least_share(hits: Any, rows: Any, tail: Any) -> Any:
    """Clopper and Pearson's lower limit, above the truth with probability ``tail`` at most; 0 without hits.

    The upper limit is one less the least share of the misses. It is also how low the smallest but ``hits`` − 1 of
    ``rows`` uniforms may lie.
    """
    return np.where(hits > 0, betaincinv(np.where(hits > 0, hits, 1.0), rows - hits + 1, tail), 0.0)


def order_statistic_limits(n: int, tail: float) -> tuple[FloatArray, FloatArray]:
    r"""Limits a_i and b_i of the i-th smallest of n uniforms, each broken with probability ``tail``; i = 0, …, n + 1.

    .. math:: a_i = \mathrm{BetaInv}(\mathrm{tail};\, i,\, n - i + 1), \qquad b_i = 1 - a_{n+1-i}

    with a_0 = 0 and b_{n+1} = 1. They are also the Clopper–Pearson limits: a_k and b_{k+1} enclose the probability of
    which k successes in n were seen.
    """
    low = np.append(least_share(np.arange(n + 1), n, tail), 1.0)
    return low, 1 - low[::-1]
