"""The two kinds of passes over the chunks: one gathers rows, one counts them in cells. Each says what comes next."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._fast.lists import split
from podium._fast.order import by_class, rows_ascending
from podium._types import Array, Sample
from podium.chunks.cells import around, is_wide, quantiles, subdivided
from podium.chunks.counted import CountedList, HeldList
from podium.chunks.limits import Limits
from podium.chunks.rows import check_chunk
from podium.chunks.scores import ClassScores
from podium.exceptions import DegenerateSampleError, InputError


@dataclass(frozen=True, eq=False, kw_only=True)
class Collected:
    """What :class:`Collect` returns for some chunks; ``a + b`` is the same for the rows of both.

    Attributes
    ----------
    pos, neg : ClassScores
        The scores of each class: all of them, or a sample where they are more than memory allows.
    labels : dict
        The labels that occur, each with the chunk where it was seen.
    """

    pos: ClassScores
    neg: ClassScores
    labels: dict[Any, str]

    def __add__(self, other: Collected) -> Collected:
        labels = self.labels | {label: at for label, at in other.labels.items() if label not in self.labels}
        if len(labels) > 2:
            third = next(label for label in reversed(other.labels) if label not in self.labels)
            place = other.labels[third]
            _input.refuse_third_label([*self.labels, third], f", the last in {place}" if place else "")
        return Collected(pos=self.pos + other.pos, neg=self.neg + other.neg, labels=labels)

    def require_both(self) -> None:
        """Refuse rows of one class."""
        for scores, name in ((self.pos, "positives"), (self.neg, "negatives")):
            if not scores.n_rows:
                raise DegenerateSampleError(
                    f"A ranking is judged by pairs: it needs at least one row of each class; got no {name}.",
                    "check the labels; pass pos_label if the positive class is named otherwise.",
                )


@dataclass(frozen=True, eq=False, kw_only=True)
class Counts:
    """What :class:`Count` returns for some chunks; ``a + b`` is the same for the rows of both.

    Attributes
    ----------
    pos, neg : ndarray
        How many rows of each class lie in every cell, or their weight.
    """

    pos: Array
    neg: Array

    def __add__(self, other: Counts) -> Counts:
        return Counts(pos=self.pos + other.pos, neg=self.neg + other.neg)


@dataclass(frozen=True, eq=False, kw_only=True)
class Collect:
    """The first pass, which gathers the scores of both classes as far as memory allows.

    Attributes
    ----------
    pos_label : object, optional
        The label of the positive class, needed where labels are not 0/1, −1/1 or booleans.
    limits : Limits
        How much memory may be used, and which error is small enough.
    known : CountedList, optional
        What earlier passes counted: only rows of the groups that they left unsettled are gathered.

    Examples
    --------
    >>> from podium.chunks import Collect
    >>> first = Collect()
    >>> one, other = first.summarize([0, 0, 1], [0.1, 0.4, 0.35]), first.summarize([1], [0.8])
    >>> first.finish(one + other).auc()
    0.75
    """

    pos_label: Any = None
    limits: Limits = field(default_factory=Limits)
    known: CountedList | None = None

    def summarize(
        self,
        y_true: npt.ArrayLike,
        y_score: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
        *,
        where: str = "",
    ) -> Collected:
        """The scores of both classes in one chunk, which may hold none of them.

        Parameters
        ----------
        y_true, y_score : array-like
            Labels and scores of the chunk, one of each per row; larger scores are more positive.
        sample_weight : array-like, optional
            One weight per row; a weight of 3 is three equal rows.
        where : str
            How errors call the chunk, as in ``"partition 3"``.
        """
        rows, labels = check_chunk(y_true, y_score, sample_weight, self.pos_label, where)
        if self.known is not None:
            rows = rows.subset(self.known.unsettled[self.known.group_of(rows.scores)])
        scores = split(rows.scores, rows.is_positive)
        weights = (None, None) if rows.weight is None else split(rows.weight, rows.is_positive)
        pos, neg = (
            ClassScores(((values, weight),) if len(values) else (), len(values), self.limits.n_scores)
            for values, weight in zip(scores, weights, strict=True)
        )
        return Collected(pos=pos, neg=neg, labels=dict.fromkeys(labels, where))

    def finish(self, summary: Collected) -> CountedList | Count:
        """The whole list where all rows could be held; else the next pass.

        Parameters
        ----------
        summary : Collected
            What this pass made of all chunks, merged.
        """
        pos, neg, known = summary.pos, summary.neg, self.known
        if known is None:
            summary.require_both()
        if pos.is_complete and neg.is_complete:
            if known is not None:
                return known.settled_by(CountedList.of_scores(pos, neg))
            plain = pos.is_plain and neg.is_plain
            return HeldList(pos.ordered(), neg.ordered()) if plain else CountedList.of_scores(pos, neg)
        complete = min((one for one in (pos, neg) if one.is_complete), key=lambda one: one.n_held, default=None)
        if complete is None and known is not None:
            return known  # ties were expected to leave less to gather; the bound holds as before
        starts = (
            quantiles(pos.distinct(), neg.distinct(), self.limits.n_cells)
            if complete is None
            else around(complete.distinct()[0])
        )
        if known is not None:
            starts = np.union1d(starts, known.starts)
        return Count(starts=starts, n_rows=pos.n_rows + neg.n_rows, pos_label=self.pos_label, limits=self.limits)


@dataclass(frozen=True, eq=False, kw_only=True)
class Count:
    """The pass that counts how many rows of each class lie in every cell. :class:`Collect` makes it.

    Where one class was small enough to be held, cells are its scores and what lies between them, and the list is exact
    after this pass. Otherwise cells that hold both classes are settled by the next one, or bound the error.

    Attributes
    ----------
    starts : ndarray
        Where the cells start, ascending: a cell holds the scores from its start up to the next one's.
    n_rows : int
        The number of rows.
    pos_label : object, optional
        The label of the positive class, as in the first pass.
    limits : Limits
        How much memory may be used, and which error is small enough.
    last_error : float
        The bound on the error of the AUC before this pass.
    """

    starts: Array
    n_rows: int
    pos_label: Any = None
    limits: Limits = field(default_factory=Limits)
    last_error: float = 1.0

    def summarize(
        self,
        y_true: npt.ArrayLike,
        y_score: npt.ArrayLike,
        sample_weight: npt.ArrayLike | None = None,
        *,
        where: str = "",
    ) -> Counts:
        """How many rows of each class in one chunk lie in every cell.

        Parameters
        ----------
        y_true, y_score : array-like
            Labels and scores of the chunk, one of each per row; larger scores are more positive.
        sample_weight : array-like, optional
            One weight per row; a weight of 3 is three equal rows.
        where : str
            How errors call the chunk, as in ``"partition 3"``.
        """
        rows, _ = check_chunk(y_true, y_score, sample_weight, self.pos_label, where)
        if rows.weight is None:
            pos, neg = (_counts(values, self.starts) for values in by_class(rows.scores, rows.is_positive))
        else:
            pos, neg = (_weights(rows.subset(one), self.starts) for one in (rows.is_positive, ~rows.is_positive))
        return Counts(pos=pos, neg=neg)

    def finish(self, summary: Counts) -> CountedList | Count | Collect:
        """The list, where it is exact or exact enough; else the next pass.

        Parameters
        ----------
        summary : Counts
            What this pass made of all chunks, merged.
        """
        counted = CountedList.of_cells(self.starts, summary.pos, summary.neg)
        error, limits = counted.max_error, self.limits
        if error <= limits.tol:
            return counted
        mixed = counted.unsettled
        n_mixed = self.n_rows * float((counted.pos + counted.neg)[mixed].sum()) / (counted.n_pos + counted.n_neg)
        if n_mixed <= limits.n_scores:
            return Collect(pos_label=self.pos_label, limits=limits, known=counted)
        n_parts = limits.most_cells // max(1, int(mixed.sum()))
        if n_parts > 1 and error < self.last_error / 2:
            finer = subdivided(self.starts, is_wide(self.starts) & (summary.pos > 0) & (summary.neg > 0), n_parts)
            return Count(starts=finer, n_rows=self.n_rows, pos_label=self.pos_label, limits=limits, last_error=error)
        if limits.tol:
            raise InputError(
                f"The AUC is known to {error:.1g}, and memory allows no finer cells; asked for was {limits.tol:g}.",
                "allow more memory, or a larger error.",
            )
        return counted


def _counts(values: Array, starts: Array) -> Array:
    """Of ascending scores: the shorter of the two is looked up in the longer."""
    if len(starts) < len(values):
        return np.diff(np.searchsorted(values, starts), append=len(values))
    return np.bincount(np.searchsorted(starts, values, "right") - 1, minlength=len(starts))


def _weights(rows: Sample, starts: Array) -> Array:
    order, values = rows_ascending(rows.scores)
    assert rows.weight is not None
    return np.bincount(np.searchsorted(starts, values, "right") - 1, rows.weight[order], minlength=len(starts))
