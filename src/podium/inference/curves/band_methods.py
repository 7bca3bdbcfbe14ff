"""The limits behind each method of :func:`podium.inference.roc_band`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.stats import ksone, kstwo

from podium._fast.draws import curves
from podium._types import FloatArray
from podium.inference.curves.staircases import Corners, PositivesAbove, operating_points, rectangles, staircases
from podium.roc.local_levels import local_level, order_statistic_limits


class BandRequest(NamedTuple):
    """What was asked for; the last two only matter to methods that draw samples."""

    level: float
    two_sided: bool
    n_draws: int
    rng: np.random.Generator


@dataclass(frozen=True)
class BandMethod:
    """How to make a band, and what may be said of it."""

    corners: Callable[[PositivesAbove, BandRequest], Corners]
    simultaneous: bool = True
    guaranteed: bool = True
    note: str = ""


def equal_level_band(positives: PositivesAbove, alpha: float, two_sided: bool) -> Corners:
    """The band whose limits of order statistics are all missed with probability α (one-sided: the limits below)."""
    tail = alpha / 2 if two_sided else alpha
    return operating_points(
        positives, order_statistic_limits(positives.n_pos, tail), order_statistic_limits(positives.n_neg, tail)
    )


def pointwise(positives: PositivesAbove, request: BandRequest) -> Corners:
    """Half of the error for the threshold, half for the share of positives above it.

    A straight segment would rest on both of its ends, so tied rows are taken in the order that is worst.
    """
    error = (1 - request.level) / 2
    tail = error / 2 if request.two_sided else error
    return rectangles(
        positives, order_statistic_limits(positives.n_pos, tail), order_statistic_limits(positives.n_neg, tail)
    )


def equal_local_levels(positives: PositivesAbove, request: BandRequest) -> Corners:
    """One level for all order statistics, such that all are inside at once as often as wanted."""
    alpha = local_level(positives.n_pos, positives.n_neg, request.level, request.two_sided)
    return equal_level_band(positives, alpha, request.two_sided)


def calibrated(positives: PositivesAbove, request: BandRequest) -> Corners:
    """The largest local level at which bands of samples from the smoothed curve hold it as often as wanted."""
    n_pos, n_neg = positives.n_pos, positives.n_neg
    surely = local_level(n_pos, n_neg, request.level, request.two_sided)
    levels = np.geomspace(surely, max(0.2, 1 - request.level), 60)
    tails = levels / 2 if request.two_sided else levels
    pos = [order_statistic_limits(n_pos, tail) for tail in tails]
    neg = [order_statistic_limits(n_neg, tail) for tail in tails]
    curve = positives.smoothed_curve()
    held = curves.nested_levels(
        curve.fpr,
        curve.tpr,
        request.n_draws,
        np.array([low for low, _ in pos]),
        np.array([high if request.two_sided else np.ones_like(high) for _, high in pos]),
        np.array([curve.at(low[1:-1]) for low, _ in neg]),
        np.array([curve.at(high[1:-1]) for _, high in neg]),
        request.rng,
    )
    may_leave = int((1 - request.level) * (request.n_draws + 1))
    alpha = levels[np.sort(held)[max(may_leave, 1) - 1]]
    return equal_level_band(positives, alpha, request.two_sided)


def constant_distance(
    distance: Callable[[int, float, bool], float],
) -> Callable[[PositivesAbove, BandRequest], Corners]:
    """Limits at one distance from the empirical distribution function."""

    def corners(positives: PositivesAbove, request: BandRequest) -> Corners:
        def limits(n: int) -> tuple[FloatArray, FloatArray]:
            # Each sample keeps its distance with the root of the level: the two are independent.
            gap = distance(n, np.sqrt(request.level), request.two_sided)
            i = np.arange(n + 2)
            low, high = np.clip(i / n - gap, 0, 1), np.clip((i - 1) / n + gap, 0, 1)
            high[-1] = 1.0
            return low, high

        return operating_points(positives, limits(positives.n_pos), limits(positives.n_neg))

    return corners


@lru_cache(maxsize=256)  # SciPy inverts the exact distribution numerically
def kolmogorov(n: int, level: float, two_sided: bool) -> float:
    """The distance kept with probability ``level``, from its exact distribution."""
    return float((kstwo if two_sided else ksone).ppf(level, n))


def massart(n: int, level: float, two_sided: bool) -> float:
    """A bound on it: Massart (1990), √(log(2/δ)/2n); one-sided √(log(1/δ)/2n), which he proves for δ ≤ ½."""
    odds = (2 if two_sided else 1) / (1 - level)
    return float(np.sqrt(np.log(max(odds, 2.0)) / (2 * n)))


def studentized(positives: PositivesAbove, request: BandRequest) -> Corners:
    """The empirical curve plus and minus a multiple of its standard error, at up to a thousand of the negatives."""
    n_pos, n_neg = positives.n_pos, positives.n_neg
    nodes = np.unique(np.linspace(0, n_neg - 1, min(n_neg, 1000)).round().astype(np.int64))
    curve = positives.smoothed_curve()
    counts = curves.positives_above(curve.fpr, curve.tpr, n_pos, n_neg, request.n_draws, nodes, request.rng)
    share = counts / n_pos
    error = np.maximum(share.std(axis=0, ddof=1), 0.5 / n_pos)  # half a positive: no share is known better
    away = (share - share.mean(axis=0)) / error
    largest = (np.abs(away) if request.two_sided else away).max(axis=1)
    margin = np.quantile(largest, request.level) * error
    low = np.maximum.accumulate(np.clip(positives.above[nodes] / n_pos - margin, 0, 1))
    high = np.minimum.accumulate(np.clip(positives.level[nodes] / n_pos + margin, 0, 1)[::-1])[::-1]
    middle = (nodes + 0.5) / n_neg  # of the step at each node
    return staircases(middle, low, middle, high)


METHODS = {
    "ell": BandMethod(equal_local_levels),
    "calibrated": BandMethod(
        calibrated,
        guaranteed=False,
        note="calibrated by simulation from the smoothed curve: close to its level, not guaranteed",
    ),
    "ks": BandMethod(constant_distance(kolmogorov)),
    "dkw": BandMethod(constant_distance(massart)),
    "bootstrap": BandMethod(
        studentized,
        guaranteed=False,
        note="studentized bootstrap: close to its level, not guaranteed; weakest with few positives",
    ),
    "pointwise": BandMethod(
        pointwise,
        simultaneous=False,
        note="guaranteed at any one false positive rate chosen beforehand; the whole curve may leave it more often",
    ),
}
