"""Draws of curves that the sample makes plausible."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from scipy.special import betainc

from podium._types import Array, FloatArray
from podium.ranks.pooled import TieGroups
from podium.roc import RocCurve

# A band between two staircases, and how rectangles around order statistics make one.


Corners = tuple[FloatArray, FloatArray, FloatArray]  # fpr, low, high


@dataclass(frozen=True, slots=True)
class PositivesAbove:
    """How many positives pass each negative, from the best negative down: strictly above it, and at least level."""

    above: Array
    level: Array
    middle: FloatArray  # with those of its tie group spread evenly among its negatives: the curve is straight there
    n_pos: int
    ends: tuple[Array, Array]  # positives and negatives passed at the end of each tie group, from none of them on

    @classmethod
    def of(cls, ties: TieGroups) -> PositivesAbove:
        pos, neg = ties.pos[::-1], ties.neg[::-1]
        above = np.repeat(np.cumsum(pos) - pos, neg)
        level = np.repeat(np.cumsum(pos), neg)
        in_group = np.arange(len(above)) - np.repeat(np.cumsum(neg) - neg, neg)
        middle = above + (level - above) * (in_group + 0.5) / np.repeat(neg, neg)
        ends = np.append(0, np.cumsum(pos)), np.append(0, np.cumsum(neg))
        return cls(above, level, middle, int(pos.sum()), ends)

    @property
    def n_neg(self) -> int:
        return len(self.above)

    def smoothed_curve(self) -> RocCurve:
        """The broken line through (0, 0), (j/(m + 1), (k_j + ½)/(n + 1)) and (1, 1).

        k_j are the positives above the j-th negative. Unlike the empirical curve it rises everywhere, so that samples
        drawn from it vary as new data would, also after perfect separation. Ties count as they lie on the curve, evenly
        along the segment of their group.
        """
        j = np.arange(1, self.n_neg + 1)
        return RocCurve.from_points(j / (self.n_neg + 1), (self.middle + 0.5) / (self.n_pos + 1))


def staircases(lower_from: FloatArray, lower: FloatArray, upper_until: FloatArray, upper: FloatArray) -> Corners:
    """The band that is at least ``lower_j`` after ``lower_from_j`` and at most ``upper_j`` before ``upper_until_j``.

    All arguments are ascending. Every inner corner comes twice: with the limits from its left, then from its right.
    """
    x = np.unique(np.concatenate([[0.0], lower_from, upper_until, [1.0]]))
    steps_low = np.concatenate([[0.0], lower])
    steps_high = np.concatenate([upper, [1.0]])
    low = np.stack([steps_low[np.searchsorted(lower_from, x, side)] for side in ("left", "right")], axis=1)
    high = np.stack([steps_high[np.searchsorted(upper_until, x, side)] for side in ("left", "right")], axis=1)
    # Nothing lies to the left of 0 or to the right of 1.
    return np.repeat(x, 2)[1:-1], low.ravel()[1:-1], high.ravel()[1:-1]


def rectangles(
    passed: PositivesAbove, pos_limits: tuple[FloatArray, FloatArray], neg_limits: tuple[FloatArray, FloatArray]
) -> Corners:
    """Corners of the band that holds the curve wherever all order statistics are inside their limits.

    If a_i ≤ U_(i) ≤ b_i for the positives and a′_j ≤ V_(j) ≤ b′_j for the negatives, then at V_(j), where k positives
    lie above the j-th negative, a_k ≤ ROC ≤ b_(k+1); the curve being monotone, the left bound holds from b′_j on and
    the right one until a′_j. Of tied positives the lower staircase counts none, the upper all: so the band holds in
    whatever order the tie is broken.
    """
    (pos_low, pos_high), (neg_low, neg_high) = pos_limits, neg_limits
    return staircases(neg_high[1:-1], pos_low[passed.above], neg_low[1:-1], pos_high[passed.level + 1])


def operating_points(
    positives: PositivesAbove, pos_limits: tuple[FloatArray, FloatArray], neg_limits: tuple[FloatArray, FloatArray]
) -> Corners:
    r"""Corners of the band that holds the curve wherever all order statistics are inside their limits, ties straight.

    Where k positives and j negatives score above a threshold, the curve has a point in the rectangle from
    (a′_j, a_k) to (b′_(j+1), b_(k+1)), whatever thresholds lie between the scores seen. From one such rectangle to the
    next it is straight, by the tie group between them. A point between two points lies to the right of and below the
    same point between their rectangles' upper left corners: so the broken line through these is above the curve, and
    likewise the one through the lower right corners is below it. Where nothing ties both are staircases.
    """
    (pos_low, pos_high), (neg_low, neg_high) = pos_limits, neg_limits
    n_pos, n_neg = positives.ends
    lower_x, lower = np.append(0.0, neg_high[n_neg + 1]), np.append(0.0, pos_low[n_pos])
    upper_x, upper = np.append(neg_low[n_neg], 1.0), np.append(pos_high[n_pos + 1], 1.0)
    x = np.unique(np.concatenate([lower_x, upper_x]))
    low, high = (
        np.stack([np.interp(-x, -at[::-1], heights[::-1]), np.interp(x, at, heights)], axis=1).ravel()[1:-1]
        for at, heights in ((lower_x, lower), (upper_x, upper))
    )
    # Interpolation rounds; both lines rise.
    return np.repeat(x, 2)[1:-1], np.maximum.accumulate(low), np.maximum.accumulate(high)


# Limits for points and areas of the ROC curve that hold with few negatives in the range, or none.
#
# The false positive rate V_j of the j-th highest negative is the j-th order statistic of m uniforms, and the true
# positive rate of the k-th highest positive the k-th, W_k, of n uniforms, whatever the scores' distributions are. With
# k_j positives above the j-th negative the curve R obeys
#
# .. math:: W_{k_j} \le R(\alpha) \le W_{k_{j+1} + 1} \quad\text{where}\quad V_j \le \alpha < V_{j+1} .
#
# Order statistics drawn anew in place of the unknown ones give a distribution of either bound (the fiducial argument of
# Fisher, in the form of Dempster 1968 with a lower and an upper distribution); the limits are the δ/2 quantile of the
# lower and the 1 − δ/2 quantile of the upper one. Ties spread evenly along the segment of their group.


_N_DRAWS = 2000  # with a fixed seed: the same answer at every call
_MOST_CELLS = 2000  # that are drawn at a time; a list with more of them needs no such limits
_NEGLIGIBLE = 1e-10


def tpr_limits(passed: PositivesAbove, fpr: float, confidence_level: float) -> tuple[float, float]:
    """Limits of R(α), in closed form: the number of V_j below α is binomial, and every W_k has a beta distribution."""
    n, m = passed.n_pos, passed.n_neg
    tail = (1 - confidence_level) / 2
    flagged = scipy.stats.binom(m, fpr)
    j = np.arange(flagged.ppf(_NEGLIGIBLE), flagged.isf(_NEGLIGIBLE) + 1).astype(int)
    weight = flagged.pmf(j)
    above = _with_ends(passed)
    return (
        _mixture_quantile(tail * weight.sum(), weight, above[j], n),
        _mixture_quantile((1 - tail) * weight.sum(), weight, above[j + 1] + 1, n),
    )


def area_limits(
    passed: PositivesAbove, min_fpr: float, max_fpr: float, confidence_level: float
) -> tuple[float, float] | None:
    """Limits of the area between two false positive rates, by drawing; None where the list has too much to draw."""
    n, m = passed.n_pos, passed.n_neg
    last = int(min(m, scipy.stats.binom.isf(_NEGLIGIBLE, m, max_fpr)))
    above = _with_ends(passed)[: last + 2]  # of the negatives 0 (beyond the top), 1, …, and the one after the range
    # Only where the number of positives changes, before and behind it, matters: runs of negatives are drawn as one.
    change = np.flatnonzero(np.diff(above)) + 1
    kept = np.unique(np.concatenate([[0], change - 1, change, [last + 1]]))
    if len(kept) > _MOST_CELLS:
        return None
    rng = np.random.default_rng(0)
    fpr = _order_statistics(kept, m, rng).clip(min_fpr, max_fpr)
    lower, upper = above[kept[:-1]], above[kept[1:]] + 1
    levels = np.unique(np.concatenate([lower, upper]))
    tpr = _order_statistics(levels, n, rng)
    width = np.diff(fpr, axis=1)
    low = (width * tpr[:, np.searchsorted(levels, lower)]).sum(axis=1)
    high = (width * tpr[:, np.searchsorted(levels, upper)]).sum(axis=1)
    tail = (1 - confidence_level) / 2
    return float(np.quantile(low, tail)), float(np.quantile(high, 1 - tail))


def _with_ends(passed: PositivesAbove) -> FloatArray:
    """Positives above the j-th negative for j = 0, …, m + 1, the ends being above everything and above nothing."""
    return np.concatenate([[0.0], passed.middle, [float(passed.n_pos)]])


def _mixture_quantile(share: float, weight: FloatArray, k: FloatArray, n: int) -> float:
    """Where the mixture of the distributions of W_k reaches a share; W_0 = 0 and W_{n + 1} = 1."""
    inside = (k > 0) & (k < n + 1)
    at_zero = weight[k <= 0].sum()

    def excess(x: float) -> float:
        return float(at_zero + weight[inside] @ betainc(k[inside], n + 1 - k[inside], x)) - share

    if excess(0.0) >= 0:
        return 0.0
    return 1.0 if excess(1.0) <= 0 else float(scipy.optimize.brentq(excess, 0.0, 1.0, xtol=1e-9))


def _order_statistics(ranks: Array, n: int, rng: np.random.Generator) -> FloatArray:
    """Draws of the order statistics of n uniforms at ascending ranks, 0 at rank 0 and 1 at rank n + 1.

    Ratios of sums of gamma variables, which interpolate between whole ranks.
    """
    steps = np.diff(np.concatenate([ranks, [n + 1.0]]), prepend=0.0)
    drawn = rng.standard_gamma(steps, (_N_DRAWS, len(steps)))
    upto = np.cumsum(drawn, axis=1)
    return upto[:, :-1] / upto[:, -1:]
