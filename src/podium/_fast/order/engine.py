"""Order of scores: by counting, or by NumPy's sort where that is faster. Exact either way."""

from __future__ import annotations

import time
from functools import cache

import numpy as np

from podium._fast.lists.groups import number_groups
from podium._fast.lists.split import split
from podium._fast.lists.wins import twice_wins
from podium._fast.order.buckets import Buckets
from podium._types import Array

_FEWEST = 1 << 14  # rows: below, the sample and the tables of cells cost more than they save
_MOST = 1 << 32  # rows, whose numbers have 32 bits
_SLOW = 12.0  # counting passes: a sort that takes longer is slower than the whole of this engine


def ascending(scores: Array, *, in_place: bool = False) -> Array:
    """The scores in order; ``in_place`` where nobody else needs them as they were."""
    if not _by_counting(scores):
        scores = scores if in_place else scores.copy()
        scores.sort()
        return scores
    buckets = Buckets.of(scores)
    buckets.settle()
    return buckets.values


def by_class(scores: Array, is_positive: Array) -> tuple[Array, Array]:
    """Scores of the positives and of the negatives, each in order."""
    if not _by_counting(scores):
        pos, neg = split(scores, is_positive)
        pos.sort()
        neg.sort()
        return pos, neg
    buckets = Buckets.of(scores, is_positive)
    buckets.settle()
    n_neg = buckets.starts[buckets.n_cells]
    return buckets.values[n_neg:], buckets.values[:n_neg]


def rows_ascending(scores: Array) -> tuple[Array, Array]:
    """Row numbers by ascending score, and the scores in this order."""
    if not _by_counting(scores, rows=True):
        rows = np.argsort(scores)
        return rows, scores[rows]
    buckets = Buckets.of(scores, with_rows=True)
    buckets.settle()
    assert buckets.rows is not None
    return buckets.rows, buckets.values


def groups_of_rows(scores: Array) -> tuple[Array, Array]:
    """The distinct scores, ascending, and the number of every row's among them: ``np.unique`` with its inverse."""
    rows, values = rows_ascending(scores)
    distinct, group = number_groups(values, rows)
    return distinct, group


def rows_by_class(scores: Array, is_positive: Array) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """The same of the positives and of the negatives."""
    if not _by_counting(scores, rows=True):
        members = (np.flatnonzero(of) for of in (is_positive, ~is_positive))
        pos, neg = (rows[np.argsort(scores[rows])] for rows in members)
        return (pos, scores[pos]), (neg, scores[neg])
    buckets = Buckets.of(scores, is_positive, with_rows=True)
    buckets.settle()
    assert buckets.rows is not None
    n_neg = buckets.starts[buckets.n_cells]
    return (buckets.rows[n_neg:], buckets.values[n_neg:]), (buckets.rows[:n_neg], buckets.values[:n_neg])


def twice_pairs_won(scores: Array, is_positive: Array) -> int:
    """Twice the number of pairs with the positive above the negative, ties counting one half.

    Without a sort this is faster than any.
    """
    if not _is_long(scores):
        return int(twice_wins(*by_class(scores, is_positive)))
    return Buckets.of(scores, is_positive).twice_pairs_won()


def _by_counting(scores: Array, rows: bool = False) -> bool:
    """The rule, in one place: long lists of plain numbers, unless NumPy's sort is a fast one (its argsort never is)."""
    return _is_long(scores) and (rows or sort_in_counting_passes() > _SLOW)


def _is_long(scores: Array) -> bool:
    return _FEWEST <= len(scores) < _MOST and scores.dtype == np.float64


@cache
def sort_in_counting_passes() -> float:
    """How many counting passes NumPy's sort takes here: a property of the processor and of NumPy, measured once."""
    values = np.random.default_rng(0).random(_FEWEST)
    cells = (values * 1000).astype(np.intp)
    seconds = {np.sort: np.inf, np.bincount: np.inf}
    for _ in range(5):  # the best of some: a busy spell must not decide
        for step, argument in ((np.sort, values), (np.bincount, cells)):
            begun = time.perf_counter()
            step(argument)
            seconds[step] = min(seconds[step], time.perf_counter() - begun)
    return float(seconds[np.sort] / seconds[np.bincount])
