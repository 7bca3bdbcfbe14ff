"""Ranks in the pooled sample: where tie groups begin and end, and mid- and max-ranks.

Weights count rows: a row of weight 3 stands for three equal rows, and fractional weights interpolate. With W_< the
weight below a tie group and t its own weight, mid-rank = W_< + (t + 1)/2 and max-rank = W_< + t = #{Z ≤ z}.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._fast import lists
from podium._fast.order import by_class, groups_of_rows, rows_ascending, twice_pairs_won
from podium._types import Array, FloatArray, Sample
from podium.exceptions import InputError

BLOCK = 2**15  # rows at a time; at 8 bytes each, a few arrays of them fit the second-level cache


def mid_ranks(scores: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> FloatArray:
    """Mid-rank of every score, in input order; 1 is the lowest.

    Parameters
    ----------
    scores : array-like
        The scores of all rows.
    sample_weight : array-like, optional
        One weight per row; a weight of 3 is three equal rows.

    Returns
    -------
    ndarray
        One rank per row, in the order of the input.

    Examples
    --------
    >>> from podium.ranks import mid_ranks
    >>> mid_ranks([10, 20, 20, 30])
    array([1. , 2.5, 2.5, 4. ])
    """
    below, upto = _checked_bounds(scores, sample_weight)
    return (below + upto + 1) / 2


def max_ranks(scores: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> FloatArray:
    """#{Z ≤ z} for every score, in input order: the rank as CLV21 writes it.

    Parameters
    ----------
    scores : array-like
        The scores of all rows.
    sample_weight : array-like, optional
        One weight per row; a weight of 3 is three equal rows.

    Returns
    -------
    ndarray
        One rank per row, in the order of the input.

    Examples
    --------
    >>> from podium.ranks import max_ranks
    >>> max_ranks([10, 20, 20, 30])
    array([1., 3., 3., 4.])
    """
    return np.asarray(_checked_bounds(scores, sample_weight)[1], dtype=np.float64)


def pooled_bounds(values: Array, weight: FloatArray | None = None) -> tuple[Array, Array]:
    """Mass below the tie group of every value, and up to and including it, in input order; values are checked."""
    group = groups_of_rows(values)[1]
    mass = np.bincount(group, weight)
    upto = np.cumsum(mass)
    below = np.concatenate([upto[:1] * 0, upto[:-1]])  # not a difference, in which light groups would be lost
    return below[group], upto[group]


def _checked_bounds(scores: npt.ArrayLike, sample_weight: npt.ArrayLike | None) -> tuple[Array, Array]:
    values = _input.check_scores(scores, "scores")
    return pooled_bounds(values, None if sample_weight is None else _input.check_weights(sample_weight, len(values)))


@dataclass(frozen=True, slots=True)
class PositiveRanks:
    """Where the positives stand in the pooled sample: the mass below each of them, and up to and including it."""

    values: Array  # their scores, ascending
    below: Array
    upto: Array
    mass: FloatArray | None  # of the positives of each entry; None: one each
    n_pos: float
    n_neg: float

    @classmethod
    def of_groups(cls, ties: TieGroups) -> PositiveRanks:
        """One entry for every group that holds positives."""
        some = ties.pos > 0
        return cls(ties.values[some], ties.below[some], ties.upto[some], ties.pos[some], ties.n_pos, ties.n_neg)

    @property
    def n_total(self) -> float:
        return self.n_pos + self.n_neg

    @property
    def mid(self) -> FloatArray:
        return (self.below + self.upto + 1) / 2

    @property
    def tied(self) -> bool:
        """Whether any of them shares its rank, or a weight makes it more or less than one row."""
        return self.mass is not None or int((self.upto - self.below).sum()) != len(self.below)

    @property
    def mid_shares(self) -> FloatArray:
        """Mid-rank/(N + 1), in one division so that it is the nearest float: φ may jump at such a share."""
        return (self.below + self.upto + 1) / (2 * (self.n_total + 1))

    def sum(self, function: Callable[[PositiveRanks], FloatArray]) -> float:
        """Σ over the positives of a function of their ranks, block by block: temporaries stay in the cache."""
        total = 0.0
        for start in range(0, len(self.below), BLOCK):
            part = slice(start, start + BLOCK)
            below, upto, mass = self.below[part], self.upto[part], None if self.mass is None else self.mass[part]
            values = function(replace(self, values=self.values[part], below=below, upto=upto, mass=mass))
            total += float(values.sum() if mass is None else mass @ values)
        return total


def positive_ranks(sample: Sample) -> PositiveRanks:
    """Ranks of the positives, by ascending score: each class in order, then a merge."""
    if sample.weight is None:
        pos, neg = by_class(sample.scores, sample.is_positive)
        below, upto = lists.rank_bounds(pos, neg)
        return PositiveRanks(pos, below, upto, None, len(pos), len(neg))
    return PositiveRanks.of_groups(TieGroups.of(sample))


def share_won(sample: Sample) -> float:
    """The AUC of rows without weights, from whole numbers: the nearest float."""
    n_pos = int(np.count_nonzero(sample.is_positive))
    return twice_pairs_won(sample.scores, sample.is_positive) / (2 * n_pos * (len(sample.scores) - n_pos))


@dataclass(frozen=True)
class TieGroups:
    """The list as groups of equal scores, ascending: ``pos`` and ``neg`` are the masses of the classes in each."""

    values: Array
    pos: Array
    neg: Array

    @staticmethod
    def of(sample: Sample) -> TieGroups:
        """The groups of rows in memory.

        Parameters
        ----------
        sample : Sample
            Scores, labels and weights that were checked already.
        """
        if sample.weight is None:
            return TieGroups(*lists.merge_counts(*by_class(sample.scores, sample.is_positive)))
        order, _ = rows_ascending(sample.scores)
        return TieGroups(*lists.merge_weights(sample.scores, sample.is_positive, sample.weight, order))

    @cached_property
    def total(self) -> Array:
        """Mass of both classes in each group."""
        return self.pos + self.neg

    @cached_property
    def n_pos(self) -> float:
        """The number of positives, or their weight."""
        return self.pos.sum().item()

    @cached_property
    def n_neg(self) -> float:
        """The number of negatives, or their weight."""
        return self.neg.sum().item()

    @property
    def n_total(self) -> float:
        """The number of rows, or their weight."""
        return self.n_pos + self.n_neg

    @cached_property
    def upto(self) -> Array:
        """Mass up to and including each group."""
        return np.cumsum(self.total)

    @cached_property
    def below(self) -> Array:
        """Mass below each group: not a difference, in which light groups beside heavy ones would be lost."""
        return np.concatenate([self.upto[:1] * 0, self.upto[:-1]])

    @property
    def share_won(self) -> float:
        """The AUC: the share of pairs in the right order, those that tie counting one half, by their weights."""
        beaten = np.cumsum(self.neg) - self.neg / 2
        return min(float((self.pos / self.n_pos) @ (beaten / self.n_neg)), 1.0)

    def from_top(self) -> tuple[FloatArray, FloatArray]:
        """Mass of the positives, and of all, among the best g groups, g = 0, 1, …."""
        zero = np.zeros(1)
        return (
            np.concatenate([zero, np.cumsum(self.pos[::-1])]),
            np.concatenate([zero, np.cumsum(self.total[::-1])]),
        )


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


def is_bipartite_rank_matrix(matrix: npt.ArrayLike) -> bool:
    """Whether some scores show this matrix: whether its mixed graph is acyclic (A05, Theorem 4.3, part 1).

    The graph has a node for every positive and negative, an arrow from each to those that it stands above, and an edge
    without direction between those that tie. It is acyclic if no walk along arrows and edges that takes an arrow comes
    back to where it began: if, with tied nodes put together, the arrows have an order.

    Parameters
    ----------
    matrix : array-like of shape (n_pos, n_neg)
        Entries 0, ½ and 1, as :func:`bipartite_rank_matrix` returns them.

    Returns
    -------
    bool
        Whether it is a bipartite rank matrix.

    Examples
    --------
    >>> from podium.ranks import is_bipartite_rank_matrix
    >>> is_bipartite_rank_matrix([[1, 0.5], [1, 1]]), is_bipartite_rank_matrix([[1, 0], [0, 1]])
    (True, False)
    """
    entries = np.asarray(matrix, dtype=np.float64)
    if entries.ndim != 2 or not entries.size or not np.isin(entries, (0, 0.5, 1)).all():
        raise InputError(
            f"A rank matrix has entries 0, ½ and 1, positives down and negatives across; got shape {entries.shape}.",
            "bipartite_rank_matrix makes one from labels and scores.",
        )
    n_pos, n_nodes = len(entries), sum(entries.shape)
    group = np.arange(n_nodes)  # positives first
    for i, j in np.argwhere(entries == 0.5):
        group[group == group[n_pos + j]] = group[i]
    above = {(group[i], group[n_pos + j]) for i, j in np.argwhere(entries == 1)}
    above |= {(group[n_pos + j], group[i]) for i, j in np.argwhere(entries == 0)}
    left = set(group.tolist())
    while left:
        best = left - {low for high, low in above if high in left}
        if not best:
            return False
        left -= best
    return True


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
