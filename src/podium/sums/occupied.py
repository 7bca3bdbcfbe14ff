"""Cells that hold rows, where most cells between the lowest and the highest score are empty."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from podium._fast import cell_sums as fast
from podium._types import FloatArray, Sample
from podium.sums.frame import Frame

_MARKS_PER_CELL = 4  # a mark takes a byte, a cell in a table 24 or more

Table = tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32]]


@dataclass(frozen=True, eq=False, slots=True)
class OccupiedCells:
    """Ascending cells that hold rows; None where they are more than ``most``. ``a + b`` has those of both."""

    ids: FloatArray | None
    most: int

    @classmethod
    def of(
        cls, cells: tuple[float, float, float], frame: Frame, most: int, rows: Sample, kept: None = None
    ) -> tuple[OccupiedCells, None]:
        """Of the rows of a chunk, as a step of rounds; ``cells`` are their width, the first and the last."""
        width, first, last = cells
        scores = frame.place(rows.scores)
        if last - first < _MARKS_PER_CELL * most:
            marked = np.zeros(int(last - first) + 1, np.bool_)
            fast.mark_in_row(scores, 1 / width, first, marked)
            return cls(first + np.flatnonzero(marked).astype(np.float64), most), None
        return cls(_distinct_cells(scores, width, most), most), None

    def __add__(self, other: OccupiedCells) -> OccupiedCells:
        ids = None if self.ids is None or other.ids is None else np.union1d(self.ids, other.ids)
        return OccupiedCells(None if ids is None or len(ids) > self.most else ids, self.most)


def _distinct_cells(scores: FloatArray, width: float, most: int) -> FloatArray | None:
    """The cells of scores, ascending; None where they are more than ``most``."""
    table, start, n_cells = _empty(fast.FEWEST_SLOTS), 0, 0
    while start < len(scores):
        if start:
            marked, table = table, _empty(2 * len(table))
            fast.fill(marked, table, None)
        start, n_cells = fast.mark(scores, start, 1 / width, table, n_cells)
        if n_cells > most:
            return None
    return np.sort(table[table != fast.EMPTY].view(np.float64))


def numbered(ids: FloatArray) -> Table:
    """The table from the cell of a value to its number among some cells."""
    table = _empty(max(fast.FEWEST_SLOTS, 2 << (len(ids) - 1).bit_length()))
    numbers = np.zeros(len(table), np.uint32)
    fast.fill(ids.view(np.uint64), table, numbers)
    return table, numbers


def _empty(n_slots: int) -> npt.NDArray[np.uint64]:
    return np.full(n_slots, fast.EMPTY)
