"""How many hits to expect among the first k of the next list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.interpolate import PchipInterpolator
from scipy.special import betainc, betaincinv

from podium import _input, _wording
from podium._normal import normal_quantile
from podium._result import Result
from podium._types import Array, FloatArray, Sample
from podium.inference.curves.staircases import PositivesAbove
from podium.ranks.pooled import TieGroups
from podium.roc import RocCurve

# At how many numbers of hits their distribution is computed, at most, before it is interpolated.
_NODES = 100


@dataclass(frozen=True, kw_only=True, repr=False)
class PrecisionInterval(Result):
    """Hits among the first k rows: those of this list, and the range for those of the next one.

    ``low`` and ``high`` are whole numbers of hits, both included; ``estimate`` may be fractional where the cut falls
    into a tie group. Divide by k for the precision.

    Attributes
    ----------
    estimate : float
        The hits among the first k rows of this list.
    low, high : int
        The fewest and the most hits to expect in the next list.
    standard_deviation : float
        The standard deviation of the hits.
    k : int
        How many rows are looked at.
    confidence_level : float
        The confidence level of the interval.
    n_pos, n_neg : int
        The numbers of positives and of negatives.
    note : str
        What to keep in mind; empty where no weakness is known.
    """

    estimate: float
    low: int
    high: int
    standard_deviation: float
    k: int
    confidence_level: float
    n_pos: int
    n_neg: int
    note: str = ""

    def __repr__(self) -> str:
        return _wording.with_note(
            f"{self.estimate:g} hits in the first {self.k:,}, {_wording.level(self.confidence_level)} interval "
            f"{self.low:,} to {self.high:,} for the next list like this one, {_wording.rows(self.n_pos, self.n_neg)}",
            self.note,
        )


def precision_at_interval(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    *,
    k: int,
    confidence_level: float = 0.95,
    pos_label: Any = None,
) -> PrecisionInterval:
    r"""Prediction interval for the hits among the first k rows of a future list.

    What is covered: the number H′ of positives among the first k of a new list, with as many positives and as many
    negatives as this one, drawn independently from the same two populations and scored by the same scorer. (The mean
    of H′ is a safer bet than H′ itself: it is covered more often than the level says.)

    The hits H here and H′ there are independent and alike, so the difference has twice the variance of H. That
    variance is written σ² = ψ·(H − l)(u − H)/(u − l), where l = max(0, k − m) and u = min(k, n) are the fewest and the
    most hits possible. Pooling both lists in it, as in a score test of H′ against H, gives the h that are not refuted:

    .. math:: (|h - H| - \tfrac12)^2 \le 2 z^2 \psi\, \frac{(\bar h - l)(u - \bar h)}{u - l}, \qquad
       \bar h = \frac{H + h}{2} .

    ψ comes from the exact distribution of hits in samples from the smoothed ROC curve R. The first k hold at least h
    hits where the h-th positive stands above the (k − h + 1)-th negative:

    .. math:: P(H \ge h) = P\bigl(W_{(h)} < R(V_{(k-h+1)})\bigr)

    with order statistics of n and of m uniforms, which are independent Beta variables.

    Parameters
    ----------
    y_true, y_score : array-like
        Labels and scores of independent rows that had no part in choosing the scorer.
    k : int
        How many rows are looked at.
    confidence_level : float
        Nominal probability that the hits of the future list are in the range.
    pos_label
        The positive label, where labels are not 0/1, −1/1 or booleans.

    Notes
    -----
    Where the number of positives in the next list is itself random, its hits vary more than this. Ties at the cut count
    by their mean over random orders.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(1000) < 0.2
    >>> precision_at_interval(y, y + rng.normal(size=1000), k=50)
    33 hits in the first 50, 95 % interval 23 to 42 for the next list like this one, 1,000 rows, 19 % positive
    """
    return TopOfList.of(_input.check_sample(y_true, y_score, pos_label=pos_label)).interval(k, confidence_level)


@dataclass(frozen=True, eq=False)
class TopOfList:
    """What the hits among the first k rows depend on whatever k is: rows and hits so far, and the smoothed curve."""

    n_pos: int
    n_neg: int
    rows: FloatArray
    hits: FloatArray
    curve: RocCurve

    @classmethod
    def of(cls, sample: Sample) -> TopOfList:
        ties = TieGroups.of(sample)
        passed = PositivesAbove.of(ties)
        pos, total = ties.from_top()
        return cls(passed.n_pos, passed.n_neg, total, pos, passed.smoothed_curve())

    def interval(self, k: int, confidence_level: float) -> PrecisionInterval:
        """See :func:`precision_at_interval`."""
        level = _input.check_number("confidence_level", confidence_level, 0, 1, open_low=True, open_high=True)
        n_pos, n_neg = self.n_pos, self.n_neg
        k = _input.check_integer("k", k, 1, n_pos + n_neg, f"the list has {n_pos + n_neg} rows.")
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
        return PrecisionInterval(
            estimate=hits,
            low=int(kept.min(initial=int(np.floor(hits)))),
            high=int(kept.max(initial=int(np.ceil(hits)))),
            standard_deviation=float(np.sqrt(variance)),
            k=k,
            confidence_level=level,
            n_pos=n_pos,
            n_neg=n_neg,
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
    result[stretch - 1] = PchipInterpolator(some, _survival(curve, some, k, n_pos, n_neg))(stretch)
    return result


def _nodes(h: Array) -> Array:
    """Some of many, the first and the last among them, at equal distances."""
    return h if len(h) <= _NODES else h[np.linspace(0, len(h) - 1, _NODES).astype(int)]


def _survival(curve: RocCurve, h: Array, k: int, n_pos: int, n_neg: int) -> FloatArray:
    """P(H ≥ h), the mean over equally likely places of the negative at which the first k hold fewer than h hits."""
    likely = (np.arange(100) + 0.5) / 100
    passed = betaincinv(k - h[:, None] + 1, n_neg - k + h[:, None], likely)
    return betainc(h[:, None], n_pos - h[:, None] + 1, curve.at(passed)).mean(axis=1)
