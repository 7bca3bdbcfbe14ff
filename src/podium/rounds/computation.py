"""Rounds: how a number is computed from rows that lie in chunks, wherever these are.

In each round every chunk is mapped to a small summary; summaries add up by ``+``; and their sum decides what the next
round asks for. A computation is a generator that yields steps, is sent sums, and returns its result. Whoever runs it
says where the rows are: in arrays, in files, on a cluster, with the workers of a training. Steps are pure functions
that can be pickled, so that one may be repeated, elsewhere if need be.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import accumulate
from operator import add
from typing import Any, TypeVar

import numpy as np

from podium import _optional
from podium._input import is_collection
from podium._types import FloatArray, Sample
from podium.exceptions import InputError, InputTypeError

# A number, an array, or an object with ``+``; and what a chunk keeps from a round for the next ones, None at first.
Summary = Any
Kept = Any

# From the rows of a chunk and what it kept to the summary of the chunk and what it keeps now.
Step = Callable[[Sample, Kept], tuple[Summary, Kept]]


@dataclass(frozen=True, eq=False)
class Finished:
    """The result of the rounds of a criterion.

    Attributes
    ----------
    value : float
        The value of the criterion.
    gradient : callable
        From the rows of a chunk and what it kept to the derivative with respect to every score of the chunk.
    """

    value: float
    gradient: Callable[[Sample, Kept], FloatArray]


@dataclass(frozen=True, eq=False)
class LastStep:
    """A step after which the rounds end, unless its sum says otherwise.

    ``gradient`` is that of :class:`Finished`, should they end: whoever carries gradients from scores on to parameters
    can then do so in the same round. What it keeps is for that gradient alone: rounds that go on do not ask for it.
    """

    step: Step
    gradient: Callable[[Sample, Kept], FloatArray]

    def __call__(self, rows: Sample, kept: Kept) -> tuple[Summary, Kept]:
        """The summary, and what is kept."""
        return self.step(rows, kept)


Rounds = Generator[Step, Summary, Finished]
Outcome = TypeVar("Outcome")


def run(computation: Generator[Any, Summary, Outcome], take: Callable[[Any], Summary]) -> Outcome:
    """Run a computation over rows wherever they are.

    Parameters
    ----------
    computation : generator
        What to compute, such as `counting`: it yields steps, is sent the sum of their summaries, and returns a result.
    take : callable
        A function of your own that applies a step to every chunk and adds up the summaries.

    Returns
    -------
    object
        The result of the computation.

    Examples
    --------
    >>> from functools import reduce
    >>> from operator import add
    >>> from podium.rounds import counting, run
    >>> chunks = [([0, 0, 1], [0.1, 0.4, 0.35]), ([1], [0.8])]
    >>> run(counting(), lambda step: reduce(add, [step(y, s) for y, s in chunks]))
    list of 2 positives and 2 negatives with AUC 0.750
    """
    total: Summary = None
    while True:
        try:
            step = computation.send(total)
        except StopIteration as end:
            return end.value
        total = take(step)


def values_and_gradients(rounds: Rounds, chunks: Sequence[Sample]) -> tuple[float, list[FloatArray]]:
    """The value, and the gradient for each chunk; they follow each other, and may be without rows."""
    firsts = accumulate((len(rows.scores) for rows in chunks), initial=0)
    filled = [replace(rows, first=first) for rows, first in zip(chunks, firsts, strict=False) if len(rows.scores)]
    finished, kept = run_over(rounds, filled)
    gradients = iter([finished.gradient(rows, own) for rows, own in zip(filled, kept, strict=True)])
    return finished.value, [next(gradients) if len(rows.scores) else rows.scores * 1.0 for rows in chunks]


def run_over(computation: Generator[Step, Summary, Outcome], chunks: Sequence[Sample]) -> tuple[Outcome, list[Kept]]:
    """The result over chunks in memory, all with rows, and what each chunk has kept."""
    kept: list[Kept] = [None] * len(chunks)

    def take(step: Step) -> Summary:
        done = [step(rows, own) for rows, own in zip(chunks, kept, strict=True)]
        kept[:] = [own for _, own in done]
        return reduce(add, [summary for summary, _ in done])

    return run(computation, take), kept


@dataclass(frozen=True)
class Within:
    """A step or gradient of one of several criteria, of which a chunk keeps what each has kept, in their order."""

    step: Callable[[Sample, Kept], Any]
    place: int

    def __call__(self, rows: Sample, kept: Kept) -> tuple[Summary, Kept]:
        """The summary, and what all have kept."""
        before = kept or ()
        summary, own = self.step(rows, before[self.place] if len(before) > self.place else None)
        return summary, (*before[: self.place], own)


def rounds_within(rounds: Rounds, place: int) -> Rounds:
    """The rounds of one of several criteria, which take theirs one after the other."""
    total: Summary = None
    while True:
        try:
            step = rounds.send(total)
        except StopIteration as end:
            return end.value
        total = yield Within(step, place)


FAN_IN = 8  # summaries that are merged by one task

# From a step to the sum of its summaries over all rows.
Take = Callable[[Any], Any]


def over_chunks(chunks: Callable[[], Iterable[Sequence[Any]]], name: str = "chunk {}") -> Take:
    """In a loop over chunks that are read anew for every step; ``name`` is how errors call one, by its number."""

    def take(step: Callable[..., Any]) -> Any:
        summaries = (step(*chunk, where=name.format(i)) for i, chunk in enumerate(chunks()))
        first = next(summaries, None)
        return step([], []) if first is None else reduce(add, summaries, first)

    return take


def add_up(summary: Any) -> Any:
    """The sum of what all workers of an XGBoost training have, None where one has nothing; the same on each."""
    collective = _optional.load("xgboost.collective", 'backend="xgboost"')
    rank, n_workers = collective.get_rank(), collective.get_world_size()
    own = np.frombuffer(pickle.dumps(summary), dtype=np.uint8)
    lengths = np.zeros(n_workers, dtype=np.int64)
    lengths[rank] = len(own)
    lengths = collective.allreduce(lengths, collective.Op.SUM)
    ends = np.cumsum(lengths)
    everything = np.zeros(int(ends[-1]), dtype=np.int32)  # bytes of one worker, zeros of the others: their sum is all
    everything[ends[rank] - lengths[rank] : ends[rank]] = own
    everything = collective.allreduce(everything, collective.Op.SUM).astype(np.uint8)
    parts = [pickle.loads(part.tobytes()) for part in np.split(everything, ends[:-1])]
    return reduce(add, [part for part in parts if part is not None])


@dataclass(frozen=True, eq=False)
class Partitions:
    """The same partitions of several columns, each as a task that gives their rows."""

    columns: Sequence[Sequence[Any]]

    @classmethod
    def of(cls, **collections: Any) -> Partitions:
        """Columns by name; one that is None stays away. Arrays that are cut otherwise are cut as the first one is."""
        named = {name: _column(name, each) for name, each in collections.items() if each is not None}
        first_name, first = next(iter(named.items()))
        tasks = {}
        for name, column in named.items():
            if all(_lengths_are_known(each) for each in (first, column)) and column.chunks != first.chunks:
                if column.shape != first.shape:
                    raise InputError(
                        f"{first_name} and {name} must have the same length; got {first.shape[0]} and "
                        f"{column.shape[0]} rows.",
                        "each score belongs to the label at the same position.",
                    )
                column = column.rechunk(first.chunks)
            tasks[name] = tasks_of(column)
        counts = {name: len(each) for name, each in tasks.items()}
        if len(set(counts.values())) > 1:
            shown = ", ".join(f"{count} of {name}" for name, count in counts.items())
            raise InputError(
                f"All columns must have the same partitions; got {shown}.",
                "take them from one dataframe, or call repartition(divisions=...) on all of them.",
            )
        return cls(list(tasks.values()))

    def map_reduce(self, step: Callable[..., Any]) -> Any:
        """The sum of the summaries of every partition, added up in a tree; whatever scheduler is current."""
        dask = _optional.load("dask", "rows on Dask")
        summarize = dask.delayed(step, pure=False, traverse=False)
        level = [summarize(*rows, where=f"partition {i}") for i, rows in enumerate(zip(*self.columns, strict=True))]
        merge = dask.delayed(added_up, pure=False)
        while len(level) > 1:
            level = [merge(level[i : i + FAN_IN]) for i in range(0, len(level), FAN_IN)]
        if _optional.is_installed("distributed"):
            # Dask loads it at the first computation. Within the setting below it would come too late: leaving that
            # takes away whatever was not there before, and with it all settings of distributed.
            _optional.load("distributed", "rows on Dask")
        # Cells that a pass takes along are part of the graph: so a lost worker loses nothing.
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "4 GiB"}):
            return level[0].compute()


def tasks_of(collection: Any) -> list[Any]:
    """One task per partition."""
    if hasattr(collection, "chunks"):
        return list(collection.to_delayed().ravel())
    graph = collection.__dask_graph__()
    if any(key not in graph for key in collection.__dask_keys__()):
        raise InputError(
            "A frame has partitions that Dask lost when it persisted some columns of a file.",
            "persist the frame before columns are chosen: frame = frame.persist(), then frame[columns].",
        )
    # Simplified reads only the columns that are needed. Further optimization reads several parts of a file at once,
    # more of them the fewer columns there are: so columns of one frame would come in different partitions.
    return list(collection.simplify().to_delayed(optimize_graph=False))


def added_up(summaries: Sequence[Any]) -> Any:
    """The sum of some summaries, as a task."""
    return reduce(add, summaries)


def _lengths_are_known(column: Any) -> bool:
    return hasattr(column, "chunks") and all(size == size for size in column.chunks[0])  # unknown ones are NaN


def _column(name: str, collection: Any) -> Any:
    """One column of a list."""
    if not is_collection(collection):
        raise InputTypeError(
            f"All columns must be Dask collections where one is; got {type(collection).__name__} for {name}.",
            "dask.array.from_array makes one of an array.",
        )
    if collection.ndim == 1:
        return collection
    if collection.ndim == 2 and len(getattr(collection, "columns", ())) == 1:
        return collection[collection.columns[0]]
    raise InputError(
        f"{name} must be one column; got a collection of {collection.ndim} dimensions.",
        "pass one column, for instance frame['score'].",
    )
