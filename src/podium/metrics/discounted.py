"""Gains of the positives, discounted by their position from the top of the list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expi

from podium import _input
from podium._fast.order import groups_of_rows
from podium._types import Array, FloatArray
from podium.exceptions import DegenerateSampleError, InputError
from podium.ranks.means import RankMeans
from podium.ranks.pooled import TieGroups

_LONGEST = 10**8  # rows, for a discount that must be asked for at every position


def dcg(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    k: int | None = None,
    *,
    base: float = 2.0,
    discount: Callable[[FloatArray], npt.ArrayLike] | None = None,
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
        Number of positions from the top that count; all by default.
    base : float
        The base b of the logarithm; R09 (§7) takes e.
    discount : callable, optional
        A discount of your own instead of the logarithm (R09, §7): a function that takes the positions 1, 2, … as an
        array and returns what a positive at each of them is worth, never more than at the one before. ``base`` is then
        ignored.
    normalize : bool
        Whether to divide by the gain of the best ranking (NDCG).
    ties : {"average", "worst"}
        Whether a tie group counts by its mean over random orders or by its last position, as in R09.
    sample_weight : array-like, optional
        One weight per row; a weight of 3 is equivalent to three equal rows.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    float
        The gain; with ``normalize``, its share of the largest one, in [0, 1].

    Examples
    --------
    >>> from podium.metrics import dcg
    >>> dcg([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    1.5
    >>> dcg([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], discount=lambda position: 1 / position**2)
    1.111...
    """
    base = _input.check_number("base", base, 1, open_low=True)
    groups = TieGroups.of(_input.check_sample(y_true, y_score, sample_weight, pos_label))
    if k is not None:
        k = _input.check_integer("k", k, 1, int(np.ceil(groups.n_total)), "k counts rows from the top of the list.")

    discounts = (
        _logarithmic(base, k, groups.n_total) if discount is None else _Tabulated.of(discount, k, groups.n_total)
    )
    gain = _discounted_gain(groups, discounts, ties)
    if not normalize:
        return gain
    return min(gain / discounts.range(groups.n_pos, groups.n_neg)[0], 1.0)  # rounding


def graded_dcg(
    relevance: npt.ArrayLike,
    y_score: npt.ArrayLike,
    k: int | None = None,
    *,
    base: float = 2.0,
    normalize: bool = False,
    sample_weight: npt.ArrayLike | None = None,
) -> float:
    r"""Discounted cumulative gain of grades: :math:`\sum_i g_i/\log_b(1 + \mathrm{Position}_i)`, g the relevance.

    Tie groups count by their mean over random orders. For relevance 0 and 1 it is :func:`dcg`; for other gains, such as
    :math:`2^g - 1`, pass these as the relevance.

    Parameters
    ----------
    relevance : array-like
        What every row is worth at the top of the list, a number that is not negative.
    y_score : array-like
        The score of every row; position 1 is the largest one.
    k : int, optional
        Number of positions from the top that count; all by default.
    base : float
        The base b of the logarithm.
    normalize : bool
        Whether to divide by the gain of the best ranking (NDCG).
    sample_weight : array-like, optional
        One weight per row; a weight of 3 is equivalent to three equal rows.

    Returns
    -------
    float
        The gain; with ``normalize``, its share of the largest one, in [0, 1].

    Examples
    --------
    >>> from podium.metrics import graded_dcg
    >>> graded_dcg([0, 2, 1], [0.1, 0.4, 0.35])
    2.630...
    """
    base = _input.check_number("base", base, 1, open_low=True)
    scores, gains = _input.check_scores(y_score), _input.check_scores(relevance, "relevance").astype(np.float64)
    if len(scores) != len(gains):
        raise InputError(f"relevance and y_score must have the same length; got {len(gains)} and {len(scores)}.")
    if gains.min() < 0:
        raise InputError(f"relevance must be a number that is not negative; got {gains.min():g}.")
    weight = np.ones(len(gains)) if sample_weight is None else _input.check_weights(sample_weight, len(gains))
    counts = weight > 0
    scores, gains, weight = scores[counts], gains[counts], weight[counts]
    n_total = float(weight.sum())
    if k is not None:
        k = _input.check_integer("k", k, 1, int(np.ceil(n_total)), "k counts rows from the top of the list.")
    discounts = _logarithmic(base, k, n_total)
    gain = _gain_of_grades(gains, scores, weight, discounts)
    if not normalize:
        return gain
    best = _gain_of_grades(gains, gains, weight, discounts)
    if best == 0:
        raise DegenerateSampleError("A normalized gain needs a row of relevance above zero; got none.")
    return min(gain / best, 1.0)  # rounding


