"""Hits among the first rows of the next list, if it has as many positives and negatives as this one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy
from scipy.special import betainc, betaincinv

from podium._fast.draws import stay_probability, upper_limits
from podium._shares import normal_quantile
from podium._types import Array, FloatArray, Sample
from podium.inference.curves.fiducial import PositivesAbove
from podium.inference.hits.new_draw import Prediction
from podium.ranks.pooled import TieGroups
from podium.roc import RocCurve
from podium.roc.local_levels import log_coverage

# How rows of another list may stand between labeled ones, for every place at once.
#
# Merge n labeled and m other rows that are exchangeable, best first. All orders are equally likely, so the number V_c
# of others before the (c + 1)-th labeled row is beta-binomial(m, c + 1, n − c), whatever the distribution of the
# scores.


# Up to here, in nm(n + m), the recursion takes a twentieth of a second.
LARGEST_EXACT = 2.5e11


def log_stay(n: int, m: int, tail: float) -> float:
    """Logarithm of the probability that no V_c exceeds its limit, each limit exceeded with probability ``tail``.

    Exact for small lists. For larger ones that of min(n, m) order statistics of the uniform distribution, which is
    what the larger list tends to as it grows without end: V_c being whole, its limits are broken less often than
    ``tail`` says, so this is too low. In terms of −log, by 17 % at 5,000 and 5,000 rows, hence limits that are wider
    by 1.5 %; by less where one list is much longer.
    """
    if float(n) * m * (n + m) <= LARGEST_EXACT:
        return float(np.log(max(stay_probability(n, m, upper_limits(n, m, tail)), 1e-300)))
    return log_coverage(min(n, m), tail, two_sided=False)


@lru_cache(maxsize=256)
def interleaving_level(n: int, m: int, confidence_level: float) -> float:
    """The largest tail, within a hundredth, at which all V_c keep their limits with probability ``confidence_level``.

    >>> round(interleaving_level(2000, 2000, 0.95), 4)
    0.0014
    """
    allowed = -np.log(confidence_level)

    def excess(log_tail: float) -> float:
        return float(np.log(max(-log_stay(n, m, float(np.exp(log_tail))), 1e-300) / allowed))

    # Bonferroni below, where the level holds for sure; above, a single limit could be broken too often.
    low, high = np.log((1 - confidence_level) / n), np.log(1 - confidence_level)
    if excess(high) <= 0:
        return 1 - confidence_level
    log_tail = scipy.optimize.brentq(excess, low, high, xtol=0.005) if excess(low) < 0 else low
    while log_tail > low and excess(log_tail) > 0:  # V_c is whole, so the probability jumps: end on the safe side
        log_tail = max(low, log_tail - 0.005)
    return float(np.exp(log_tail))


@lru_cache(maxsize=16)
def others_before(n: int, m: int, confidence_level: float) -> Array:
    """Upper limits v_c of V_c for c = 0, …, n, all kept at once with probability ``confidence_level``; v_n = m."""
    limits = np.append(upper_limits(n, m, interleaving_level(n, m, confidence_level)), m)
    limits.setflags(write=False)
    return limits


# Hits among the first k of a list with exactly as many positives and as many negatives as this one.


# At how many numbers of hits their distribution is computed, at most, before it is interpolated.
_NODES = 100


@dataclass(frozen=True, eq=False)
class FixedComposition:
    r"""What the hits among the first k rows depend on whatever k is: rows and hits so far, and the smoothed curve.

    The hits H here and H′ there are independent and alike, so the difference has twice the variance of H. That
    variance is written σ² = ψ·(H − l)(u − H)/(u − l), where l = max(0, k − m) and u = min(k, n) are the fewest and the
    most hits possible. Pooling both lists in it, as in a score test of H′ against H, gives the h that are not refuted:

    .. math:: (|h - H| - \tfrac12)^2 \le 2 z^2 \psi\, \frac{(\bar h - l)(u - \bar h)}{u - l}, \qquad
       \bar h = \frac{H + h}{2} .

    ψ comes from the exact distribution of hits in samples from the smoothed ROC curve R. The first k hold at least h
    hits where the h-th positive stands above the (k − h + 1)-th negative:

    .. math:: P(H \ge h) = P\bigl(W_{(h)} < R(V_{(k-h+1)})\bigr)

    with order statistics of n and of m uniforms, which are independent Beta variables.
    """

    n_pos: int
    n_neg: int
    rows: FloatArray
    hits: FloatArray
    curve: RocCurve

    @classmethod
    def of(cls, sample: Sample) -> FixedComposition:
        ties = TieGroups.of(sample)
        passed = PositivesAbove.of(ties)
        pos, total = ties.from_top()
        return cls(passed.n_pos, passed.n_neg, total, pos, passed.smoothed_curve())

    def prediction(self, k: int, level: float) -> Prediction:
        """Limits for the hits among the first ``k``."""
        n_pos, n_neg = self.n_pos, self.n_neg
        hits = float(np.interp(k, self.rows, self.hits))
        mean, variance = hits_moments(self.curve, k, n_pos, n_neg)
        least, most = max(0, k - n_neg), min(k, n_pos)  # hits that a list of this composition can have
        candidates = np.arange(least, most + 1)

        def binomial(count: FloatArray | float) -> FloatArray:
            """The variance of counts between the two extremes, were the rows independent."""
            return np.maximum(count - least, 0.0) * np.maximum(most - count, 0.0) / max(most - least, 1)

        # Where the curve leaves no doubt, the few exceptions are rare events: Poisson, that is ψ = 1.
        dispersion = variance / binomial(mean) if binomial(mean) > 1e-9 else 1.0
        z = normal_quantile(level)
        gap = np.maximum(np.abs(candidates - hits) - 0.5, 0.0)
        kept = candidates[gap**2 <= 2 * z**2 * dispersion * binomial((hits + candidates) / 2)]
        return Prediction(
            estimate=hits,
            low=int(kept.min(initial=int(np.floor(hits)))),
            high=int(kept.max(initial=int(np.ceil(hits)))),
            standard_deviation=float(np.sqrt(variance)),
        )


def hits_moments(curve: RocCurve, k: int, n_pos: int, n_neg: int) -> tuple[float, float]:
    """Mean and variance of the hits among the first k of lists drawn from a curve."""
    at_least = hits_distribution(curve, k, n_pos, n_neg)
    h = np.arange(1, len(at_least) + 1)
    mean = at_least.sum()
    return float(mean), float(((2 * h - 1) * at_least).sum() - mean**2)


def hits_distribution(curve: RocCurve, k: int, n_pos: int, n_neg: int) -> FloatArray:
    """P(H ≥ h) for h = 1, …, min(k, n)."""
    h = np.arange(1, min(k, n_pos) + 1)
    # The variance of H is at most k: further than this from where the curve cuts the first k, it is 1 or 0.
    share = np.interp(k, n_pos * curve.tpr + n_neg * curve.fpr, curve.tpr)
    result = np.where(h < n_pos * share, 1.0, 0.0)
    near = np.abs(h - n_pos * share) < 5 * np.sqrt(k) + 10
    result[k - h + 1 > n_neg] = 1.0  # with fewer hits there would not be negatives enough to fill k rows
    open_ = h[near & (k - h + 1 <= n_neg)]
    if len(open_) <= _NODES:
        result[open_ - 1] = _survival(curve, open_, k, n_pos, n_neg)
        return result
    # Where many h are in question, find the stretch over which the distribution falls from 1 to 0 ...
    coarse = _nodes(open_)
    fallen = 1 - _survival(curve, coarse, k, n_pos, n_neg)
    start, end = np.searchsorted(fallen, [1e-9, 1 - 1e-9])
    stretch = open_[(open_ >= coarse[max(start - 1, 0)]) & (open_ <= coarse[min(end, len(coarse) - 1)])]
    # ... and there, being smooth, take it at some of them and a monotone cubic between.
    some = _nodes(stretch)
    result[open_ - 1] = open_ < stretch[0]
    result[stretch - 1] = scipy.interpolate.PchipInterpolator(some, _survival(curve, some, k, n_pos, n_neg))(stretch)
    return result


def _nodes(h: Array) -> Array:
    """Some of many, the first and the last among them, at equal distances."""
    return h if len(h) <= _NODES else h[np.linspace(0, len(h) - 1, _NODES).astype(int)]


def _survival(curve: RocCurve, h: Array, k: int, n_pos: int, n_neg: int) -> FloatArray:
    """P(H ≥ h), the mean over equally likely places of the negative at which the first k hold fewer than h hits."""
    likely = (np.arange(100) + 0.5) / 100
    passed = betaincinv(k - h[:, None] + 1, n_neg - k + h[:, None], likely)
    return betainc(h[:, None], n_pos - h[:, None] + 1, curve.at(passed)).mean(axis=1)
