"""Rows in blocks, and the engine of a fit where there is no cluster: this process takes one block after the other."""

from __future__ import annotations

import pickle
import sys
import weakref
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from podium._types import Array, BoolArray, FloatArray
from podium.distributed.cluster import Cluster
from podium.distributed.door import Collection, Facts, Labels

BLOCK_VALUES = 1 << 23  # of a block: arrays of its rows are then so large that the system gives them large pages


class Loop(Cluster):
    """What a cluster does, in a loop. Results that exceed the memory wait in files of a folder until they are used."""

    reads_again = True

    def __init__(self, folder: Path, memory: float) -> None:
        super().__init__(None)
        self.memory = memory
        self._folder, self._held, self._names = folder, 0, count()

    def map(self, function: Callable[..., Any], *columns: Sequence[Any], **same: Any) -> list[Any]:
        """The function of every partition's entries, and of what is the same for all."""
        return [self._kept(function(*map(opened, entries), **same)) for entries in zip(*columns, strict=True)]

    def gather(self, futures: Sequence[Any]) -> list[Any]:
        """What was computed."""
        return [opened(each) for each in futures]

    def holders(self, futures: Sequence[Any]) -> list[Any]:
        """Each by itself: partitions are taken one at a time."""
        return list(range(len(futures)))

    def workers(self) -> list[Any]:
        """None but those that hold something."""
        return []

    def store(self, value: Any) -> Any:
        """Rows in a file, from which every pass reads them anew; all else as it is."""
        return self.store_rows(value) if isinstance(value, np.ndarray) else value

    def store_rows(self, rows: Array) -> RowsOnDisk:
        """In a file."""
        return RowsOnDisk(self._new_file(), rows)

    def _kept(self, value: Any) -> StoredResult:
        """In memory as long as there is room."""
        arrays: list[pickle.PickleBuffer] = []
        pickle.dumps(value, protocol=5, buffer_callback=arrays.append)  # its arrays are not copied
        n_bytes = sum(each.raw().nbytes for each in arrays)
        if self._held + n_bytes > self.memory:
            return StoredResult(value, self._new_file(), lambda: None)
        self._held += n_bytes
        return StoredResult(value, None, lambda: self._let_go(n_bytes))

    def _let_go(self, n_bytes: int) -> None:
        self._held -= n_bytes

    def _new_file(self) -> Path:
        return self._folder / f"{next(self._names)}"


def engine(folder: Path, memory: float) -> Cluster:
    """The current Dask client, or this process with a folder for what exceeds so much memory."""
    distributed = sys.modules.get("distributed")
    if distributed is not None:
        try:
            return Cluster(distributed.default_client())
        except ValueError:
            pass
    return Loop(folder, memory)


class Here(Cluster):
    """A worker by itself, which keeps what it stores."""

    def __init__(self) -> None:
        super().__init__(None)

    def store_rows(self, rows: Array) -> Array:
        """A copy."""
        return rows.copy()


class StoredResult:
    """What a step made of a partition, in memory or in a file, which goes when nobody needs it any more."""

    def __init__(self, value: Any, path: Path | None, let_go: Callable[[], None]) -> None:
        self._value: Any = value if path is None else None
        self._path = path
        if path is not None:
            with path.open("wb") as file:
                pickle.dump(value, file, protocol=5)
            let_go = path.unlink
        weakref.finalize(self, let_go).atexit = False

    def read(self) -> Any:
        if self._path is None:
            return self._value
        with self._path.open("rb") as file:
            return pickle.load(file)


class RowsOnDisk:
    """A matrix in a file; what is read of it takes memory, what is not takes none."""

    def __init__(self, path: Path, rows: Array) -> None:
        self._path, self._dtype, self.shape = path, rows.dtype, rows.shape
        rows.tofile(path)

    def __len__(self) -> int:
        return int(self.shape[0])

    def read(self, start: int = 0, stop: int | None = None) -> Array:
        """The rows between two places, or all."""
        n_rows, n_columns = (len(self) if stop is None else min(stop, len(self))) - start, self.shape[1]
        size = n_columns * self._dtype.itemsize
        values = np.fromfile(self._path, self._dtype, n_rows * n_columns, offset=start * size)
        return values.reshape(n_rows, n_columns)


def opened(entry: Any) -> Any:
    """A result or rows in a file as they are; anything else is itself."""
    if isinstance(entry, list):
        return [opened(each) for each in entry]
    return entry.read() if isinstance(entry, (StoredResult, RowsOnDisk)) else entry


@dataclass(frozen=True, eq=False, kw_only=True)
class StoredBlock:
    """Rows, which the engine holds, with their labels and weights."""

    rows: Any
    n_columns: int
    is_positive: BoolArray
    weight: FloatArray | None

    @property
    def facts(self) -> Facts:
        """What the door would find in it."""
        up, weight = self.is_positive, self.weight
        n_pos = int(np.count_nonzero(up))
        counts = Counter({True: n_pos, False: len(up) - n_pos}) + Counter()
        masses = counts if weight is None else Counter({True: float(weight @ up), False: float(weight @ ~up)})
        return Facts(labels=counts, masses=masses, head=np.empty((0, self.n_columns)))


class BlockWriter:
    """Takes rows in pieces of any size, into memory that serves one block after the other."""

    def __init__(self, cluster: Cluster, n_columns: int) -> None:
        self._cluster, self._n_columns = cluster, n_columns
        self._rows = np.empty((max(1, BLOCK_VALUES // n_columns), n_columns), np.float32)
        self._labels: list[BoolArray] = []
        self._weights: list[FloatArray] = []  # empty where rows have none
        self._n_rows = 0
        self.blocks: list[StoredBlock] = []

    def add(self, X: Array, places: Array, is_positive: BoolArray, weight: FloatArray | None) -> None:
        """Some rows of a matrix with labels and weights, by their places; numbers are kept in single precision."""
        while len(places):
            here, places = np.split(places, [len(self._rows) - self._n_rows])
            end = self._n_rows + len(here)
            np.take(X, here, axis=0, out=self._rows[self._n_rows : end], mode="clip")  # "raise" would copy them twice
            self._labels.append(is_positive[here])
            if weight is not None:
                self._weights.append(weight[here])
            self._n_rows = end
            if end == len(self._rows):
                self.close()

    def close(self) -> None:
        """Store what is waiting."""
        if self._n_rows:
            stored = self._cluster.store_rows(self._rows[: self._n_rows])
            is_positive = np.concatenate(self._labels)
            weight = np.concatenate(self._weights) if self._weights else None
            self.blocks.append(
                StoredBlock(rows=stored, n_columns=self._n_columns, is_positive=is_positive, weight=weight)
            )
        self._labels, self._weights, self._n_rows = [], [], 0


def collection_of(cluster: Cluster, blocks: Sequence[StoredBlock]) -> Collection:
    """Blocks as the partitions of a fit; they were checked when they were made."""
    return Collection(
        cluster=cluster,
        tasks=[],
        futures=[block.rows for block in blocks],
        labels=[cluster.store(Labels(block.is_positive, block.weight, None)) for block in blocks],
        facts=[block.facts for block in blocks],
        numbers=list(range(len(blocks))),
    )
