"""The ranges that certificates state: for a scorer that never saw the rows, and for one chosen on them from a class."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from podium._types import Sample
from podium.bounds import (
    auc_uniform_deviation,
    auc_uniform_sample_size,
    kl_interval,
    log_rank_shatter,
    log_sign_patterns,
    rank_statistic_bias,
    rank_statistic_deviation,
    rank_statistic_sample_size,
    rank_statistic_sensitivity,
    rank_statistic_span,
    rank_statistic_uniform_sample_size,
)
from podium.bounds.rank_statistic.deviation import uniform_deviation
from podium.exceptions import InputError
from podium.metrics.linear import statistic
from podium.phi import Mww, Phi
from podium.ranks.pooled import share_won

_HALF = 0.5  # of the scale: with such a deviation a bound begins to say something


class Range(NamedTuple):
    """ω̂ and its limits, by which theorem, and what they are limits for where that is not the population value."""

    estimate: float
    low: float
    high: float
    method: str
    theorem: str
    of_what: str = ""
    needed: int | None = None  # rows for a deviation of half the scale, where nothing follows

    @property
    def vacuous(self) -> bool:
        """Every value is allowed."""
        return (self.low, self.high) == (0.0, 1.0)


class Seen(NamedTuple):
    """What limits are taken from: how many rows there are of each class, ω̂, Ŵ_φ/n, and whether scores tie."""

    n_pos: int
    n_neg: int
    omega: float
    mean: float
    tied: bool

    @classmethod
    def of(cls, sample: Sample, phi: Phi) -> Seen:
        n_total, n_pos = len(sample.scores), int(sample.is_positive.sum())
        if isinstance(phi, Mww):
            area = share_won(sample)
            return cls(n_pos, n_total - n_pos, area, area, False)
        bound = phi.bind(n_total)
        omega, mean = statistic(sample, bound), statistic(sample, bound, scale="mean")
        return cls(n_pos, n_total - n_pos, omega, mean, len(np.unique(sample.scores)) < n_total)


def for_fixed_scorer(seen: Seen, phi: Phi, confidence_level: float) -> Range:
    """Limits for a scorer that no row had a part in making or choosing."""
    n_pos, n_neg, area, *_ = seen
    if isinstance(phi, Mww):
        theorem = "Chernoff's inequality over min(n, m) disjoint pairs (podium.bounds.kl_interval)."
        return Range(area, *kl_interval(area, n_pos, n_neg, confidence_level=confidence_level), "kl", theorem)
    theorem = "McDiarmid's inequality (podium.bounds.rank_statistic_deviation)."
    reach = rank_statistic_deviation(n_pos, n_neg, phi, confidence_level=confidence_level)
    limits = _around(seen, phi, reach, "mcdiarmid", theorem)
    half, share = _HALF * rank_statistic_span(n_pos, n_neg, phi), n_pos / (n_pos + n_neg)
    return _with_needed(limits, lambda: rank_statistic_sample_size(half, share, phi, confidence_level=confidence_level))


def for_chosen_scorer(seen: Seen, phi: Phi, confidence_level: float, dimension: int) -> Range:
    """Limits for a scorer chosen on these rows, in whatever way, among the linear ones of so many features."""
    n_pos, n_neg, area, *_ = seen
    share = n_pos / (n_pos + n_neg)
    if isinstance(phi, Mww):

        def patterns(n: int, m: int) -> float:
            return log_sign_patterns(dimension, min(n, m))

        reach = auc_uniform_deviation(
            n_pos, n_neg, patterns(n_pos, n_neg), confidence_level=confidence_level, method="sharp"
        )
        theorem = "Uniform over all linear scorers (podium.bounds.auc_uniform_deviation, method 'sharp')."
        limits = Range(area, max(0.0, area - reach), min(1.0, area + reach), "uniform", theorem)
        return _with_needed(
            limits,
            lambda: auc_uniform_sample_size(_HALF, share, patterns, confidence_level=confidence_level, method="sharp"),
        )

    def orders(n: int, m: int) -> float:
        return log_rank_shatter(2 * n, 2 * m, dimension, method="central")

    sensitivity = rank_statistic_sensitivity(n_pos, n_neg, phi)
    theorem = "Uniform over all linear scorers (podium.bounds.rank_statistic_uniform_deviation)."
    limits = _around(
        seen, phi, uniform_deviation(sensitivity, orders(n_pos, n_neg), confidence_level), "uniform", theorem
    )
    half = _HALF * rank_statistic_span(n_pos, n_neg, phi)
    return _with_needed(
        limits, lambda: rank_statistic_uniform_sample_size(half, share, phi, orders, confidence_level=confidence_level)
    )


def _around(seen: Seen, phi: Phi, deviation: float, method: str, theorem: str) -> Range:
    """From Ŵ_φ/n ± deviation from its mean to limits for ω, with the bias where it is known."""
    n_pos, n_neg, omega, mean, tied = seen
    n_total = n_pos + n_neg
    phi = phi.bind(n_total)
    if tied or not np.isfinite(phi.sup_norm_derivative):
        reach = deviation / rank_statistic_span(n_pos, n_neg, phi)
        of_what = ", on average over lists of this composition,"
        return Range(omega, max(0.0, omega - reach), min(1.0, omega + reach), method, theorem, of_what)
    reach = deviation + rank_statistic_bias(n_pos, n_neg, phi)
    share = n_pos / n_total
    area = phi.integral(np.array([0.0, share, 1 - share, 1.0]))
    worst, best = (area[1] - area[0]) / share, (area[3] - area[2]) / share
    low, high = np.clip((mean + np.array([-reach, reach]) - worst) / (best - worst), 0, 1)
    return Range(omega, float(low), float(high), method, theorem, f" at {100 * share:.3g} % positives")


def _with_needed(limits: Range, search: Callable[[], int]) -> Range:
    if not limits.vacuous:
        return limits
    try:
        return limits._replace(needed=search())
    except InputError:  # more rows than the search goes up to
        return limits
