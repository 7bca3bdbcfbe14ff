"""A column of numbers: missing values filled, tails tamed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from podium._types import FloatArray

if TYPE_CHECKING:
    import pandas as pd

STRAIGHT = 3.0  # robust standard deviations within which the scale is linear
STEP = 2.0**-35  # of encoded values: logarithms of different systems differ by 1e-15, and no split lies that near
FEWEST_ROWS = 5  # that a value, or a number from a column, must stand for where it is kept or shown
_IQR_OF_NORMAL = 1.349


@dataclass
class NumberColumn:
    """(x − median)/(robust standard deviation), logarithmic beyond three of them; increasing, so trees see the same.

    A missing value becomes the median; where some were missing in training, a second output says so. Values are
    multiples of ``step``, so that every system makes the same numbers; in models of earlier versions it is 0, for none.
    """

    name: str
    centre: float
    scale: float
    marks_missing: bool
    step: float = 0.0

    def __post_init__(self) -> None:
        if not (np.isfinite(self.centre) and np.isfinite(self.scale) and self.scale > 0):
            raise ValueError("a column of numbers needs a center and a scale")

    @classmethod
    def fit(cls, column: pd.Series[Any]) -> NumberColumn:
        values = numbers(column)
        known = values[~np.isnan(values)]
        low, center, high = shared_quantiles(known, (0.25, 0.5, 0.75))
        scale = (high - low) / _IQR_OF_NORMAL or float(known.std()) or 1.0
        return cls(str(column.name), float(center), float(scale), len(known) < len(values), STEP)

    @property
    def sources(self) -> tuple[str, ...]:
        """The columns of a table that it is made from."""
        return (self.name,)

    @property
    def outputs(self) -> list[str]:
        return [self.name, f"{self.name} is missing"] if self.marks_missing else [self.name]

    def take(self, frame: pd.DataFrame | Mapping[str, pd.Series[Any]]) -> pd.Series[Any]:
        """Its column of a table."""
        return frame[self.name]

    def encode(self, column: pd.Series[Any], out: FloatArray) -> None:
        """Write the outputs into the columns of ``out``."""
        from podium._fast.reductions import draw_in_tails  # here: a row alone is encoded without compiled loops

        values = _floats(column)
        draw_in_tails(values, self.centre, self.scale, STRAIGHT, self.step, out[:, 0])
        if self.marks_missing:
            out[:, 1] = ~np.isfinite(values)

    def of_cells(self, value: float) -> list[float]:
        """The outputs of one value, to the last bit as `encode` writes them."""
        is_known = math.isfinite(value)
        z = (value - self.centre) / self.scale if is_known else 0.0
        beyond = abs(z) - STRAIGHT
        z = math.copysign(STRAIGHT + math.log1p(beyond), z) if beyond > 0 else z
        z = math.floor(z * (1 / self.step) + 0.5) * self.step if self.step > 0 else z
        return [z, float(not is_known)] if self.marks_missing else [z]

    def original(self, z: float) -> float:
        """The number that is encoded as z."""
        beyond = max(abs(z) - STRAIGHT, 0.0)
        straight = z if beyond == 0 else float(np.copysign(STRAIGHT + np.expm1(beyond), z))
        return self.centre + self.scale * straight


def shared_quantiles(values: FloatArray, shares: Sequence[float]) -> FloatArray:
    """Quantiles that are no row's own: x₍⌈nq⌉₎ where five rows have it, else the mean of the five values around it.

    A share of 0 is the lower end, a share of 1 the upper end.

    >>> shared_quantiles(np.array([1.0, 2, 2, 2, 2, 2, 7, 8, 9, 10]), (0.0, 0.4, 1.0))
    array([1.8, 2. , 7.2])
    """
    n_rows = len(values)
    places = np.clip(np.ceil(np.multiply(shares, n_rows)).astype(np.intp) - 1, 0, n_rows - 1)
    starts = np.clip(places - FEWEST_ROWS // 2, 0, max(n_rows - FEWEST_ROWS, 0))
    around = np.minimum(starts[:, None] + np.arange(FEWEST_ROWS), n_rows - 1)
    ordered = np.partition(values, np.unique([*around.ravel(), *places]))
    found = ordered[places]
    is_shared = np.array([np.count_nonzero(values == one) >= FEWEST_ROWS for one in found])
    return np.where(is_shared, found, ordered[around].mean(axis=1))


def rounded(values: FloatArray, step: float = STEP) -> FloatArray:
    """To the nearest multiples of a step, a power of two: only the sum is rounded, and everywhere in the same way."""
    return np.asarray(np.floor(values * (1 / step) + 0.5) * step)


def numbers(column: pd.Series[Any]) -> FloatArray:
    """A copy as floats, times in seconds, infinite ones counted as missing."""
    values = np.array(_floats(column), dtype=np.float64)
    values[np.isinf(values)] = np.nan
    return values


def _floats(column: pd.Series[Any]) -> FloatArray:
    if getattr(column.dtype, "kind", "") == "M":  # whatever their zone
        seconds = column.to_numpy(dtype="datetime64[s]")
        return np.where(np.isnat(seconds), np.nan, seconds.astype(np.int64).astype(np.float64))
    if getattr(column.dtype, "kind", "") == "f" and isinstance(column.dtype, np.dtype):
        return column.to_numpy()  # single precision as it is: what is computed with it is double
    return column.to_numpy(dtype=np.float64, na_value=np.nan)
