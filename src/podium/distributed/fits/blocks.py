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
    """Takes pieces of any size."""

    def __init__(self, cluster: Cluster, n_columns: int) -> None:
        self._cluster, self._n_columns = cluster, n_columns
        self._most = max(1, _VALUES // n_columns)
        self._waiting: list[tuple[Array, BoolArray, FloatArray | None]] = []
        self.blocks: list[Block] = []

    def add(self, X: FloatArray, is_positive: BoolArray, weight: FloatArray | None) -> None:
        """Further rows; numbers are kept in single precision."""
        self._waiting.append((X.astype(np.float32, order="C", copy=False), is_positive, weight))
        if sum(len(y) for _, y, _ in self._waiting) >= self._most:
            self.close()

    def close(self) -> None:
        """Store what is waiting."""
        n_rows = sum(len(y) for _, y, _ in self._waiting)
        if n_rows:
            rows, labels, weights = zip(*self._waiting, strict=True)
            weight = None if weights[0] is None else np.concatenate(weights)
            stored = self._cluster.store_rows(rows)
            is_positive = np.concatenate(labels)
            self.blocks.append(Block(rows=stored, n_columns=self._n_columns, is_positive=is_positive, weight=weight))
        self._waiting = []


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
