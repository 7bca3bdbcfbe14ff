"""Simultaneous bands for the ROC curve."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

from podium import _input
from podium._fast import draws
from podium._results import wording
from podium._results.result import Result
from podium._shares import order_statistic_limits
from podium._types import FloatArray
from podium.exceptions import InputError
from podium.inference.curves.fiducial import Corners, PositivesAbove, operating_points, rectangles, staircases
from podium.ranks.pooled import TieGroups
from podium.roc.local_levels import local_level
from podium.rounds.rows import RowsLike, ties_of

# The limits behind each method of :func:`podium.inference.roc_band`.


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
    held = draws.nested_levels(
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
    return float((scipy.stats.kstwo if two_sided else scipy.stats.ksone).ppf(level, n))


def massart(n: int, level: float, two_sided: bool) -> float:
    """A bound on it: Massart (1990), √(log(2/δ)/2n); one-sided √(log(1/δ)/2n), which he proves for δ ≤ ½."""
    odds = (2 if two_sided else 1) / (1 - level)
    return float(np.sqrt(np.log(max(odds, 2.0)) / (2 * n)))


def studentized(positives: PositivesAbove, request: BandRequest) -> Corners:
    """The empirical curve plus and minus a multiple of its standard error, at up to a thousand of the negatives."""
    n_pos, n_neg = positives.n_pos, positives.n_neg
    nodes = np.unique(np.linspace(0, n_neg - 1, min(n_neg, 1000)).round().astype(np.int64))
    curve = positives.smoothed_curve()
    counts = draws.positives_above(curve.fpr, curve.tpr, n_pos, n_neg, request.n_draws, nodes, request.rng)
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


# Bands for the whole ROC curve.


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class RocBand(Result):
    """A band around an ROC curve, between two staircases, or polygonal lines where scores tie.

    Attributes
    ----------
    fpr, low, high : ndarray
        The corners, from left to right; at a step the corner comes twice, before and after it.
    confidence_level : float
        The confidence level of the band.
    method, side : str
        The method, and whether it is a band or a lower bound only.
    simultaneous : bool
        Whether the level refers to the whole curve, or to each single false positive rate.
    guaranteed : bool
        Whether the level holds for every sample size and every distribution of the scores.
    n_pos, n_neg : int
        Sizes of the two samples.
    note : str
        A caveat; empty for guaranteed simultaneous bands.
    """

    fpr: FloatArray
    low: FloatArray
    high: FloatArray
    confidence_level: float
    method: str
    side: str
    simultaneous: bool
    guaranteed: bool
    n_pos: int
    n_neg: int
    note: str = ""

    @property
    def label(self) -> str:
        """A short description of the band, used as its label in plots."""
        level = wording.level(self.confidence_level)
        lower = "lower " if self.side == "lower" else ""
        if not self.simultaneous:
            return f"{level} pointwise {lower}limits"
        method = "" if self.method == "ell" else f" ({self.method})"  # the default needs no name
        return f"{level} simultaneous {lower}{'bound' if lower else 'band'}{method}"

    @property
    def mean_width(self) -> float:
        """The area between the two lines."""
        return float(np.trapezoid(self.high - self.low, self.fpr))

    def at(self, fpr: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
        """The band at false positive rates: lower and upper limits of the true positive rate.

        Parameters
        ----------
        fpr : array-like
            False positive rates, in [0, 1].

        Returns
        -------
        tuple of ndarray
            The lower and the upper limits.
        """
        x = np.asarray(fpr, dtype=np.float64)
        if np.isnan(x).any() or (x < 0).any() or (x > 1).any():
            raise InputError(f"fpr must be in [0, 1]; got {fpr!r}.")
        # At a step the wider value counts: the left one below, the right one above.
        low = np.interp(-x, -self.fpr[::-1], self.low[::-1])
        return low, np.interp(x, self.fpr, self.high)

    def __repr__(self) -> str:
        surety = "guaranteed" if self.guaranteed else "approximate"
        rows = wording.rows(self.n_pos, self.n_neg)
        return wording.with_note(f"{self.label}, {surety}, mean width {self.mean_width:.3f}, {rows}", self.note)


def roc_band(
    y_true: RowsLike,
    y_score: npt.ArrayLike | None = None,
    *,
    confidence_level: float = 0.95,
    method: str = "ell",
    side: str = "both",
    n_resamples: int = 1000,
    rng: np.random.Generator | int | None = None,
    pos_label: Any = None,
) -> RocBand:
    r"""A band that contains the true ROC curve of a fixed scorer.

    Limits :math:`a_i \le U_{(i)} \le b_i` for the order statistics of the positives and :math:`a'_j, b'_j` for those
    of the negatives put a rectangle around every step of the curve. With k positives above the j-th negative from the
    top,

    .. math:: \mathrm{ROC}(t) \ge a_k \ \text{where}\ t > b'_j, \qquad
       \mathrm{ROC}(t) \le b_{k+1} \ \text{where}\ t < a'_j .

    The methods differ in the limits:

    - ``"ell"``: each order statistic is missed with the same probability, the equal local level α, such that all are
      kept with probability ``confidence_level`` (exactly computed). Guaranteed; narrow at both ends.
    - ``"ks"``, ``"dkw"``: limits at a constant distance, by the exact Kolmogorov–Smirnov distribution or by the
      inequality of Dvoretzky, Kiefer, Wolfowitz and Massart. Guaranteed; wide at both ends.
    - ``"calibrated"``: as ``"ell"`` with the largest α at which bands of samples drawn from the smoothed curve hold it
      at the confidence level. About 30 % narrower than ``"ell"``; not a guarantee.
    - ``"bootstrap"``: the curve plus and minus a multiple of its standard error, the multiple such that resampled
      curves stay inside everywhere.
    - ``"pointwise"``: Clopper–Pearson limits at limits for the threshold, guaranteed at each single false positive
      rate and not for the whole curve: its label says pointwise.

    Parameters
    ----------
    y_true, y_score : array-like or Dask collection
        Labels and scores of independent rows that were not used to train or choose the scorer. In place of
        both, a function that returns chunks of them, or a :class:`podium.rounds.CountedList`.
    confidence_level : float
        The probability that the curve is inside, everywhere (``"pointwise"``: at each one point).
    method : {"ell", "calibrated", "ks", "dkw", "bootstrap", "pointwise"}
        Which of the bands above.
    side : {"both", "lower"}
        Whether to return a band or only a lower bound, which is then tighter; its ``high`` is 1.
    n_resamples : int
        Number of samples for ``"calibrated"`` and ``"bootstrap"``.
    rng : numpy.random.Generator or int, optional
        The generator of these samples, or its seed.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    RocBand
        The corners of the band and its properties; ``band.at(fpr)`` gives its limits at any rate.

    Notes
    -----
    A tie group is a straight segment of the curve, so limits are needed at its two ends only and the band is straight
    between them; that holds whatever other scores may occur between those seen. ``"pointwise"`` and ``"bootstrap"``
    take tied rows in the order that is worst: none of the tied positives counts below, all of them above.

    Examples
    --------
    >>> from podium.inference import roc_band
    >>> band = roc_band([0, 0, 1, 0, 1, 1, 0, 1], [1, 2, 3, 4, 5, 6, 7, 8])
    >>> band
    95 % simultaneous band, guaranteed, mean width 0.986, 8 rows, 50 % positive
    >>> low, high = band.at(0.9)
    >>> float(low), float(high)
    (0.0008..., 1.0)
    """
    return band_of_groups(
        ties_of(y_true, y_score, None, pos_label),
        confidence_level=confidence_level,
        method=method,
        side=side,
        n_resamples=n_resamples,
        rng=rng,
    )


def band_of_groups(
    ties: TieGroups,
    *,
    confidence_level: float = 0.95,
    method: str = "ell",
    side: str = "both",
    n_resamples: int = 1000,
    rng: np.random.Generator | int | None = None,
) -> RocBand:
    """:func:`roc_band` of a list whose tie groups are known."""
    level = _input.check_fraction("confidence_level", confidence_level)
    how = METHODS[_input.check_choice("method", method, tuple(METHODS))]
    two_sided = _input.check_choice("side", side, ("both", "lower")) == "both"
    n_draws = _input.check_integer("n_resamples", n_resamples, 100)
    positives = PositivesAbove.of(ties)
    fpr, low, high = how.corners(positives, BandRequest(level, two_sided, n_draws, np.random.default_rng(rng)))
    return RocBand(
        fpr=fpr,
        low=low,
        high=high if two_sided else np.ones_like(high),
        confidence_level=level,
        method=method,
        side=side,
        simultaneous=how.simultaneous,
        guaranteed=how.guaranteed,
        n_pos=positives.n_pos,
        n_neg=positives.n_neg,
        note=how.note,
    )
