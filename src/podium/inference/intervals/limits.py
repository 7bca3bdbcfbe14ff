"""From an estimate and its variance to confidence limits in [0, 1]."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri

from podium._normal import normal_quantile

ALTERNATIVES = ("two-sided", "greater", "less")


class Limits(NamedTuple):
    """Confidence limits of ω, and the standard error behind them, if any."""

    low: float
    high: float
    standard_error: float | None


def wald(estimate: float, variance: float, confidence_level: float) -> Limits:
    """Estimate ± z·SE, cut to [0, 1]."""
    error = float(np.sqrt(variance))
    reach = normal_quantile(confidence_level) * error
    return Limits(max(estimate - reach, 0.0), min(estimate + reach, 1.0), error)


def on_logit_scale(estimate: float, variance: float, confidence_level: float) -> Limits:
    """expit(logit ω̂ ± z·SE/(ω̂(1 − ω̂))): stays inside (0, 1) and leans towards ½, as the sampling error does."""
    error = float(np.sqrt(variance))
    slope = estimate * (1 - estimate)
    reach = normal_quantile(confidence_level) * error / slope
    return Limits(float(expit(logit(estimate) - reach)), float(expit(logit(estimate) + reach)), error)


def limits_and_pvalue(
    estimate: float, error: float, alternative: str, confidence_level: float
) -> tuple[float, float, float]:
    """Normal limits of an estimate on the side of the alternative, and the p-value of zero."""
    z = estimate / error
    if alternative == "two-sided":
        reach = normal_quantile(confidence_level) * error
        return estimate - reach, estimate + reach, float(2 * ndtr(-abs(z)))
    reach = float(ndtri(confidence_level)) * error
    if alternative == "greater":
        return estimate - reach, np.inf, float(ndtr(-z))
    return -np.inf, estimate + reach, float(ndtr(z))
