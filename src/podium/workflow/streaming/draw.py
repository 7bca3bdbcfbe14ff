"""Which rows are drawn, decided row by row: the same however a table is cut into pieces, and in every pass over it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from podium._fast.draws import GOLDEN, splitmix
from podium._types import BoolArray

Keys = npt.NDArray[np.uint64]

ALL = np.uint64(2**64 - 1)
_SAMPLE, _HELD_OUT = 1, 2


@dataclass(frozen=True)
class Draw:
    """Pseudo-random numbers of rows, by their keys: the number of a row, or its unit, all rows of which share one."""

    seed: int
    holdout: float

    def places(self, keys: Keys) -> Keys:
        """Rows in the order of these are in random order: the first ones are a sample."""
        return _mixed(keys, self.seed, _SAMPLE)

    def are_held_out(self, keys: Keys) -> BoolArray:
        """Each row, or unit, by itself and with the same probability."""
        return _mixed(keys, self.seed, _HELD_OUT) < np.uint64(self.holdout * 2.0**64)


def keys_of(first: int, n_rows: int, units: pd.Series[Any] | None) -> Keys:
    """Of rows that are numbered from ``first`` on; with the words for their units, None where a row has none."""
    numbers = np.arange(first, first + n_rows, dtype=np.uint64)
    if units is None:
        return numbers
    known = units.notna().to_numpy()
    # Numbers with a gap among them have a point in one piece and none in another.
    hashed = pd.util.hash_array(units.fillna("").astype(str).str.removesuffix(".0").to_numpy(dtype=object))
    return np.where(known, hashed, _mixed(numbers, 0, 0))


def _mixed(keys: Keys, seed: int, purpose: int) -> Keys:
    """Mixed twice, so that seeds, which only shift the keys, differ in every bit."""
    return splitmix(keys, np.uint64((2 + 4 * seed + purpose) * int(GOLDEN) % 2**64), 2)