def _gain_of_grades(gains: FloatArray, scores: Array, weight: FloatArray, discounts: RankMeans) -> float:
    values, group = groups_of_rows(scores)
    worth, size = (np.bincount(group, each, len(values))[::-1] for each in (weight * gains, weight))
    upto = np.cumsum(size)
    return float(worth @ discounts.mean(np.append(0.0, upto[:-1]), upto))


def _logarithmic(base: float, k: int | None, n_total: float) -> RankMeans:
    def height(position: FloatArray) -> FloatArray:
        counts = 1.0 if k is None else position <= k
        return counts * np.log(base) / np.log1p(position)

    def area(position: FloatArray) -> FloatArray:  # li(1 + x) = Ei(ln(1 + x))
        return np.log(base) * expi(np.log1p(position if k is None else np.minimum(position, k)))

    return RankMeans(height, area, n_total, bounded=True)


@dataclass(frozen=True)
class _Tabulated:
    """A discount at every position, and its sums up to each; a position may be taken in parts."""

    values: FloatArray
    sums: FloatArray

    @classmethod
    def of(cls, discount: Callable[[FloatArray], npt.ArrayLike], k: int | None, n_total: float) -> _Tabulated:
        if n_total > _LONGEST:
            raise InputError(
                f"A discount of one's own needs a list of at most {_LONGEST:,} rows; got one of {n_total:g}."
            )
        positions = np.arange(1, int(np.ceil(n_total)) + 1, dtype=np.float64)
        values = np.asarray(discount(positions), dtype=np.float64)
        if values.shape != positions.shape or not np.isfinite(values).all() or (np.diff(values) > 0).any():
            raise InputError(
                "discount must give a finite number for every position, none larger than the one before; "
                f"got {values.ravel()[:5]} for the first positions."
            )
        values = values if k is None else np.where(positions <= k, values, 0.0)
        return cls(values, np.append(0.0, np.cumsum(values)))

    def height(self, position: FloatArray) -> FloatArray:
        return self.values[np.clip(np.ceil(position).astype(np.intp), 1, len(self.values)) - 1]

    def mean(self, below: FloatArray, upto: FloatArray) -> FloatArray:
        at, length = np.arange(len(self.sums)), upto - below
        total = np.interp(upto, at, self.sums) - np.interp(below, at, self.sums)
        lost = length <= 0  # by rounding
        return np.where(lost, self.height(upto), total / np.where(lost, 1.0, length))

    def range(self, n_pos: float, n_neg: float) -> tuple[float, float]:
        """Gains of the best and of the worst ranking."""
        best, worst = n_pos * self.mean(np.array([0.0, n_neg]), np.array([n_pos, n_pos + n_neg]))
        return float(best), float(worst)


def average_reciprocal_rank(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    *,
    normalize: bool = True,
    ties: str = "average",
    sample_weight: npt.ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Mean over the positives of 1/position, where position 1 is the largest score.

    With ``normalize=False`` and ``ties="worst"`` it is the AveR of R09, §7, which is a sum.

    Parameters
    ----------
    y_true, y_score : array-like
        Labels and scores, one of each per row; larger scores are more positive.
    normalize : bool
        Whether to divide by the number of positives.
    ties : {"average", "worst"}
        Whether a tie group counts by its mean over random orders or by its last position.
    sample_weight : array-like, optional
        One weight per row; a weight of 3 is equivalent to three equal rows.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    float
        The mean, or the sum, of 1/position.

    Examples
    --------
    >>> from podium.metrics import average_reciprocal_rank
    >>> average_reciprocal_rank([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.666...
    """
    groups = TieGroups.of(_input.check_sample(y_true, y_score, sample_weight, pos_label))
    gain = _discounted_gain(groups, RankMeans(np.reciprocal, np.log, groups.n_total, bounded=True), ties)
    return gain / groups.n_pos if normalize else gain


def _discounted_gain(groups: TieGroups, discounts: RankMeans | _Tabulated, ties: str) -> float:
    _input.check_choice("ties", ties, ("average", "worst"))
    _, total = groups.from_top()
    if ties == "worst":
        return float(groups.pos[::-1] @ discounts.height(np.maximum(total[1:], 1.0)))  # no position is above the first
    return float(groups.pos[::-1] @ discounts.mean(total[:-1], total[1:]))
