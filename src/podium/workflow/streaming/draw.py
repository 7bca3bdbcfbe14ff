"""Which rows are drawn, decided row by row: the same however a table is cut into pieces, and in every pass over it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from podium._types import BoolArray, FloatArray

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
        shares: FloatArray = _mixed(keys, self.seed, _HELD_OUT).astype(np.float64) / 2.0**64
        return shares < self.holdout


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
    """SplitMix64 (Steele, Lea and Flood, 2014): consecutive keys become numbers without visible pattern."""
    with np.errstate(over="ignore"):
        z = keys + np.uint64(0x9E3779B97F4A7C15) * np.uint64(1 + 4 * seed + purpose)
        for _ in range(2):  # once more, so that seeds, which only shift the keys, differ in every bit
            z = z + np.uint64(0x9E3779B97F4A7C15)
            z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            z = z ^ (z >> np.uint64(31))
    return z
