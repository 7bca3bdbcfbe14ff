"""The two passes over the chunks, and what they make of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._fast.order.engine import ascending
from podium._types import Array, BoolArray, Sample
from podium.chunks.counted import CountedList
from podium.exceptions import DegenerateSampleError

CLASSES = ("positives", "negatives")


@dataclass(frozen=True, eq=False, kw_only=True)
class Collected:
    """What the first pass makes of some chunks; ``a + b`` is that of the rows of both.

    Attributes
    ----------
    values : ndarray
        The distinct scores of the class that is collected, ascending.
    counts : ndarray
        How many rows have each of them.
    """

    values: Array
    counts: Array

    def __add__(self, other: Collected) -> Collected:
        values = np.concatenate([self.values, other.values])
        order = np.argsort(values, kind="stable")  # two ascending parts: a merge
        return _distinct(values[order], np.concatenate([self.counts, other.counts])[order])


@dataclass(frozen=True, eq=False, kw_only=True)
class Counts:
    """What the second pass makes of some chunks; ``a + b`` is that of the rows of both.

    Attributes
    ----------
    below, upto : ndarray
        How many rows of the other class lie below each score collected, and how many up to it.
    n_rows : int
        How many rows of the other class there are.
    """

    below: Array
    upto: Array
    n_rows: int

    def __add__(self, other: Counts) -> Counts:
        return Counts(below=self.below + other.below, upto=self.upto + other.upto, n_rows=self.n_rows + other.n_rows)


Summary = TypeVar("Summary", Collected, Counts)


def merge(a: Summary, b: Summary) -> Summary:
    """The summary of the rows of both; in any order the result is the same.

    Parameters
    ----------
    a, b : Collected or Counts
        What ``summarize`` of one pass returned for two chunks, or what ``merge`` returned.

    Returns
    -------
    Collected or Counts
        The same for the rows of both together.
    """
    return a + b


@dataclass(frozen=True, kw_only=True)
class Collect:
    """The first pass: the scores of one class.

    Attributes
    ----------
    collect : {"positives", "negatives"}
        The class whose scores are held in memory; choose the rarer one.
    pos_label : object, optional
        The label of the positive class, needed where labels are not 0/1, −1/1 or booleans; all others are negative.

    Examples
    --------
    >>> first = Collect()
    >>> chunks = [([0, 0, 1], [0.1, 0.4, 0.35]), ([1], [0.8])]
    >>> second = first.finish(merge(*(first.summarize(y, s) for y, s in chunks)))
    >>> second.finish(merge(*(second.summarize(y, s) for y, s in chunks))).auc()
    0.75
    """

    collect: str = "positives"
    pos_label: Any = None

    def __post_init__(self) -> None:
        _input.check_choice("collect", self.collect, CLASSES)

    def summarize(self, y_true: npt.ArrayLike, y_score: npt.ArrayLike) -> Collected:
        """The distinct scores of the class in one chunk, which may hold none of them.

        Parameters
        ----------
        y_true, y_score : array-like
            Labels and scores of the chunk, one of each per row; larger scores are more positive.
        """
        chunk = _input.check_chunk(y_true, y_score, self.pos_label)
        values = ascending(chunk.scores[_rows(chunk, self.collect)])
        return _distinct(values, np.ones(len(values), np.int64))

    def finish(self, summary: Collected) -> Count:
        """The second pass.

        Parameters
        ----------
        summary : Collected
            What the first pass made of all chunks, merged.
        """
        if not len(summary.values):
            raise DegenerateSampleError(
                f"A ranking is judged by pairs: it needs at least one row of each class; got no {self.collect}."
            )
        return Count(collected=summary, collect=self.collect, pos_label=self.pos_label)


@dataclass(frozen=True, eq=False, kw_only=True)
class Count:
    """The second pass: the other class, counted against the scores collected. :class:`Collect` makes it.

    Attributes
    ----------
    collected : Collected
        What the first pass made of all chunks.
    collect : {"positives", "negatives"}
        The class that was collected.
    pos_label : object, optional
        The label of the positive class, as in the first pass.
    """

    collected: Collected
    collect: str
    pos_label: Any

    def summarize(self, y_true: npt.ArrayLike, y_score: npt.ArrayLike) -> Counts:
        """How many rows of the other class in one chunk lie below each score, and up to it.

        Parameters
        ----------
        y_true, y_score : array-like
            Labels and scores of the chunk, one of each per row; larger scores are more positive.
        """
        chunk = _input.check_chunk(y_true, y_score, self.pos_label)
        others = ascending(chunk.scores[~_rows(chunk, self.collect)])
        below, upto = (np.searchsorted(others, self.collected.values, side) for side in ("left", "right"))
        return Counts(below=below, upto=upto, n_rows=len(others))

    def finish(self, summary: Counts) -> CountedList:
        """The whole list.

        Parameters
        ----------
        summary : Counts
            What the second pass made of all chunks, merged.
        """
        if not summary.n_rows:
            raise DegenerateSampleError(
                f"A ranking is judged by pairs: it needs at least one row of each class; got {self.collect} only."
            )
        own = self.collected.counts
        # Cells from below: what lies under the first score, on it, between it and the second, on that, …
        other = np.empty(2 * len(own) + 1, np.int64)
        other[1::2] = summary.upto - summary.below
        other[:-1:2] = np.diff(summary.upto, prepend=0)[: len(own)] - other[1::2]
        other[-1] = summary.n_rows - summary.upto[-1]
        collected = np.zeros_like(other)
        collected[1::2] = own
        pos, neg = (collected, other) if self.collect == "positives" else (other, collected)
        return CountedList(values=self.collected.values, pos=pos, neg=neg)


def count_list(
    chunks: Callable[[], Iterable[tuple[npt.ArrayLike, npt.ArrayLike]]],
    *,
    collect: str = "positives",
    pos_label: Any = None,
) -> CountedList:
    """Both passes in a loop: for a file that is larger than memory, or anything else that can be read twice.

    Parameters
    ----------
    chunks : callable
        Called once for every pass; returns the chunks, each a pair of labels and scores.
    collect : {"positives", "negatives"}
        The class whose scores are held in memory; choose the rarer one.
    pos_label : object, optional
        The label of the positive class, needed where labels are not 0/1, −1/1 or booleans.

    Returns
    -------
    CountedList
        The whole list, of which AUC, W_φ, ROC curve and influence values are exact.

    Examples
    --------
    >>> count_list(lambda: [([0, 0, 1], [0.1, 0.4, 0.35]), ([1], [0.8])])
    list of 2 positives and 2 negatives with AUC 0.750
    """
    first = Collect(collect=collect, pos_label=pos_label)
    second = first.finish(reduce(merge, (first.summarize(y, s) for y, s in chunks())))
    return second.finish(reduce(merge, (second.summarize(y, s) for y, s in chunks())))


def _rows(chunk: Sample, collect: str) -> BoolArray:
    return chunk.is_positive if collect == "positives" else ~chunk.is_positive


def _distinct(values: Array, counts: Array) -> Collected:
    """Of ascending values."""
    starts = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]])[: len(values)])
    return Collected(values=values[starts], counts=np.add.reduceat(counts, starts) if len(starts) else counts)
