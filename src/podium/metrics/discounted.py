"""Gains of the positives, discounted by their position from the top of the list."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expi

from podium import _input
from podium._types import FloatArray
from podium.ranks.means import RankMeans
from podium.ranks.pooled import TieGroups


def dcg(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    k: int | None = None,
    *,
    base: float = 2.0,
    normalize: bool = False,
    ties: str = "average",
    sample_weight: npt.ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    r"""Discounted cumulative gain: :math:`\sum_i 1/\log_b(1 + \mathrm{Position}_i)` over the positives.

    Parameters
    ----------
    y_true, y_score : array-like
        Labels and scores, one of each per row; position 1 is the largest score.
    k : int, optional
        How many positions from the top count; all by default.
    base : float
        The base b of the logarithm; R09 (§7) takes e.
    normalize : bool
        Whether to divide by the gain of the best ranking (NDCG).
    ties : {"average", "worst"}
        Whether a tie group counts by its mean over random orders or by its last position, as in R09.
    sample_weight : array-like, optional
        One weight per row; a weight of 3 is three equal rows.
    pos_label : object, optional
        The label of the positive class, needed where labels are not 0/1, −1/1 or booleans.

    Examples
    --------
    >>> dcg([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    1.5
    """
    base = _input.check_number("base", base, 1, open_low=True)
    groups = TieGroups.of(_input.check_sample(y_true, y_score, sample_weight, pos_label))
    if k is not None:
        k = _input.check_integer("k", k, 1, int(np.ceil(groups.n_total)), "k counts rows from the top of the list.")

    def discount(position: FloatArray) -> FloatArray:
        counts = 1.0 if k is None else position <= k
        return counts * np.log(base) / np.log1p(position)

    def area(position: FloatArray) -> FloatArray:  # li(1 + x) = Ei(ln(1 + x))
        return np.log(base) * expi(np.log1p(position if k is None else np.minimum(position, k)))

    discounts = RankMeans(discount, area, groups.n_total, bounded=True)
    gain = _discounted_gain(groups, discounts, ties)
    if not normalize:
        return gain
    return min(gain / discounts.range(groups.n_pos, groups.n_neg)[0], 1.0)  # rounding


def average_reciprocal_rank(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    *,
    normalize: bool = True,
    ties: str = "average",
    sample_weight: npt.ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Mean over the positives of 1/position; with ``normalize=False`` their sum, R09's AveR (§7, there ties="worst").

    Parameters
    ----------
    y_true, y_score : array-like
        Labels and scores, one of each per row; larger scores are more positive.
    normalize : bool
        Whether to divide by the number of positives.
    ties : {"average", "worst"}
        Whether a tie group counts by its mean over random orders or by its last position.
    sample_weight : array-like, optional
        One weight per row; a weight of 3 is three equal rows.
    pos_label : object, optional
        The label of the positive class, needed where labels are not 0/1, −1/1 or booleans.

    Returns
    -------
    float
        The mean, or the sum, of 1/position.

    Examples
    --------
    >>> average_reciprocal_rank([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.666...
    """
    groups = TieGroups.of(_input.check_sample(y_true, y_score, sample_weight, pos_label))
    gain = _discounted_gain(groups, RankMeans(np.reciprocal, np.log, groups.n_total, bounded=True), ties)
    return gain / groups.n_pos if normalize else gain


def _discounted_gain(groups: TieGroups, discounts: RankMeans, ties: str) -> float:
    _input.check_choice("ties", ties, ("average", "worst"))
    _, total = groups.from_top()
    if ties == "worst":
        return float(groups.pos[::-1] @ discounts.height(np.maximum(total[1:], 1.0)))  # no position is above the first
    return float(groups.pos[::-1] @ discounts.mean(total[:-1], total[1:]))
