"""Counting a list: its scores are gathered as far as memory allows, else counted in cells that become finer."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input, _memory
from podium._fast.lists import split
from podium._fast.order import by_class, rows_ascending
from podium._types import Array, Sample
from podium.exceptions import DegenerateSampleError, InputError, InputTypeError
from podium.rounds.computation import Summary
from podium.rounds.counted import CountedList, around, is_wide, quantiles, subdivided
from podium.rounds.scores import ClassScores

_SHARE = 0.25  # of the available memory
_OTHERWISE = 1e9  # bytes, where the system does not say how much is available
_BYTES_PER_SCORE, _BYTES_PER_CELL = 96, 64  # of each class, at the height of the work
_MOST_CELLS = 1 << 22  # more are slower to add up than they make the bound smaller

Counting = Generator[Any, Summary, CountedList]


def memory_to_count(memory: float | None) -> float:
    """Bytes: as given, or a quarter of what is available."""
    if memory is not None:
        return _input.check_number("memory", memory, 1e4)
    left = _memory.left_over()
    return _OTHERWISE if left is None else _SHARE * left


def n_scores_in(memory: float) -> int:
    """How many scores of each class may be held."""
    return int(memory / _BYTES_PER_SCORE)


def counting(*, pos_label: Any = None, memory: float | None = None, tol: float = 0.0) -> Counting:
    """Count a list in rounds, for :func:`podium.rounds.run`.

    Each of its steps is a function ``step(y_true, y_score, sample_weight=None, *, where="")`` of a chunk, which may be
    of one class or empty; ``where`` names the chunk in error messages, as in ``"partition 3"``.

    Parameters
    ----------
    pos_label, memory, tol
        As in :func:`podium.rounds.count_list`.

    Returns
    -------
    generator
        The computation, whose result is a :class:`podium.rounds.CountedList`.
    """
    tol, memory = _input.check_number("tol", tol, 0, 1), memory_to_count(memory)
    collected: Collected = yield partial(collect, pos_label, n_scores_in(memory))
    collected.require_both()
    if collected.is_complete:
        return CountedList.of_scores(collected.pos, collected.neg)
    starts = collected.cells(min(_most_cells(memory), _MOST_CELLS))
    return (yield from counting_cells(starts, collected.n_rows, pos_label, memory, tol))


def counting_cells(starts: Array, n_rows: int, pos_label: Any, memory: float, tol: float) -> Counting:
    """Count rows in cells.

    If one class was small enough to be held, cells are its scores and what lies between them, and the list is exact
    after a round. Otherwise cells that hold both classes are settled by gathering their rows, or made finer, or bound
    the error.
    """
    last_error = 1.0
    while True:
        pos, neg = yield partial(_count, pos_label, starts)
        counted = CountedList.of_cells(starts, pos, neg)
        if (error := counted.max_error) <= tol:
            return counted
        mixed = counted.unsettled
        n_mixed = n_rows * float((counted.pos + counted.neg)[mixed].sum()) / (counted.n_pos + counted.n_neg)
        n_parts = _most_cells(memory) // max(1, int(mixed.sum()))
        if n_mixed <= n_scores_in(memory):
            gathered: Collected = yield partial(collect, pos_label, n_scores_in(memory), known=counted)
            if gathered.is_complete:
                return counted.settled_by(CountedList.of_scores(gathered.pos, gathered.neg))
            if not (gathered.pos.is_complete or gathered.neg.is_complete):
                return counted  # ties were expected to leave less to gather; the bound holds as before
            starts, last_error = np.union1d(gathered.cells(0), counted.values), 1.0
        elif n_parts > 1 and error < last_error / 2:
            starts = subdivided(starts, is_wide(starts) & (pos > 0) & (neg > 0), n_parts)
            last_error = error
        elif tol:
            raise InputError(
                f"The AUC is known to {error:.1g}, and memory allows no finer cells; asked for was {tol:g}.",
                "allow more memory, or a larger error.",
            )
        else:
            return counted


def _most_cells(memory: float) -> int:
    return max(int(memory / _BYTES_PER_CELL), 2)


@dataclass(frozen=True, eq=False, kw_only=True)
class Collected:
    """The scores of each class: all, or a sample of more than memory allows. ``a + b`` is that of both."""

    pos: ClassScores
    neg: ClassScores
    labels: dict[Any, str]  # those that occur, each with the chunk where it was seen

    def __add__(self, other: Collected) -> Collected:
        labels = self.labels | {label: at for label, at in other.labels.items() if label not in self.labels}
        if len(labels) > 2:
            third = next(label for label in reversed(other.labels) if label not in self.labels)
            place = other.labels[third]
            _input.refuse_third_label([*self.labels, third], f", the last in {place}" if place else "")
        return Collected(pos=self.pos + other.pos, neg=self.neg + other.neg, labels=labels)

    @property
    def is_complete(self) -> bool:
        return self.pos.is_complete and self.neg.is_complete

    @property
    def n_rows(self) -> int:
        return self.pos.n_rows + self.neg.n_rows

    def require_both(self) -> None:
        """Refuse rows of one class."""
        for scores, name in ((self.pos, "positives"), (self.neg, "negatives")):
            if not scores.n_rows:
                raise DegenerateSampleError(
                    f"A ranking is judged by pairs: it needs at least one row of each class; got no {name}.",
                    "check the labels; pass pos_label if the positive class is named otherwise.",
                )

    def cells(self, n_cells: int) -> Array:
        """Where cells start: at the scores of a class that is complete, else at about so many quantiles."""
        complete = [one for one in (self.pos, self.neg) if one.is_complete]
        if not complete:
            return quantiles(self.pos.distinct(), self.neg.distinct(), n_cells)
        return around(min(complete, key=lambda one: one.n_held).distinct()[0])


def collect(
    pos_label: Any,
    limit: int,
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    sample_weight: npt.ArrayLike | None = None,
    *,
    where: str = "",
    known: CountedList | None = None,
) -> Collected:
    """The scores of both classes in a chunk; of those in a known list only what it left unsettled."""
    rows, labels = check_chunk(y_true, y_score, sample_weight, pos_label, where)
    if known is not None:
        rows = rows.subset(known.unsettled[known.group_of(rows.scores)])
    scores = split(rows.scores, rows.is_positive)
    weights = (None, None) if rows.weight is None else split(rows.weight, rows.is_positive)
    pos, neg = (
        ClassScores(((values, weight),) if len(values) else (), len(values), limit)
        for values, weight in zip(scores, weights, strict=True)
    )
    return Collected(pos=pos, neg=neg, labels=dict.fromkeys(labels, where))


def _count(
    pos_label: Any,
    starts: Array,
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    sample_weight: npt.ArrayLike | None = None,
    *,
    where: str = "",
) -> Array:
    """How many rows of each class of a chunk lie in every cell, or their weight."""
    rows, _ = check_chunk(y_true, y_score, sample_weight, pos_label, where)
    if rows.weight is None:
        return np.array([_counts(values, starts) for values in by_class(rows.scores, rows.is_positive)])
    return np.array([_weights(rows.subset(one), starts) for one in (rows.is_positive, ~rows.is_positive)])


def _counts(values: Array, starts: Array) -> Array:
    """Of ascending scores: the shorter of the two is looked up in the longer."""
    if len(starts) < len(values):
        return np.diff(np.searchsorted(values, starts), append=len(values))
    return np.bincount(np.searchsorted(starts, values, "right") - 1, minlength=len(starts))


def _weights(rows: Sample, starts: Array) -> Array:
    order, values = rows_ascending(rows.scores)
    assert rows.weight is not None
    return np.bincount(np.searchsorted(starts, values, "right") - 1, rows.weight[order], minlength=len(starts))


def check_chunk(y_true: Any, y_score: Any, sample_weight: Any, pos_label: Any, where: str) -> tuple[Sample, list[Any]]:
    """The rows of positive weight, and the labels that occur; ``where`` begins the sentence of a refusal.

    Any label but ``pos_label`` is a negative one: that there are two in all can be seen where all chunks are.
    """
    try:
        return _checked(y_true, y_score, sample_weight, pos_label)
    except (InputError, InputTypeError) as error:
        if not where:
            raise
        message = str(error).partition("\nHint: ")[0]
        raise type(error)(f"{where}: {message}", error.hint) from None


def _checked(y_true: Any, y_score: Any, sample_weight: Any, pos_label: Any) -> tuple[Sample, list[Any]]:
    columns = [column for column in (y_true, y_score, sample_weight) if column is not None]
    if all(np.shape(column) == (0,) for column in columns):
        return Sample(np.zeros(0), np.zeros(0, np.bool_), None if sample_weight is None else np.zeros(0)), []
    scores = _input.check_scores(y_score)
    labels = _input.column_of(y_true, "y_true")
    present = [False, True] if labels.dtype == np.bool_ else _input.labels_of(labels)
    is_positive = _input.check_labels(labels) if pos_label is None else np.asarray(labels == pos_label, np.bool_)
    if len(scores) != len(is_positive):
        raise InputError(
            f"y_true and y_score must have the same length; got {len(is_positive)} labels and {len(scores)} scores.",
            "each score belongs to the label at the same position.",
        )
    if sample_weight is None:
        return Sample(scores, is_positive), present
    weight = _input.check_weights(sample_weight, len(scores), may_be_zero=True)
    return Sample(scores, is_positive, weight).subset(weight > 0), present
