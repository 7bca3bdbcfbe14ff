"""Trees by LightGBM from rows in files: it reads them once, piece by piece, and keeps one byte for every value."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from podium import _optional
from podium._progress import Progress
from podium._types import Array, FloatArray
from podium.distributed.fits.loop import RowsOnDisk
from podium.distributed.fits.rows import Part, PartitionedRows
from podium.rankers.trees import lightgbm_backend
from podium.rankers.trees.gradient_boosted import GradientBoostedRanker

_PER_ROW = 60  # bytes beside the columns: labels, scores, derivatives, places
_READ = 1 << 16  # rows at a time


def rows_apart(n_rows: int, n_columns: int, memory: float) -> int:
    """How far apart the rows are that fit into memory: 1 if all do."""
    return max(1, int(np.ceil(n_rows * (n_columns + _PER_ROW) / memory)))


def boost_files(ranker: GradientBoostedRanker, rows: PartitionedRows, apart: int) -> Any:
    """Boost from the rows of all blocks, or from every so many of them, by any criterion."""
    lightgbm = _optional.load("lightgbm", 'backend="lightgbm"')
    parts: list[Part] = rows.cluster.gather(rows.parts)
    is_positive = np.concatenate([part.is_positive[::apart] for part in parts])
    weights = [part.weight[::apart] for part in parts if part.weight is not None]
    rng = check_random_state(0 if ranker.random_state is None else ranker.random_state)
    progress, rounds = Progress(type(ranker).__name__, ranker.n_estimators, enabled=bool(ranker.verbose)), count(1)
    weight = np.concatenate(weights) if weights else None
    task = ranker._task(np.empty((0, rows.shape[1])), is_positive, weight, int(rng.randint(np.iinfo(np.int32).max)))
    kind = type("Rows", (_Rows, lightgbm.Sequence), {})
    try:
        sources = rows.collection.futures or []
        X = [kind(source, apart) for source in sources]
        return lightgbm_backend.train(replace(task, X=X, after_round=lambda: progress.update(next(rounds))))
    finally:
        progress.close()


class _Rows:
    """Rows of a block, or every so many of them, as LightGBM asks for them."""

    batch_size = _READ

    def __init__(self, source: RowsOnDisk | Array, apart: int) -> None:
        self._source, self._apart = source, apart

    def __len__(self) -> int:
        return -(-len(self._source) // self._apart)

    def __getitem__(self, places: Any) -> FloatArray:
        one = not isinstance(places, slice)
        start, stop = (int(places), int(places) + 1) if one else (places.start, places.stop)
        start, stop = start * self._apart, (stop - 1) * self._apart + 1
        rows = self._source.read(start, stop) if isinstance(self._source, RowsOnDisk) else self._source[start:stop]
        rows = np.array(rows[:: self._apart], dtype=np.float64, order="C")
        return rows[0] if one else rows
