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

_VALUES = 1 << 22  # of a block


@dataclass(frozen=True, eq=False, kw_only=True)
class Block:
    """Rows, which the engine holds, their labels and weights, and the least and largest value of every column."""

    rows: Any
    is_positive: BoolArray
    weight: FloatArray | None
    low: FloatArray
    high: FloatArray

    @classmethod
    def of(cls, rows: Any, X: Array, is_positive: BoolArray, weight: FloatArray | None) -> Block:
        """Of rows X that are held as ``rows``."""
        low, high = X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)
        return cls(rows=rows, is_positive=is_positive, weight=weight, low=low, high=high)


class BlockWriter:
    """Takes pieces of any size."""

    def __init__(self, cluster: Cluster, n_columns: int) -> None:
        self._cluster, self._n_columns = cluster, n_columns
        self._most = max(1, _VALUES // n_columns)
        self._waiting: list[tuple[Array, BoolArray, FloatArray | None]] = []
        self.blocks: list[Block] = []

    def add(self, X: FloatArray, is_positive: BoolArray, weight: FloatArray | None) -> None:
        """Further rows; numbers are kept in single precision."""
        self._waiting.append((X.astype(np.float32, order="C"), is_positive, weight))
        if sum(len(y) for _, y, _ in self._waiting) >= self._most:
            self.close()

    def close(self) -> None:
        """Store what is waiting."""
        rows, labels, weights = zip(*self._waiting, strict=True) if self._waiting else ((), (), ())
        self._waiting = []
        X = np.concatenate([np.empty((0, self._n_columns), np.float32), *rows])
        if len(X):
            weight = None if weights[0] is None else np.concatenate(weights)
            self.blocks.append(Block.of(self._cluster.store(X), X, np.concatenate(labels), weight))


def collection_of(cluster: Cluster, blocks: Sequence[Block]) -> Collection:
    """Blocks as the partitions of a fit; they were checked when they were made."""
    facts = [
        Facts(
            n_rows=len(block.is_positive),
            labels=Counter({True: int(block.is_positive.sum()), False: int((~block.is_positive).sum())}) + Counter(),
            low=block.low,
            high=block.high,
            head=np.empty((0, len(block.low))),
        )
        for block in blocks
    ]
    return Collection(
        cluster=cluster,
        tasks=[],
        futures=[block.rows for block in blocks],
        labels=[cluster.store(Labels(block.is_positive, block.weight, None)) for block in blocks],
        facts=facts,
        numbers=list(range(len(blocks))),
    )
