"""The quantile of the normal distribution behind every two-sided interval."""

from __future__ import annotations

from scipy.special import ndtri


def normal_quantile(confidence_level: float) -> float:
    """The z with P(|Z| ≤ z) = ``confidence_level`` for a standard normal Z.

    >>> round(normal_quantile(0.95), 6)
    1.959964
    """
    return -float(ndtri((1 - confidence_level) / 2))  # from the lower tail: near 1 the upper one would round to 1
