"""How much memory the passes may use, and which error of the AUC is small enough."""

from __future__ import annotations

from dataclasses import dataclass, field

from podium import _input, _memory

_SHARE = 0.25  # of the memory that is left
_OTHERWISE = 1e9  # bytes, where the system does not say what is left
_BYTES_PER_SCORE, _BYTES_PER_CELL = 96, 64  # of each class, at the height of the work
_MOST_CELLS = 1 << 22  # more are slower to add up than they make the bound smaller


def _default_memory() -> float:
    left = _memory.left_over()
    return _OTHERWISE if left is None else _SHARE * left


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How much memory the passes may use, and which error is small enough.

    Attributes
    ----------
    memory : float
        Bytes that may be used; a quarter of what is left unless given.
    tol : float
        The error of the AUC at which passes may end; at 0 they go on until the list is exact or memory does not allow.
    """

    memory: float = field(default_factory=_default_memory)
    tol: float = 0.0

    def __post_init__(self) -> None:
        _input.check_number("memory", self.memory, 1e4)
        _input.check_number("tol", self.tol, 0, 1)

    @property
    def n_scores(self) -> int:
        """How many scores of each class may be held."""
        return int(self.memory / _BYTES_PER_SCORE)

    @property
    def n_cells(self) -> int:
        """How many cells the first count has."""
        return min(self.most_cells, _MOST_CELLS)

    @property
    def most_cells(self) -> int:
        """How many cells may be held."""
        return max(int(self.memory / _BYTES_PER_CELL), 2)
