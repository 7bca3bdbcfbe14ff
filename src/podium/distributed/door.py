"""The door for Dask collections: partitions of X, labels and weights, each checked where it lies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_array

from podium import _input, _optional
from podium._input import is_collection
from podium._types import Array, BoolArray, FloatArray
from podium.distributed.cluster import Cluster, Future
from podium.exceptions import InputError, InputTypeError
from podium.rankers.two_classes import distinct_labels
from podium.rounds.computation import tasks_of


@dataclass(frozen=True, eq=False)
class Labels:
    """Labels and weights of the rows of a partition that count."""

    y: Array
    weight: FloatArray | None
    counts: BoolArray | None  # which rows of the partition these are, where some have no weight

    def rows(self, X: Any) -> FloatArray:
        """The rows of the partition that count; checked before."""
        array = as_array(X)
        return array if self.counts is None else array[self.counts]


@dataclass(frozen=True, eq=False, kw_only=True)
class Facts:
    """What is found in a partition: how many rows have each label, and what they weigh."""

    labels: Counter[Any]
    masses: Counter[Any]
    head: Any  # no rows, but the names and kinds of the columns
    fault: str | None = None

    @property
    def n_rows(self) -> int:
        return self.labels.total()

    @property
    def n_columns(self) -> int:
        return int(self.head.shape[1])


@dataclass(frozen=True, eq=False, kw_only=True)
class Collection:
    """The partitions that have rows: X as tasks or as results, labels as results, and what was found."""

    cluster: Cluster
    tasks: list[Any]
    futures: list[Future] | None  # of X, where it is persisted
    labels: list[Future]
    facts: list[Facts]
    numbers: list[int]  # of these partitions among all

    def blocks(self) -> list[Future]:
        """X of every partition: persisted, or computed anew and forgotten when it was used."""
        return self.futures if self.futures is not None else list(self.cluster.client.compute(self.tasks))


def open_door(cluster: Cluster, X: Any, y: Any, sample_weight: Any, rules: dict[str, Any]) -> Collection:
    """Check every partition where it lies; a fault is said with the number of its partition."""
    distributed = _optional.load("distributed", "a fit on Dask collections")
    if getattr(X, "ndim", 2) != 2:
        raise InputError(f"X must have rows and columns; got a collection of {X.ndim} dimensions.")
    columns = {"X": _tasks("X", X), "y": _tasks("y", y)}
    if sample_weight is not None:
        columns["sample_weight"] = _tasks("sample_weight", sample_weight)
    counts = {name: len(tasks) for name, tasks in columns.items()}
    if len(set(counts.values())) > 1:
        raise InputError(
            f"X, y and sample_weight must have the same partitions; got {', '.join(map(str, counts.values()))}.",
            "take them from one dataframe, or rechunk the arrays alike.",
        )
    tasks = columns.pop("X")
    persisted = list(cluster.client.compute(tasks)) if distributed.futures_of(X) else None
    blocks = persisted or list(cluster.client.compute(tasks))
    others = [list(cluster.client.compute(each)) for each in columns.values()]
    checked = cluster.map(check_partition, blocks, *others, rules=rules)
    del blocks
    facts: list[Facts] = cluster.gather(cluster.map(_facts, checked))
    _refuse_faults(facts)
    filled = [i for i, each in enumerate(facts) if each.n_rows]
    return Collection(
        cluster=cluster,
        tasks=[tasks[i] for i in filled],
        futures=None if persisted is None else [persisted[i] for i in filled],
        labels=cluster.map(_labels, [checked[i] for i in filled]),
        facts=[facts[i] for i in filled],
        numbers=filled,
    )


def as_array(X: Any) -> FloatArray:
    """Rows of a partition, checked before, as an array of numbers."""
    if isinstance(X, np.ndarray):
        return np.ascontiguousarray(X, dtype=np.float64)
    return np.ascontiguousarray(X.to_numpy(dtype=np.float64))


def _tasks(name: str, collection: Any) -> list[Any]:
    """One task per partition."""
    if not is_collection(collection):
        raise InputTypeError(
            f"{name} must be a Dask collection, as X is; got {type(collection).__name__}.",
            "dask.array.from_array makes one of an array, with the chunks of X.",
        )
    if name == "X" and hasattr(collection, "chunks") and len(collection.chunks[1]) > 1:
        collection = collection.rechunk({1: -1})
    return tasks_of(collection)


def _refuse_faults(facts: Sequence[Facts]) -> None:
    first = facts[0]
    for i, each in enumerate(facts):
        if each.fault is not None:
            raise InputError(f"Partition {i} of {len(facts)} (the first is 0): {each.fault}")
        names, wanted = (list(getattr(one.head, "columns", range(one.n_columns))) for one in (each, first))
        if names != wanted:
            raise InputError(
                f"Partition {i} of {len(facts)} (the first is 0) must have the columns of the first one, "
                f"{', '.join(map(str, wanted))}; got {', '.join(map(str, names))}."
            )


def check_partition(X: Any, y: Any, weight: Any = None, *, rules: dict[str, Any]) -> tuple[Facts, Labels | None]:
    """On the worker: what is in a partition, or what is wrong with it."""
    head = X[:0]
    try:
        labels = _checked_labels(X, y, weight)
        names = distinct_labels(labels.y) if len(labels.y) else labels.y
        _check_rows(X, rules)
    except (ValueError, TypeError) as error:
        return Facts(labels=Counter(), masses=Counter(), head=head, fault=str(error).split("\n")[0]), None
    are = [labels.y == name for name in names]
    times = [int(np.count_nonzero(each)) for each in are]
    masses = times if labels.weight is None else [float(labels.weight @ each) for each in are]
    return Facts(
        labels=Counter(dict(zip(names.tolist(), times, strict=True))),
        masses=Counter(dict(zip(names.tolist(), masses, strict=True))),
        head=head,
    ), labels


def _check_rows(X: Any, rules: dict[str, Any]) -> None:
    kinds = {"": X.dtype} if isinstance(X, np.ndarray) else dict(getattr(X, "dtypes", {}))
    for name, kind in kinds.items():
        if getattr(kind, "kind", "O") not in "biuf":
            where = f" in column {name}" if name != "" else ""
            raise InputTypeError(f"X must be numbers; got type {kind}{where}.")
    check_array(X, **rules, ensure_min_samples=0, input_name="X")


def _checked_labels(X: Any, y: Any, weight: Any) -> Labels:
    names = np.asarray(y)
    if names.ndim != 1 or len(names) != len(X):
        raise InputError(f"y must have one label for each of {len(X)} rows; got shape {names.shape}.")
    if names.dtype.kind == "f" and not np.isfinite(names).all():
        raise InputError("y must have no missing labels; got some.")
    if weight is None or not len(names):
        return Labels(names, None if weight is None else np.empty(0), None)
    weights = np.asarray(weight, dtype=np.float64)
    if not weights.any():  # a partition may weigh nothing, all of them may not
        return Labels(names[:0], weights[:0], np.zeros(len(names), np.bool_))
    weights = _input.check_weights(weights, len(names), _input.HEAVIEST_IN_PRODUCTS)
    counts = weights > 0
    if counts.all():
        return Labels(names, weights, None)
    return Labels(names[counts], weights[counts], counts)


def _facts(checked: tuple[Facts, Labels | None]) -> Facts:
    return checked[0]


def _labels(checked: tuple[Facts, Labels | None]) -> Labels | None:
    return checked[1]
