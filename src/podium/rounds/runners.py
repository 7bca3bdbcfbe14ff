"""Where the rows of a computation are: in chunks that are read one by one, on Dask, or with the workers of XGBoost."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from podium import _optional
from podium._input import is_collection
from podium.exceptions import InputError, InputTypeError

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
