"""The cut that pays best, with limits for what it pays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._fast.lists import merge_counts
from podium._results import wording
from podium._types import FloatArray
from podium.exceptions import InputError
from podium.roc.local_levels import local_level, order_statistic_limits
from podium.shortlist.result import INDEPENDENT, Shortlist, calibration, chosen_from, new_scores


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class ProfitShortlist(Shortlist):
    """The cut that pays best, and what every cut pays.

    Attributes
    ----------
    threshold : float or None
        Rows with this score or a larger one are chosen; None where no threshold describes them, and infinite where no
        row may be chosen.
    chosen : ndarray of bool or None
        Which of the new rows are chosen; None where no new rows were given.
    guarantee : str
        What holds, in a sentence.
    method : str
        How the cut was found.
    theorem : str
        What the guarantee rests on.
    assumption : str
        What must be true for it.
    not_covered : str
        What the guarantee does not say.
    confidence_level : float or None
        Probability of the guarantee; None where it is about an expectation.
    attained_level : float or None
        The exact probability where scores do not tie and no more can be claimed; None where it is not known.
    n_pos, n_neg : int
        The numbers of positives and of negatives among the calibration rows.
    profit, low, high : float
        Profit per row of the list at this cut: its value on the calibration rows, and its limits in the population.
    gain, cost : float
        What a chosen positive brings, and what every chosen row costs.
    thresholds : ndarray
        All cuts, from none chosen (infinite) down to all chosen.
    profits, lows, highs : ndarray
        Profit per row at every cut, with limits that hold for all cuts at once.
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
    r"""The cut with the largest profit, where a chosen row costs ``cost`` and a positive one brings ``gain``.

    The profit per row of a list cut at t is

    .. math:: (\text{gain} - \text{cost})\, P(Y = 1,\, S \ge t) - \text{cost}\, P(Y = 0,\, S \ge t) .

    The cut maximizes it on the calibration rows. The maximum over many cuts is too good to be true; so its limits are
    those that hold at every cut at once: both probabilities have limits of equal local level over all t, each family
    missed with probability (1 − ``confidence_level``)/2, whatever the distribution.

    Parameters
    ----------
    y_cal, s_cal : array-like
        Labels and scores of the calibration rows, which had no part in making the scorer.
    s_new : array-like, optional
        Scores of a list to choose from, by the same scorer.
    gain : float
        What a chosen positive brings, before its cost; more than ``cost``.
    cost : float
        What every chosen row costs, positive or not; more than zero.
    confidence_level : float
        The probability, over calibration samples, that the profits of all cuts are within their limits.
    pos_label : object, optional
        The label of the positive class, needed where labels are not 0/1, −1/1 or booleans.

    Returns
    -------
    ProfitShortlist
        The cut, its profit per row with limits, and the same for every other cut.

    Notes
    -----
    Rows that tie are chosen together. The share of positives must be that of the calibration rows.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.shortlist import by_cost
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(1000) < 0.3
    >>> found = by_cost(y, 2 * y + rng.normal(size=1000), gain=10, cost=3)
    >>> print(found.guarantee)
    With probability at least 95 %, rows that score 1.0879 or more pay between 0.874 and 1.73 per row of the list
    (1.3 on the calibration rows), and every other cut pays what its limits say.
    """
    cost = _input.check_number("cost", cost, 0, open_low=True, open_high=True)
    gain = _input.check_number("gain", gain, 0, open_low=True, open_high=True)
    if gain <= cost:
        raise InputError(
            f"gain must be more than cost, or no row is worth choosing; got a gain of {gain:g} and a cost of {cost:g}."
        )
    level = _input.check_number("confidence_level", confidence_level, 0, 1, open_low=True, open_high=True)
    pos, neg = calibration(y_cal, s_cal, pos_label)
    n = len(pos) + len(neg)
    thresholds = np.append(np.inf, merge_counts(pos, neg)[0][::-1])
    hits, false = (len(each) - np.searchsorted(each, thresholds, side="left") for each in (pos, neg))
    # Each family by itself: one sample of n, inside its limits with probability 1 − (1 − level)/2.
    least, most = order_statistic_limits(n, local_level(n, n, ((1 + level) / 2) ** 2) / 2)
    profits = ((gain - cost) * hits - cost * false) / n
    lows = (gain - cost) * least[hits] - cost * most[false + 1]
    highs = (gain - cost) * most[hits + 1] - cost * least[false]
    lows[0] = highs[0] = 0.0  # who chooses nothing pays nothing and gains nothing
    best = int(np.argmax(profits))
    threshold = float(thresholds[best])
    return ProfitShortlist(
        threshold=threshold,
        chosen=chosen_from(new_scores(s_new), threshold),
        guarantee=_sentence(threshold, level, lows[best], highs[best], profits[best]),
        method="largest profit",
        theorem="Limits for all order statistics at once, each missed with the same probability (equal local levels).",
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


def _sentence(threshold: float, level: float, low: float, high: float, profit: float) -> str:
    at_least = f"With probability at least {wording.level(level)}"
    if np.isinf(threshold):
        return "No cut pays on the calibration rows: choose none."
    return wording.minus(
        f"{at_least}, rows that score {threshold:.6g} or more pay between {low:.3g} and {high:.3g} per row of the list "
        f"({profit:.3g} on the calibration rows), and every other cut pays what its limits say."
    )
