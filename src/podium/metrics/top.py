"""What the top of the list holds: hits among the first k, and average precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium.exceptions import InputError
from podium.labels.design import tie_groups
from podium.ranks.pooled import TieGroups
from podium.rounds.rows import RowsLike


def precision_at(
    y_true: RowsLike,
    y_score: npt.ArrayLike | None = None,
    k: int | None = None,
    *,
    fraction: float | None = None,
    prevalence: float | None = None,
    sample_weight: npt.ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Share of positives among the first ``k``, or the first ``fraction``, of the list.

    Where a tie group straddles the cut, its expected share over random orders counts. A fraction is rounded up to
    whole rows. With weights, k is in units of weight.

    Parameters
    ----------
    y_true, y_score : array-like or Dask collection
        Labels and scores, one of each per row; larger scores are more positive. In place of both, a function that
        returns chunks of them, or a :class:`podium.rounds.CountedList`.
    k : int, optional
        Number of rows inspected from the top; either this or ``fraction``.
    fraction : float, optional
        Share of the list inspected, in (0, 1]; either this or ``k``.
    prevalence : float, optional
        The share of positives in the population of interest, if it differs from the share here, for instance when
        positives and negatives were sampled separately: classes are reweighted to it, and the list keeps its length.
    sample_weight : array-like, optional
        One weight per row; a weight of 3 is equivalent to three equal rows.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    float
        The share of positives, in [0, 1].

    Examples
    --------
    >>> from podium.metrics import precision_at
    >>> precision_at([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], k=2)
    0.5
    """
    ties = tie_groups(y_true, y_score, sample_weight, pos_label)
    hits, size, _ = expected_hits(ties, k, fraction, prevalence)
    return hits / size


def recall_at(
    y_true: RowsLike,
    y_score: npt.ArrayLike | None = None,
    k: int | None = None,
    *,
    fraction: float | None = None,
    prevalence: float | None = None,
    sample_weight: npt.ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Share of all positives found among the first ``k``, or the first ``fraction``; ties as in `precision_at`.

    Parameters
    ----------
    y_true, y_score : array-like or Dask collection
        Labels and scores, one of each per row; larger scores are more positive. In place of both, a function that
        returns chunks of them, or a :class:`podium.rounds.CountedList`.
    k : int, optional
        Number of rows inspected from the top; either this or ``fraction``.
    fraction : float, optional
        Share of the list inspected, in (0, 1]; either this or ``k``.
    prevalence : float, optional
        The share of positives in the population of interest, if it differs from the share here, for instance when
        positives and negatives were sampled separately: classes are reweighted to it, and the list keeps its length.
    sample_weight : array-like, optional
        One weight per row; a weight of 3 is equivalent to three equal rows.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    float
        The share of all positives, in [0, 1].

    Examples
    --------
    >>> from podium.metrics import recall_at
    >>> recall_at([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], fraction=0.75)
    1.0
    """
    ties = tie_groups(y_true, y_score, sample_weight, pos_label)
    hits, _, n_pos = expected_hits(ties, k, fraction, prevalence)
    return hits / n_pos


def lift_at(
    y_true: RowsLike,
    y_score: npt.ArrayLike | None = None,
    k: int | None = None,
    *,
    fraction: float | None = None,
    prevalence: float | None = None,
    sample_weight: npt.ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Precision among the first ``k`` or ``fraction``, relative to that of random order; ties as in `precision_at`.

    Parameters
    ----------
    y_true, y_score : array-like or Dask collection
        Labels and scores, one of each per row; larger scores are more positive. In place of both, a function that
        returns chunks of them, or a :class:`podium.rounds.CountedList`.
    k : int, optional
        Number of rows inspected from the top; either this or ``fraction``.
    fraction : float, optional
        Share of the list inspected, in (0, 1]; either this or ``k``.
    prevalence : float, optional
        The share of positives in the population of interest, if it differs from the share here, for instance when
        positives and negatives were sampled separately: classes are reweighted to it, and the list keeps its length.
    sample_weight : array-like, optional
        One weight per row; a weight of 3 is equivalent to three equal rows.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    float
        The ratio of the two precisions; 1 is chance.

    Examples
    --------
    >>> from podium.metrics import lift_at
    >>> lift_at([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], k=1)
    2.0
    """
    ties = tie_groups(y_true, y_score, sample_weight, pos_label)
    hits, size, n_pos = expected_hits(ties, k, fraction, prevalence)
    return hits / n_pos * (ties.n_total / size)


def average_precision(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    *,
    sample_weight: npt.ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """Average precision, Σ_g (recall_g − recall_(g−1))·precision_g over the tie groups g from the top.

    Recall and precision are those of all rows down to the end of group g; it is scikit-learn's
    ``average_precision_score``.

    Parameters
    ----------
    y_true, y_score : array-like
        Labels and scores, one of each per row; larger scores are more positive.
    sample_weight : array-like, optional
        One weight per row; a weight of 3 is equivalent to three equal rows.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    float
        The average precision, in (0, 1].

    Examples
    --------
    >>> from podium.metrics import average_precision
    >>> average_precision([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.833...
    """
    ties = tie_groups(y_true, y_score, sample_weight, pos_label)
    pos, total = ties.from_top()
    return float((ties.pos[::-1] / pos[-1]) @ (pos[1:] / total[1:]))


def expected_hits(
    ties: TieGroups, k: int | None, fraction: float | None, prevalence: float | None
) -> tuple[float, float, float]:
    """Expected positives among the first rows, how many rows these are, and how many positives there are."""
    if (k is None) == (fraction is None):
        got = "neither" if k is None else "both"
        raise InputError(f"Say how much of the list to look at, k rows or a fraction of it; got {got}.")
    if fraction is not None:
        share = _input.check_number("fraction", fraction, 0, 1, open_low=True)
        k = max(1, int(np.ceil(share * ties.n_total * (1 - 1e-12))))  # 0.07 * 100 is 7, although the float is above
    _input.check_integer("k", k, 1, int(np.ceil(ties.n_total)), f"the list has {ties.n_total:g} rows.")
    size = min(float(k), ties.n_total)  # type: ignore[arg-type]  # checked; the last row may count for less than one
    pos, total = ties.from_top()
    if prevalence is not None:
        share = _input.check_fraction("prevalence", prevalence)
        neg = (total - pos) * ((1 - share) * total[-1] / (total - pos)[-1])
        pos = pos * (share * total[-1] / pos[-1])
        total = pos + neg
    return float(np.interp(size, total, pos)), size, float(pos[-1])
