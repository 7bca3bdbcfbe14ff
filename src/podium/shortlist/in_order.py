"""When to stop reading a list in its order: a recall guarantee without a random phase."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import bdtrc

from podium import _input
from podium._fast.sequences import refuted_after
from podium._types import Array, BoolArray, FloatArray
from podium.exceptions import InputError
from podium.shortlist.stopping import RecallClaim, counted, most_allowed, recall_claim

_FALLING = (
    "Rows are positive independently of each other, and a row further down is no more likely positive than one further "
    "up; every label is right."
)
_CALIBRATED = (
    "Rows are positive independently of each other, and their odds of being positive exceed those given by a factor "
    "that does not grow down the list; every label is right."
)
_CONTRADICTED = (
    "Of the rows read, more of those further down are positive than the chances say: they are not to be relied upon. "
    "Test without them, or draw rows at random."
)
_DRAWN = " The sample was drawn at random without replacement from the rows below those read."
_WINDOWS = (0.05, 0.1, 0.2, 0.4)  # shares of the list over which the rate of positives is estimated
_MOST = 0.99  # of the wealth at stake
_PLACES = (0.5, 0.75, 0.875, 0.9375)  # of the rows read, below which more positives than given contradict the chances
_DOUBT = 0.1  # level of that test; it only withholds claims


def recall_in_order(
    y_read: npt.ArrayLike,
    n_total: int,
    *,
    y_sampled: npt.ArrayLike = (),
    chances: npt.ArrayLike | None = None,
    recall: float = 0.95,
    confidence_level: float = 0.95,
    pos_label: Any = None,
) -> RecallClaim:
    r"""Test whether the share of all positives found so far is at least ``recall``, of a list read in its order.

    No row need be drawn at random if a row further down is no more likely positive than one further up, or if the
    given ``chances`` are calibrated up to a factor that does not grow down the list. Were there T positives in all, of
    which d among row i and the m below it, then with odds :math:`w_i` the i-th would be positive with odds of at least

    .. math:: \frac{q_i}{1 - q_i} = d\, \frac{m\, w_i}{(m - d + 1) \sum_{j > i} w_j}

    (Newton's inequalities for the elementary symmetric functions of the odds below); with equal odds, q is d/(m + 1).
    So the wealth of a bet that loses with positives, with its stake :math:`0 \le \lambda_i < 1` chosen beforehand,

    .. math:: M_r(T) = \prod_{i \le r} \bigl(1 + \lambda_i (q_i(T) - y_i)\bigr),

    is a test supermartingale under T, which is refuted once it has reached 1/(1 − ``confidence_level``) (Ville). It
    grows with T: if T is refuted, all larger numbers are. With R positives found and the largest T not refuted the
    recall is at least R/T, whenever one looks. The stake is 1 − (expected rate)/q, at least 0, for the q where the
    recall would just be reached; the expected rate is the lowest of those of four windows of the last rows.

    Parameters
    ----------
    y_read : array-like
        Labels of the rows read, from the top of the list in its order.
    n_total : int
        The length of the whole list.
    y_sampled : array-like
        Labels of further rows drawn at random from those below, in the order in which they were drawn; may be empty.
        For these no assumption about the order is needed.
    chances : array-like, optional
        The chance of being positive of every row of the list, in its order, as predicted; strictly between 0 and 1.
    recall : float
        The target share of all positives of this list, in (0, 1).
    confidence_level : float
        The probability that no false claim is made, however often the test is repeated.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    RecallClaim
        Whether the recall is guaranteed, how many more rows are needed if not, and how to go on.

    Notes
    -----
    `recall_reached` needs no assumption about the order, but a random sample. Where positives hide at the bottom, as
    those that a scorer does not know at all, this test claims too much: see the simulations. Nothing is claimed while
    the rows read contradict the chances: if, below the half, three quarters, … of the rows read, there are more
    positives than their share of the chances makes likely (binomial tests at 10 %, given all positives).

    References
    ----------
    Waudby-Smith, I. and Ramdas, A. (2024). Estimating means of bounded random variables by betting. *Journal of the
    Royal Statistical Society B* 86.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.shortlist import recall_in_order
    >>> read = np.repeat([True, False, True, False], [150, 50, 40, 1260])
    >>> recall_in_order(read, 3000, recall=0.9)
    At least 96.9 % of all positives were found, with probability 95 %: 190 so far, at most 6 missed.
    >>> print(recall_in_order(read[:320], 3000, recall=0.9).plan)
    Read on in order until 1 or fewer of 150 rows in succession are positive (40 of the last 150 were); then draw rows
    at random from those not read.
    """
    target = _input.check_fraction("recall", recall)
    level = _input.check_fraction("confidence_level", confidence_level)
    read, sampled = counted(y_read, pos_label), counted(y_sampled, pos_label)
    n_total = _input.check_integer("n_total", n_total, 1)
    n_seen = len(read) + len(sampled)
    if n_seen > n_total:
        raise InputError(
            f"n_total must be at least the number of rows read; got {n_total:,} with {n_seen:,} rows read."
        )
    given = _chances(chances, n_total)
    game = _Bets(read, sampled, n_total, given, target, 1 / (1 - level))
    found = int(read.sum() + sampled.sum())
    totals = range(found + 1, found + n_total - n_seen + 1)
    most = found + bisect_left(totals, True, key=lambda total: 0 <= game.refuted_after(total) <= n_seen)
    border = most_allowed(found, target)
    still = 0 if most <= border else game.refuted_after(border + 1) - n_seen
    plan = game.plan() if still else "Stop reading."
    if given is not None and n_seen < n_total and contradicts(read, given):
        most, still, plan = found + n_total - n_seen, n_total - n_seen, _CONTRADICTED
    return recall_claim(
        target=target,
        level=level,
        found=found,
        most=most,
        sizes=(len(read), len(sampled), n_total),
        still=still,
        plan=plan,
        further="drawn at random" if len(sampled) else "read in order",
        method="bets on the next row, a test supermartingale",
        theorem="Ville's inequality for a test supermartingale (Waudby-Smith and Ramdas, 2024).",
        not_covered="Positives that a reader did not recognize, and those that stand lower than is assumed.",
        assumption=(_FALLING if chances is None else _CALIBRATED) + (_DRAWN if len(sampled) else ""),
    )


def contradicts(read: BoolArray, chances: FloatArray) -> bool:
    """Whether, of the rows read, more of those further down are positive than the chances say, beside those above.

    With a factor that does not grow, the hits below a place are at most binomial, given all hits (approximately).
    """
    hits, expected = np.cumsum(read), np.cumsum(chances[: len(read)])
    places = np.unique([int(place * len(read)) for place in _PLACES])
    places = places[places > 0]
    if not len(places) or not hits[-1]:
        return False
    below = hits[-1] - hits[places - 1]
    share = 1 - expected[places - 1] / expected[-1]
    return bool(np.any((below > 0) & (bdtrc(below - 1.0, hits[-1], share) < _DOUBT)))


class _Bets:
    """The stakes on every row of a list, as if no row that was not seen were positive, and what they refute."""

    def __init__(
        self,
        read: BoolArray,
        sampled: BoolArray,
        n_total: int,
        chances: FloatArray | None,
        recall: float,
        boundary: float,
    ) -> None:
        self.n_read, self.sampled, self.boundary = len(read), len(sampled) > 0, boundary
        self.n_seen = len(read) + len(sampled)
        self.is_positive = np.zeros(n_total, dtype=np.int64)
        self.is_positive[: self.n_seen] = np.concatenate([read, sampled])
        self.ordered = n_total if not self.sampled else len(read)
        self.even = chances is None
        chances = np.full(n_total, 0.5) if chances is None else chances
        self.slopes = np.ones(n_total)
        later = np.arange(n_total - 1, -1, -1)
        if not self.even:
            odds = chances / (1 - chances)
            below = np.append(np.cumsum(odds[:0:-1])[::-1], 0.0)
            known = slice(0, min(self.ordered, n_total - 1))
            self.slopes[known] = later[known] * odds[known] / below[known]
        before = np.append(0, np.cumsum(self.is_positive)[:-1])
        allowed = before * (1 / recall - 1) + 1  # positives left if the recall were just reached
        reach = allowed * self.slopes / np.maximum(later - allowed + 1, 1e-9)
        self.limits = reach / (1 + reach)  # chance of a positive from which on no bet is placed
        self.rates = self._rates(chances, before)
        self.bets = np.clip(1 - self.rates / self.limits, 0, _MOST)

    def _rates(self, chances: FloatArray, before: Array) -> FloatArray:
        """The expected chance of every row: as given, times the ratio of those found to those expected of late."""
        n_total, ordered = len(chances), self.ordered
        expected = np.append(0.0, np.cumsum(chances))
        i = np.arange(ordered)
        rates = np.full(n_total, np.inf)
        for window in _WINDOWS:
            first = np.maximum(0, i - max(10, int(window * n_total)))
            ratio = (before[i] - before[first] + 0.5) / (expected[i] - expected[first] + 0.5)
            rates[:ordered] = np.minimum(rates[:ordered], chances[:ordered] * ratio)
        drawn = np.arange(n_total - ordered)
        hits = before[ordered:] - before[ordered : ordered + 1]
        rates[ordered:] = (hits + 0.5) / (drawn + 1 / self.limits[ordered:])  # half the limit to begin with
        return rates

    def refuted_after(self, total: int) -> int:
        """After how many rows it is refuted that there are so many positives in all, if no row unseen is positive."""
        return int(refuted_after(self.is_positive, self.bets, self.slopes, total, self.boundary))

    def plan(self) -> str:
        """How to go on: in order while this finds more than the recall could spare, then by drawing."""
        n_total, n_seen = len(self.is_positive), self.n_seen
        if self.sampled:
            return "Go on drawing rows at random from those not read."
        if not self.even:
            return "Read on in order."
        window = min(n_seen, max(20, int(_WINDOWS[0] * n_total)))
        late = int(self.is_positive[n_seen - window : n_seen].sum())
        spared = int(window * self.limits[min(n_seen, n_total - 1)])
        if not window or late > spared:
            until = f"{spared:,} or fewer" if spared else "none"
            return (
                f"Read on in order until {until} of {max(window, 20):,} rows in succession are positive "
                f"({late:,} of the last {window:,} were); then draw rows at random from those not read."
            )
        return "Few rows that come next are positive: draw rows at random from those not read."


def _chances(chances: npt.ArrayLike | None, n_total: int) -> FloatArray | None:
    if chances is None:
        return None
    values = _input.check_scores(chances, "chances").astype(np.float64, copy=False)
    if len(values) != n_total:
        raise InputError(f"chances must have one value for each of the {n_total:,} rows; got {len(values):,}.")
    if not ((values > 0) & (values < 1)).all():
        raise InputError(
            f"chances must lie strictly between 0 and 1; got {values.min():g} to {values.max():g}.",
            "a row that cannot be positive need not be on the list; add half a positive to every stratum.",
        )
    return values
