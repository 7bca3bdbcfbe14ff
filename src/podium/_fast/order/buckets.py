"""Scores by cell: the counting pass over all rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from podium._fast.compiled import compiled
from podium._fast.order import pairs, settle
from podium._fast.order.cells import CellMap
from podium._types import Array, FloatArray


@dataclass(frozen=True)
class Buckets:
    """Scores by cell, and row numbers if wanted: all cells of the negatives before those of the positives."""

    values: FloatArray
    rows: Array | None
    starts: Array
    n_cells: int
    unit: float

    @classmethod
    def of(cls, scores: FloatArray, is_positive: Array | None = None, *, with_rows: bool = False) -> Buckets:
        scores = np.ascontiguousarray(scores)
        cell_map = CellMap.of(scores)
        cells, starts = cell_map.locate(scores, is_positive)
        values = np.empty_like(scores)
        rows = np.empty(len(scores), np.uint32) if with_rows else None
        _distribute(scores, cells, starts[:-1].copy(), values, rows)
        return cls(values, rows, starts, cell_map.n_cells, cell_map.unit)

    def settle(self) -> None:
        """Put the rows of every cell in order, in place: then each class ascends."""
        room = settle.buffers(self._most_in_a_cell, self.rows is not None)
        settle.settle_all(self.values, self.rows, self.starts, self.unit, room)

    def twice_pairs_won(self) -> int:
        """Twice the number of pairs with the positive above the negative, ties counting one half."""
        n_neg = int(self.starts[self.n_cells])
        n_pos = len(self.values) - n_neg
        settled = int(n_pos < n_neg)
        room = settle.buffers(self._most_in_a_cell, False)
        count = int(pairs.twice_wins(self.values, self.starts, self.n_cells, settled, self.unit, room))
        return 2 * n_pos * n_neg - count if settled else count

    @property
    def _most_in_a_cell(self) -> int:
        return int(np.diff(self.starts).max())


@compiled
def _distribute(scores, cells, places, values, rows):
    for i in range(scores.size):
        place = places[cells[i]]
        places[cells[i]] = place + 1
        values[place] = scores[i]
        if rows is not None:
            rows[place] = i
