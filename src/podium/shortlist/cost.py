"""The most profitable cutoff, with limits for its profit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._fast.lists import merge_counts
from podium._results import wording
from podium._shares import order_statistic_limits
from podium._types import FloatArray
from podium.exceptions import InputError
from podium.roc.local_levels import local_level
from podium.shortlist.result import INDEPENDENT, Shortlist, calibration, chosen_from, new_scores


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
    simultaneously at all cutoffs: both probabilities have limits of equal local level over all t, and each family fails
    with probability at most (1 − ``confidence_level``)/2, for every distribution.

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
        The probability, over calibration samples, that the profits of all cutoffs are within their limits.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    ProfitShortlist
        The cutoff, its profit per row with limits, and the same for every other cutoff.

    Notes
    -----
    Tied rows are selected together. The share of positives must be that of the calibration rows.

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
            f"gain must exceed cost, or no row is worth selecting; got a gain of {gain:g} and a cost of {cost:g}."
        )
    level = _input.check_fraction("confidence_level", confidence_level)
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
