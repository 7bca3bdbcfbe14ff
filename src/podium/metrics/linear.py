"""Two-sample linear rank statistics W_φ, for any φ."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._fast import lists
from podium._types import FloatArray, Sample
from podium.exceptions import DegenerateSampleError, InputError
from podium.labels import Observed, measures
from podium.labels.design import design_of
from podium.phi import EarlyRecognition, Phi, resolve
from podium.ranks.means import RankMeans
from podium.ranks.pooled import BLOCK, PositiveRanks, TieGroups, positive_ranks, share_won
from podium.ranks.score_table import score_table
from podium.rounds.counted import CountedList
from podium.rounds.rows import RowsLike, rows_of

_HEAVIER = 16.0  # times as heavy as the negatives, the positives are no longer looked at
FEWEST_ROWS = 1e-3  # rows, below which ranks differ by less than rounding leaves of them


def rank_statistic(
    y_true: RowsLike,
    y_score: npt.ArrayLike | None = None,
    phi: Phi | str = "auc",
    *,
    scale: str = "omega",
    ties: str = "average",
    sample_weight: npt.ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    r"""Two-sample linear rank statistic of a list (CLV21, Equation 2.11).

    .. math:: W_\phi = \sum_{i \le n} \phi\bigl(\mathrm{Rank}_i / (N+1)\bigr), \qquad
       \omega_\phi = \frac{W_\phi - W_{\min}}{W_{\max} - W_{\min}}

    with ranks of the positives in the pooled sample of N = n + m, and W_min, W_max the values of the worst and the
    best ranking of n positives among N. Larger is better. At φ(u) = u, ω_φ is exactly the AUC. Unless φ is a straight
    line, ω_φ depends on the share of positives, and W_φ always does: compare lists of equal composition.

    Parameters
    ----------
    y_true, y_score : array-like or Dask collection
        Labels and scores, one of each per row; larger scores are more positive. In place of both, a function that
        returns chunks of them, or a :class:`podium.rounds.CountedList`.
    phi : Phi or str
        Which part of the list matters: ``"auc"``, ``"power:3"``, ``"top:0.9"``, ``"dcg:10"``, …; see `podium.phi`.
    scale : {"omega", "mean", "sum"}
        Whether to return ω_φ, on the scale from 0 to 1, W_φ/n, or W_φ.
    ties : {"average", "mid", "max"}
        What rows that tie are worth. ``"average"``: the mean of φ over the ranks of the tie group, which is the
        expectation over random orders of its rows; ω_φ stays within [0, 1]. ``"mid"``: φ at the mid-rank, which is the
        same at φ(u) = u, but at any other φ may be a value that no order of the rows has. ``"max"``: φ at the largest
        rank of the group, the paper's #{Z ≤ z}.
    sample_weight : array-like, optional
        One weight per row; a weight of 3 is equivalent to three equal rows.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    float
        ω_φ, W_φ/n or W_φ, by ``scale``.

    Examples
    --------
    >>> from podium.metrics import rank_statistic
    >>> y, s = [0, 0, 1, 1, 0, 1], [1, 2, 3, 4, 5, 6]
    >>> rank_statistic(y, s)
    0.777...
    >>> rank_statistic(y, s, phi="power:3")
    0.734...
    """
    _input.check_choice("scale", scale, ("omega", "mean", "sum"))
    _input.check_choice("ties", ties, ("average", "mid", "max"))
    phi = resolve(phi)
    if isinstance(y_true, Observed) and y_true.has_gaps:
        return _of_observed(y_true, y_score, phi, scale, ties, sample_weight, pos_label)
    rows = rows_of(y_true, y_score, sample_weight, pos_label)
    if isinstance(rows, CountedList):
        _input.check_choice("ties", ties, ("average",))
        return statistic_of_counts(rows, phi, scale)
    return statistic(rows, phi, scale, ties)


def statistic_of_counts(counted: CountedList, phi: Phi, scale: str = "omega") -> float:
    """:func:`rank_statistic` of a list that is known by counts."""
    if scale == "omega" and phi.bind(counted.n_total).is_affine:
        return counted.auc()
    if counted.is_weighted or counted.is_long:
        return statistic_of_groups(counted.ties, phi, scale)
    return statistic_of_ranks(counted.positive_ranks, phi, scale)


def _of_observed(
    observed: Observed, y_score: Any, phi: Phi, scale: str, ties: str, sample_weight: Any, pos_label: Any
) -> float:
    """The estimate for all rows of a list of which some have labels."""
    if observed.horizon is not None:
        return statistic(observed.horizon.sample(y_score, sample_weight, pos_label), phi, scale, ties)
    if ties != "average":
        raise InputError(f"With labels of some rows alone ties are worth their average; got ties={ties!r}.")
    design, rows = design_of(observed, y_score, sample_weight, pos_label, by_row=False)
    measure = measures.rank_statistic(rows, phi)
    if scale == "omega":
        return measure.at(design.pseudo_labels)
    total = float(measure.worth @ design.pseudo_labels)
    return total / float(design.pseudo_labels.sum()) if scale == "mean" else total


def statistic(sample: Sample, phi: Phi, scale: str = "omega", ties: str = "average") -> float:
    """:func:`rank_statistic` of a checked sample."""
    if sample.weight is not None:
        return statistic_of_groups(TieGroups.of(sample), phi, scale, ties)
    if scale == "omega" and ties != "max" and phi.bind(len(sample.scores)).is_affine:
        return share_won(sample)
    return statistic_of_ranks(positive_ranks(sample), phi, scale, ties)


def statistic_of_groups(groups: TieGroups, phi: Phi, scale: str = "omega", ties: str = "average") -> float:
    """:func:`rank_statistic` of tie groups whose masses are weights."""
    phi = phi.bind(groups.n_total)
    if scale == "omega" and ties != "max" and phi.is_affine:
        return groups.share_won  # whatever the sum of the weights
    if groups.n_total < FEWEST_ROWS:
        raise DegenerateSampleError(
            f"Weights count rows: they must sum to {FEWEST_ROWS:g} or more; got {groups.n_total:g}.",
            "multiply them so that they sum to the number of rows.",
        )
    if scale == "omega" and ties == "average" and groups.n_pos > _HEAVIER * groups.n_neg:
        # W of both classes together is constant; differences of sums over the lighter one keep their digits.
        return 1 - statistic_of_groups(TieGroups(groups.values, groups.neg, groups.pos), phi)
    value = statistic_of_ranks(PositiveRanks.of_groups(groups), phi, scale, ties)
    # Of weights that differ by many orders of magnitude, rounding may leave a difference of either sign.
    return min(max(value, 0.0), 1.0) if scale == "omega" and ties == "average" else value


def statistic_of_ranks(ranks: PositiveRanks, phi: Phi, scale: str = "omega", ties: str = "average") -> float:
    """:func:`rank_statistic` from where the positives stand."""
    phi = phi.bind(ranks.n_total)
    total = ranks.sum(_scores_of_positives(ranks.n_total, phi, ties))
    if scale == "sum":
        return total
    if scale == "mean":
        return total / ranks.n_pos
    worst, best = extremes(ranks.n_pos, ranks.n_neg, phi)
    if not best > worst:
        raise DegenerateSampleError(
            f"ω needs a φ that is not constant; {phi} takes one value on all ranks of {ranks.n_total:g} items.",
            "choose a φ that reaches further down the list, or scale='sum'.",
        )
    return (total - worst) / (best - worst)


@lru_cache(maxsize=256)  # the same for every list of this composition: resampling and searches ask again and again
def extremes(n_pos: float, n_neg: float, phi: Phi) -> tuple[float, float]:
    """W_φ of the worst and of the best ranking of so many positives and negatives."""
    n_total = n_pos + n_neg
    if not (isinstance(n_pos, int) and isinstance(n_neg, int)):  # sums of weights
        return RankMeans.of(phi, n_total).range(n_pos, n_neg)
    lowest = highest = 0.0
    for start in range(0, n_pos, BLOCK):
        ranks = np.arange(start + 1, min(start + BLOCK, n_pos) + 1, dtype=np.float64)
        lowest += float(phi.value(ranks / (n_total + 1)).sum())
        highest += float(phi.value((n_neg + ranks) / (n_total + 1)).sum())
    return lowest, highest


def _scores_of_positives(n_total: float, phi: Phi, ties: str) -> Callable[[PositiveRanks], FloatArray]:
    """φ at the rank of each positive, by the convention for ties."""
    if ties == "mid":
        return lambda ranks: phi.value(ranks.mid_shares)
    if ties == "max":
        return lambda ranks: phi.value(ranks.upto / (n_total + 1))
    table: list[FloatArray] = []  # of all ranks: only where rows tie, and once for all blocks
    means: list[RankMeans] = []  # only where rows have weights

    def averaged(ranks: PositiveRanks) -> FloatArray:
        if not ranks.tied:
            return phi.value(ranks.mid_shares)
        if ranks.mass is not None:
            means[:] = means or [RankMeans.of(phi, n_total)]
            return means[0].mean(ranks.below, ranks.upto)
        if not table:
            table.append(score_table(phi, int(n_total) + 1))
        return lists.means(ranks.below, ranks.upto, table[0])

    return averaged


def bedroc(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    alpha: float = 20.0,
    *,
    sample_weight: npt.ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    r"""Boltzmann-enhanced discrimination of ROC (Truchon and Bayly, 2007), in [0, 1].

    .. math:: \mathrm{RIE} = \sum_i e^{-\alpha r_i / N}, \qquad
       \mathrm{BEDROC} = \frac{\mathrm{RIE} - \mathrm{RIE}_{\min}}{\mathrm{RIE}_{\max} - \mathrm{RIE}_{\min}}

    over the positives, with r_i the position from the top of N rows, and the sums of the worst and of the best ranking
    of this many positives. Ties count by their mean over random orders. It is ω_φ with ``EarlyRecognition(alpha * (N +
    1) / N)``.

    Parameters
    ----------
    y_true, y_score : array-like
        Labels and scores, one of each per row; larger scores are more positive.
    alpha : float
        How early recognition must be: the weight falls by a factor e every 1/α of the list.
    sample_weight : array-like, optional
        One weight per row; a weight of 3 is equivalent to three equal rows.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    float
        BEDROC, from 0 (worst) to 1 (best).

    References
    ----------
    Truchon, J.-F. and Bayly, C. I. (2007). Evaluating virtual screening methods: good and bad metrics for the "early
    recognition" problem. *Journal of Chemical Information and Modeling* 47, 488–508.

    Examples
    --------
    >>> from podium.metrics import bedroc
    >>> bedroc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], alpha=20)
    0.993...
    """
    alpha = _input.check_number("alpha", alpha, 0, open_low=True)
    sample = _input.check_sample(y_true, y_score, sample_weight, pos_label)
    n_total = len(sample.scores) if sample.weight is None else max(float(sample.weight.sum()), FEWEST_ROWS)
    value = statistic(sample, EarlyRecognition(alpha * (n_total + 1) / n_total))
    return min(max(value, 0.0), 1.0)  # rounding
