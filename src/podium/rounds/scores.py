"""The scores of one class over chunks: all of them, or where they are too many to hold, a sample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from podium._fast.order import ascending, rows_ascending
from podium._types import Array

_SAMPLE = 1 << 18  # scores of a class: the cells between their quantiles are even enough
_PROBE = 1 << 12  # scores that tell whether so many tie that distinct ones may fit after all

Part = tuple[Array, Array | None]  # scores, and how much each counts (None: one row)


@dataclass(frozen=True, eq=False)
class ClassScores:
    """Scores of one class; ``a + b`` is that of the rows of both, at the cost of neither a sort nor a copy.

    Where more than ``limit`` scores come together, equal ones are put together; if there are still too many, a sample
    of them stays, which is good for quantiles and for nothing else.
    """

    parts: tuple[Part, ...]
    n_rows: int
    limit: int
    is_complete: bool = True

    @property
    def n_held(self) -> int:
        return sum(len(values) for values, _ in self.parts)

    def __add__(self, other: ClassScores) -> ClassScores:
        both = ClassScores(self.parts + other.parts, self.n_rows + other.n_rows, self.limit)
        if self.is_complete and other.is_complete:
            if both.n_held <= self.limit:
                return both
            if _many_tie(both.parts):
                values, mass = both.distinct()
                if len(values) <= self.limit // 2:
                    return ClassScores(((values, mass),), both.n_rows, self.limit)
        sample = tuple((_every(one, one.n_rows / both.n_rows), None) for one in (self, other) if one.n_rows)
        return ClassScores(sample, both.n_rows, self.limit, is_complete=False)

    @property
    def is_plain(self) -> bool:
        """Whether each score held is one row."""
        return all(mass is None for _, mass in self.parts) and self.n_held > 0

    def ordered(self) -> Array:
        """The scores held, ascending."""
        return ascending(_joined([values for values, _ in self.parts]), in_place=True)

    def distinct(self) -> tuple[Array, Array]:
        """The distinct scores held, ascending, and how much each counts: rows, or their weights."""
        if self.is_plain:
            values = self.ordered()
            starts = _starts_of_groups(values)
            return values[starts], np.diff(starts, append=len(values))
        masses = [np.ones(len(values), np.int64) if mass is None else mass for values, mass in self.parts]
        order, values = rows_ascending(_joined([values for values, _ in self.parts]))
        starts = _starts_of_groups(values)
        return values[starts], np.add.reduceat(_joined(masses)[order], starts) if len(starts) else starts


def _joined(arrays: list[Array]) -> Array:
    """One array; chunks without rows have no type of their own."""
    some = [array for array in arrays if len(array)]
    return np.concatenate(some) if some else np.zeros(0)


def _starts_of_groups(values: Array) -> Array:
    return np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]])[: len(values)])


def _many_tie(parts: tuple[Part, ...]) -> bool:
    some = np.concatenate([values[:: max(1, len(values) * len(parts) // _PROBE)] for values, _ in parts])
    return 2 * len(np.unique(some)) < len(some)


def _every(scores: ClassScores, share: float) -> Array:
    """A sample of the scores held, of about that share of the largest."""
    values = _joined([values for values, _ in scores.parts])
    return values[:: max(1, int(np.ceil(len(values) / max(1.0, share * _SAMPLE))))]
