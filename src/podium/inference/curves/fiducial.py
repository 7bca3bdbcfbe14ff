r"""Limits for points and areas of the ROC curve that hold with few negatives in the range, or none.

The false positive rate V_j of the j-th highest negative is the j-th order statistic of m uniforms, and the true
positive rate of the k-th highest positive the k-th, W_k, of n uniforms, whatever the scores' distributions are. With
k_j positives above the j-th negative the curve R obeys

.. math:: W_{k_j} \le R(\alpha) \le W_{k_{j+1} + 1} \quad\text{where}\quad V_j \le \alpha < V_{j+1} .

Order statistics drawn anew in place of the unknown ones give a distribution of either bound (the fiducial argument of
Fisher, in the form of Dempster 1968 with a lower and an upper distribution); the limits are the δ/2 quantile of the
lower and the 1 − δ/2 quantile of the upper one. Ties spread evenly along the segment of their group.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import betainc
from scipy.stats import binom

from podium._types import Array, FloatArray
from podium.inference.curves.staircases import PositivesAbove

_N_DRAWS = 2000  # with a fixed seed: the same answer at every call
_MOST_CELLS = 2000  # that are drawn at a time; a list with more of them needs no such limits
_NEGLIGIBLE = 1e-10


def tpr_limits(passed: PositivesAbove, fpr: float, confidence_level: float) -> tuple[float, float]:
    """Limits of R(α), in closed form: the number of V_j below α is binomial, and every W_k has a beta distribution."""
    n, m = passed.n_pos, passed.n_neg
    tail = (1 - confidence_level) / 2
    j = np.arange(binom.ppf(_NEGLIGIBLE, m, fpr), binom.isf(_NEGLIGIBLE, m, fpr) + 1).astype(int)
    weight = binom.pmf(j, m, fpr)
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
    last = int(min(m, binom.isf(_NEGLIGIBLE, m, max_fpr)))
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
    return 1.0 if excess(1.0) <= 0 else float(brentq(excess, 0.0, 1.0, xtol=1e-9))


def _order_statistics(ranks: Array, n: int, rng: np.random.Generator) -> FloatArray:
    """Draws of the order statistics of n uniforms at ascending ranks, 0 at rank 0 and 1 at rank n + 1.

    Ratios of sums of gamma variables, which interpolate between whole ranks.
    """
    steps = np.diff(np.concatenate([ranks, [n + 1.0]]), prepend=0.0)
    drawn = rng.standard_gamma(steps, (_N_DRAWS, len(steps)))
    upto = np.cumsum(drawn, axis=1)
    return upto[:, :-1] / upto[:, -1:]
