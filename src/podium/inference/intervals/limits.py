"""From an estimate and its variance to confidence limits in [0, 1]."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit, ndtr, stdtr, stdtrit

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
    reach = _reach(error, confidence_level)
    return Limits(max(estimate - reach, 0.0), min(estimate + reach, 1.0), error)


def on_logit_scale(estimate: float, variance: float, confidence_level: float) -> Limits:
    """expit(logit ω̂ ± z·SE/(ω̂(1 − ω̂))): stays inside (0, 1) and leans towards ½, as the sampling error does."""
    error = float(np.sqrt(variance))
    reach = _reach(error, confidence_level) / (estimate * (1 - estimate))
    return Limits(float(expit(logit(estimate) - reach)), float(expit(logit(estimate) + reach)), error)


def on_arcsine_scale(estimate: float, variance: float, confidence_level: float) -> Limits:
    """sin²(arcsin √ω̂ ± z·SE/(2√(ω̂(1 − ω̂)))): leans towards ½ less than the logit does."""
    error, angle = float(np.sqrt(variance)), float(np.arcsin(np.sqrt(estimate)))
    reach = _reach(error, confidence_level) / (2 * np.sqrt(estimate * (1 - estimate)))
    low, high = np.sin(max(angle - reach, 0.0)) ** 2, np.sin(min(angle + reach, np.pi / 2)) ** 2
    return Limits(float(low), float(high), error)


def _reach(error: float, confidence_level: float) -> float:
    """z·SE; nothing where the error is, also at a level that rounds to 1, whose z is infinite."""
    return normal_quantile(confidence_level) * error if error else 0.0


def student_quantile(confidence_level: float, degrees_of_freedom: float) -> float:
    """The t with P(|T| ≤ t) = ``confidence_level``; the normal quantile for infinitely many degrees of freedom."""
    if np.isinf(degrees_of_freedom):
        return normal_quantile(confidence_level)
    return -float(stdtrit(degrees_of_freedom, (1 - confidence_level) / 2))


def student_level(confidence_level: float, degrees_of_freedom: float) -> float:
    """The level at which normal limits reach as far as Student's do at ``confidence_level``."""
    return normal_level(student_quantile(confidence_level, degrees_of_freedom))


def normal_level(quantile: float) -> float:
    """The level at which normal limits reach this many standard errors to either side."""
    return float(1 - 2 * ndtr(-quantile))


def limits_and_pvalue(
    estimate: float, error: float, alternative: str, confidence_level: float, degrees_of_freedom: float = np.inf
) -> tuple[float, float, float]:
    """Student's limits of an estimate on the side of the alternative, and the p-value of zero."""
    t = estimate / error

    def tail(x: float) -> float:
        return float(ndtr(x) if np.isinf(degrees_of_freedom) else stdtr(degrees_of_freedom, x))

    if alternative == "two-sided":
        reach = student_quantile(confidence_level, degrees_of_freedom) * error
        return estimate - reach, estimate + reach, 2 * tail(-abs(t))
    reach = student_quantile(2 * confidence_level - 1, degrees_of_freedom) * error
    if alternative == "greater":
        return estimate - reach, np.inf, tail(-t)
    return -np.inf, estimate + reach, tail(t)
