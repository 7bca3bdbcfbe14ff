"""Rows that come in pieces, stored with an engine in blocks of a size, and as the partitions of a fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from podium._types import Array, BoolArray, FloatArray
from podium.distributed.fits.cluster import Cluster
from podium.distributed.fits.door import Collection, Facts, Labels

_VALUES = 1 << 23  # of a block: arrays of its rows are then so large that the system gives them large pages


@dataclass(frozen=True, eq=False, kw_only=True)
class Block:
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
        self._rows = np.empty((max(1, _VALUES // n_columns), n_columns), np.float32)
        self._labels: list[BoolArray] = []
        self._weights: list[FloatArray] = []  # empty where rows have none
        self._n_rows = 0
        self.blocks: list[Block] = []

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
            self.blocks.append(Block(rows=stored, n_columns=self._n_columns, is_positive=is_positive, weight=weight))
        self._labels, self._weights, self._n_rows = [], [], 0


def collection_of(cluster: Cluster, blocks: Sequence[Block]) -> Collection:
    """Blocks as the partitions of a fit; they were checked when they were made."""
    return Collection(
        cluster=cluster,
        tasks=[],
        futures=[block.rows for block in blocks],
        labels=[cluster.store(Labels(block.is_positive, block.weight, None)) for block in blocks],
        facts=[block.facts for block in blocks],
        numbers=list(range(len(blocks))),
    )
