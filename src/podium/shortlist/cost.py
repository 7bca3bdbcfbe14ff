"""The most profitable cutoff, with limits for its profit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from podium import _input
from podium._fast.lists import merge_counts
from podium._results import wording
from podium._shares import least_share, normal_quantile
from podium._types import Array, FloatArray
from podium.exceptions import InputError
from podium.shortlist.result import INDEPENDENT, Shortlist, calibration, chosen_from, new_scores

_DRAWS = 2000
_CUTS_DRAWN = 100  # at equal ratios down the list: between two of them the profit hardly moves
_NEAR = 1.0  # cuts whose profit is within one standard error of the best have the narrowest limits
_WIDENING = 0.25  # per further standard error, and at most to twice the width
_THEOREM = (
    "Gaussian multiplier bootstrap of the largest error over all cuts (Chernozhukov, Chetverikov and Kato, 2013), for "
    "limits by the method of Zou and Donner (2008) from those of Clopper and Pearson: for large samples; simulated in "
    "small ones."
)


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class ProfitShortlist(Shortlist):
    """The most profitable cutoff, and the profit of every cutoff.

    Attributes
    ----------
    threshold : float or None
        Rows with at least this score are selected; None if the selection is not described by a threshold, infinite if
        no row is selected.
    chosen : ndarray of bool or None
        Which of the new rows are selected; None without new rows.
    guarantee : str
        The guarantee, in a sentence.
    method : str
        The method that determines the cutoff.
    theorem : str
        The theorem behind the guarantee.
    assumption : str
        The assumptions of the guarantee.
    not_covered : str
        What the guarantee does not cover.
    confidence_level : float or None
        Probability of the guarantee; None if it bounds an expectation.
    attained_level : float or None
        The exact probability if scores do not tie and it is known; otherwise None.
    n_pos, n_neg : int
        The numbers of positives and of negatives among the calibration rows.
    profit, low, high : float
        Profit per row of the list at this cutoff: its value on the calibration rows, and limits for the population.
    gain, cost : float
        Gain of a selected positive, and cost of every selected row.
    thresholds : ndarray
        All cutoffs, from none selected (infinite) down to all selected.
    profits, lows, highs : ndarray
        Profit per row at every cutoff, with simultaneous limits.
    """

    profit: float
    low: float
    high: float
    gain: float
    cost: float
    thresholds: FloatArray
    profits: FloatArray
    lows: FloatArray
    highs: FloatArray


def by_cost(
    y_cal: npt.ArrayLike,
    s_cal: npt.ArrayLike,
    s_new: npt.ArrayLike | None = None,
    *,
    gain: float,
    cost: float,
    confidence_level: float = 0.95,
    pos_label: Any = None,
) -> ProfitShortlist:
    r"""The cutoff with the largest profit, if a selected row costs ``cost`` and a positive one gains ``gain``.

    The profit per row of a list cut at t is

    .. math:: (\text{gain} - \text{cost})\, P(Y = 1,\, S \ge t) - \text{cost}\, P(Y = 0,\, S \ge t) .

    The cutoff maximizes it on the calibration rows. Since the maximum over many cutoffs is optimistic, limits hold
    simultaneously at all cutoffs. Those of one cutoff join the limits of Clopper and Pearson for both probabilities at
    a normal quantile z (Zou and Donner, 2008). z is the quantile of the largest error over all cutoffs, in standard
    errors, in 2,000 draws of a Gaussian process with the covariance of the profits. A cutoff whose profit is D standard
    errors of the difference below the best has limits by z · (1 + (D − 1)/4), between once and twice z: most of the
    error is spent where the best cutoff may be. The same is done in each draw, with the best cutoff of that draw.

    Parameters
    ----------
    y_cal, s_cal : array-like
        Labels and scores of the calibration rows, which were not used to train the scorer.
    s_new : array-like, optional
        Scores of the list to select from, by the same scorer.
    gain : float
        Gain of a selected positive, before its cost; more than ``cost``.
    cost : float
        Cost of every selected row, positive or not; more than zero.
    confidence_level : float
        The probability, over calibration samples, that the profits of all cutoffs are within their limits; it is
        approximate.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    ProfitShortlist
        The cutoff, its profit per row with limits, and the same for every other cutoff.

    Notes
    -----
    Tied rows are selected together. The share of positives must be that of the calibration rows. z is never below that
    of a single cutoff. The draws are those of a fixed seed.

    References
    ----------
    Chernozhukov, V., Chetverikov, D. and Kato, K. (2013). Gaussian approximations and multiplier bootstrap for maxima
    of sums of high-dimensional random vectors. *Annals of Statistics* 41.

    Zou, G. Y. and Donner, A. (2008). Construction of confidence limits about effect measures: a general approach.
    *Statistics in Medicine* 27.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.shortlist import by_cost
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(1000) < 0.3
    >>> found = by_cost(y, 2 * y + rng.normal(size=1000), gain=10, cost=3)
    >>> print(found.guarantee)
    With probability about 95 %, rows that score 1.0879 or more pay between 1.08 and 1.52 per row of the list (1.3 on
    the calibration rows), and every other cut pays what its limits say.
    """
    cost = _input.check_number("cost", cost, 0, open_low=True, open_high=True)
    gain = _input.check_number("gain", gain, 0, open_low=True, open_high=True)
    if gain <= cost:
        raise InputError(
            f"gain must exceed cost, or no row is worth selecting; got a gain of {gain:g} and a cost of {cost:g}."
        )
    level = _input.check_fraction("confidence_level", confidence_level)
    pos, neg = calibration(y_cal, s_cal, pos_label)
    thresholds = np.append(np.inf, merge_counts(pos, neg)[0][::-1])
    hits, false = (len(each) - np.searchsorted(each, thresholds, side="left") for each in (pos, neg))
    values = _Profits(hits, false, gain - cost, cost)
    profits = values.means
    lows, highs = values.limits(values.quantiles(level))
    lows[0] = highs[0] = 0.0  # who chooses nothing pays nothing and gains nothing
    best = int(np.argmax(profits))
    threshold = float(thresholds[best])
    return ProfitShortlist(
        threshold=threshold,
        chosen=chosen_from(new_scores(s_new), threshold),
        guarantee=_sentence(threshold, level, lows[best], highs[best], profits[best]),
        method="largest profit",
        theorem=_THEOREM,
        assumption=INDEPENDENT,
        not_covered="That no other cut pays more in the population; and the profit of one short list, which varies.",
        confidence_level=level,
        attained_level=None,
        n_pos=len(pos),
        n_neg=len(neg),
        profit=float(profits[best]),
        low=float(lows[best]),
        high=float(highs[best]),
        gain=gain,
        cost=cost,
        thresholds=thresholds,
        profits=profits,
        lows=lows,
        highs=highs,
    )


@dataclass(frozen=True)
class _Profits:
    """Profits per row of all cuts of one sample, none selected first and all last, and their joint limits."""

    hits: Array
    false: Array
    won: float  # by a selected positive, its cost taken off
    lost: float  # by a selected negative

    @property
    def n(self) -> int:
        return int(self.hits[-1] + self.false[-1])

    @property
    def means(self) -> FloatArray:
        return np.asarray((self.won * self.hits - self.lost * self.false) / self.n)

    @property
    def squares(self) -> FloatArray:
        """Sums of squares of the profits of rows."""
        return np.asarray(self.won**2 * self.hits + self.lost**2 * self.false)

    def widths(self, means: FloatArray, squares: FloatArray) -> FloatArray:
        """Widths of the limits relative to those of the best cut; the last axis is that of the cuts."""
        best = np.argmax(means, axis=-1)[..., np.newaxis]
        behind = np.take_along_axis(means, best, -1) - means
        variance = np.abs(squares - squares[best]) / self.n - behind**2
        error = np.sqrt(np.maximum(variance, 1e-12 * squares[-1] / self.n) / self.n)
        return np.clip(1 + _WIDENING * (behind / error - _NEAR), 1, 2)

    def quantiles(self, level: float) -> FloatArray:
        """The normal quantile of every cut with which all limits hold at once."""
        rows = self.hits + self.false
        at = np.searchsorted(rows, np.geomspace(1, self.n, _CUTS_DRAWN)[:-1])
        drawn = np.unique([0, *at, np.argmax(self.means), len(rows) - 1])
        errors = self.errors(drawn, np.random.default_rng(0))
        means, squares = self.means[drawn], self.squares[drawn]
        spread = np.sqrt((squares / self.n - means**2) / self.n)
        spread[0] = np.inf  # none selected: no error
        largest = np.max(np.abs(errors) / (spread * self.widths(means + errors, squares)), axis=1)
        z = max(float(np.quantile(largest, level)), normal_quantile(level))
        return z * self.widths(self.means, self.squares)

    def errors(self, cuts: Array, rng: np.random.Generator) -> FloatArray:
        """Draws of the errors of the profits at these cuts: normal, with the covariance of the sample."""
        scales = [np.sqrt(np.diff(each[cuts], prepend=0)) for each in (self.hits, self.false)]
        pos, neg = (rng.standard_normal((_DRAWS, len(cuts))) * scale for scale in scales)
        total = pos.sum(axis=1) + neg.sum(axis=1)
        sums = np.cumsum(self.won * pos - self.lost * neg, axis=1)
        return np.asarray((sums - total[:, np.newaxis] * self.means[cuts]) / self.n)

    def limits(self, z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Limits of the profit of every cut at these quantiles, from those of its hits and of its false alarms."""
        n, tail = self.n, ndtr(-z)
        p, q = self.hits / n, self.false / n
        p_low, q_low = (least_share(k, n, tail) for k in (self.hits, self.false))
        p_high, q_high = (1 - least_share(n - k, n, tail) for k in (self.hits, self.false))
        together = np.sqrt(p * q / np.maximum((1 - p) * (1 - q), 1 / n**2))  # rows are hits or false alarms, not both

        def distance(of_hits: FloatArray, of_false: FloatArray) -> FloatArray:
            a, b = self.won * of_hits, self.lost * of_false
            return np.asarray(np.sqrt(a**2 + b**2 + 2 * together * a * b))

        return self.means - distance(p - p_low, q_high - q), self.means + distance(p_high - p, q - q_low)


def _sentence(threshold: float, level: float, low: float, high: float, profit: float) -> str:
    about = f"With probability about {wording.level(level)}"
    if np.isinf(threshold):
        return "No cut pays on the calibration rows: choose none."
    return wording.minus(
        f"{about}, rows that score {threshold:.6g} or more pay between {low:.3g} and {high:.3g} per row of the list "
        f"({profit:.3g} on the calibration rows), and every other cut pays what its limits say."
    )
