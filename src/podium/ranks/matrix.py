"""Which of two rows, a positive and a negative, stands above: the order of a list as far as the AUC can tell."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._types import Array, FloatArray
from podium.exceptions import InputError

_MOST = 10**8  # pairs: a matrix holds every one


def bipartite_rank_matrix(y_true: npt.ArrayLike, y_score: npt.ArrayLike, *, pos_label: Any = None) -> FloatArray:
    r"""For every positive and negative: 1 if the positive stands above, ½ if they tie, 0 if below (A05, Equation 18).

    .. math:: B_{ij} = \mathbf 1\{f(x_i) > f(x'_j)\} + \tfrac12\, \mathbf 1\{f(x_i) = f(x'_j)\}

    Its mean is the AUC.

    Parameters
    ----------
    y_true, y_score : array-like
        Labels and scores, one of each per row; larger scores are more positive.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    ndarray of shape (n_pos, n_neg)
        One entry per pair, positives down and negatives across, each in the order of the input.

    Examples
    --------
    >>> from podium.ranks import bipartite_rank_matrix
    >>> bipartite_rank_matrix([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8])
    array([[1. , 0.5],
           [1. , 1. ]])
    """
    sample = _input.check_sample(y_true, y_score, pos_label=pos_label)
    return (_signs(sample.scores, sample.is_positive) + 1) / 2


def count_bipartite_orders(y_true: npt.ArrayLike, y_scores: npt.ArrayLike, *, pos_label: Any = None) -> int:
    """How many rank matrices the scorers of a finite class give to these rows, exactly (A05, Definition 4.2).

    The bipartite rank-shatter coefficient r(F, m, n) is the largest such number over all rows; for classes of linear
    and polynomial scorers :func:`podium.bounds.log_rank_shatter` bounds it. Ties count as an order of their own.

    Parameters
    ----------
    y_true : array-like
        The labels of the rows.
    y_scores : array-like of shape (n_scorers, n_rows)
        The scores that every scorer of the class gives to the rows.
    pos_label : object, optional
        The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

    Returns
    -------
    int
        The number of distinct matrices, at least one and at most the number of scorers.

    Examples
    --------
    >>> from podium.ranks import count_bipartite_orders
    >>> count_bipartite_orders([0, 1, 1], [[1, 2, 3], [1, 3, 2], [3, 2, 1]])
    2
    """
    lists = np.asarray(y_scores)
    if lists.ndim != 2 or not len(lists):
        raise InputError(
            f"y_scores must have one row per scorer and one column per label; got an array of shape {lists.shape}."
        )
    samples = (_input.check_sample(y_true, scores, pos_label=pos_label) for scores in lists)
    return len({_signs(sample.scores, sample.is_positive).tobytes() for sample in samples})


def _signs(scores: Array, is_positive: npt.NDArray[np.bool_]) -> npt.NDArray[np.int8]:
    """1, 0 or −1 for every pair, compared without differences: unsigned scores have no negative ones."""
    positives, negatives = scores[is_positive][:, None], scores[~is_positive]
    if positives.size * negatives.size > _MOST:
        raise InputError(
            f"A rank matrix needs a list of at most {_MOST:,} pairs; got {positives.size * negatives.size:,}.",
            "draw some of the rows.",
        )
    return (positives > negatives).astype(np.int8) - (positives < negatives)
