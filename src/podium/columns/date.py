"""Columns of dates: how late, which time of the year, of the week and of the day; and the days between two dates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from podium._types import Array, FloatArray
from podium.columns.number import NumberColumn, numbers, rounded, shared_quantiles

if TYPE_CHECKING:
    import pandas as pd

if TYPE_CHECKING:
    import pandas as pd

DAY = 86_400.0  # seconds
CYCLES = {"year": 365.2425 * DAY, "week": 7 * DAY, "day": DAY}  # whole seconds
WEEKEND = (2 * DAY, 4 * DAY)  # in a week that begins on Thursday, as 1970 did
# Steps of cosines and sines: wide enough that no second of a cycle lies where libraries could round differently.
PLACES = 2.0**-20
_MONTHS, _DAYS = 60 * DAY, 2 * DAY
_FULLEST = 0.05  # a cycle is told apart if rows are not all within this share of it


@dataclass
class DateColumn:
    """Time as a number, and its place in the year, in the week (and whether that is a weekend), and in the day.

    A place in a cycle is a point on a circle, two numbers: the end of a year is near its beginning. A missing date is
    at no place: (0, 0). Seconds are reduced to those of one cycle before anything is rounded, so that every Monday has
    the same two numbers, in every system; only models of earlier versions, whose level has no step, do neither.
    """

    name: str
    level: NumberColumn
    cycles: list[str]

    def __post_init__(self) -> None:
        if not set(self.cycles) <= CYCLES.keys() or len(set(self.cycles)) < len(self.cycles):
            raise ValueError(f"dates have other cycles than {', '.join(self.cycles)[:40]}")

    @classmethod
    def fit(cls, column: pd.Series[Any]) -> DateColumn:
        """Only cycles in which the rows are at different places."""
        seconds = numbers(column)
        known = seconds[~np.isnan(seconds)]
        angles = {cycle: 2 * np.pi * known / length for cycle, length in CYCLES.items()}
        # the length of the mean point on the circle is 1 if all are at one place
        spread = {cycle: 1 - np.hypot(np.cos(a).mean(), np.sin(a).mean()) for cycle, a in angles.items()}
        return cls(str(column.name), NumberColumn.fit(column), [c for c in spread if spread[c] > _FULLEST**2])

    @property
    def sources(self) -> tuple[str, ...]:
        """The columns of a table that it is made from."""
        return (self.name,)

    @property
    def outputs(self) -> list[str]:
        return [*self.level.outputs, *(name for name, _ in self._parts(np.zeros(0)))]

    def take(self, frame: pd.DataFrame | Mapping[str, pd.Series[Any]]) -> pd.Series[Any]:
        """Its column of a table."""
        return frame[self.name]

    def encode(self, column: pd.Series[Any], out: FloatArray) -> None:
        """Write the outputs into the columns of ``out``."""
        n_level = len(self.level.outputs)
        self.level.encode(column, out[:, :n_level])
        for at, (_, values) in enumerate(self._parts(numbers(column)), start=n_level):
            out[:, at] = np.nan_to_num(values)

    def of_cells(self, seconds: float) -> list[float]:
        """The outputs of one moment, to the last bit as `encode` writes them."""
        places = (values[0] for _, values in self._parts(np.array([seconds])))
        return [*self.level.of_cells(seconds), *(float(np.nan_to_num(place)) for place in places)]

    def _parts(self, seconds: FloatArray) -> Iterator[tuple[str, FloatArray]]:
        for cycle in self.cycles:
            place = seconds - np.floor(seconds / CYCLES[cycle]) * CYCLES[cycle]
            for wave, function in (("cosine", np.cos), ("sine", np.sin)):
                if self.level.step:
                    values = rounded(function(place * (2 * np.pi) / CYCLES[cycle]), PLACES)
                else:
                    values = function(2 * np.pi * seconds / CYCLES[cycle])
                yield f"{self.name}, time of the {cycle} ({wave})", values
            if cycle == "week":
                at_weekend = (place >= WEEKEND[0]) & (place < WEEKEND[1])
                yield f"{self.name} is at a weekend", at_weekend.astype(np.float64)


@dataclass
class GapColumn:
    """The days from one date to another of the same row, such as an age at an event."""

    start: str
    end: str
    days: NumberColumn

    @classmethod
    def fit(cls, start: pd.Series[Any], end: pd.Series[Any]) -> GapColumn | None:
        """None where it is the same, or unknown, in all rows."""
        names = str(start.name), str(end.name)
        gap = _days(start, end).rename(f"days from {names[0]} to {names[1]}")
        return cls(*names, NumberColumn.fit(gap)) if gap.nunique() > 1 else None

    @property
    def name(self) -> str:
        return self.days.name

    @property
    def sources(self) -> tuple[str, ...]:
        """The columns of a table that it is made from."""
        return self.start, self.end

    @property
    def outputs(self) -> list[str]:
        return self.days.outputs

    def take(self, frame: pd.DataFrame | Mapping[str, pd.Series[Any]]) -> pd.Series[Any]:
        """From its two columns of a table."""
        return _days(frame[self.start], frame[self.end])

    def encode(self, column: pd.Series[Any], out: FloatArray) -> None:
        """Write the outputs into the columns of ``out``."""
        self.days.encode(column, out)

    def of_cells(self, start: float, end: float) -> list[float]:
        """The outputs of two moments."""
        return self.days.of_cells((end - start) / DAY)


def shared_moments(time: Array, shares: Sequence[float]) -> list[Any]:
    """`shared_quantiles` of times, which may be numbers; the hour or the day alone where they span days or months."""
    if time.dtype.kind != "M":
        return list(shared_quantiles(np.asarray(time, dtype=np.float64), shares))
    seconds = time[~np.isnat(time)].astype("datetime64[s]").astype(np.float64)
    span = np.ptp(seconds)
    unit = "D" if span >= _MONTHS else "h" if span >= _DAYS else "m"
    found = shared_quantiles(seconds, shares).astype(np.int64).astype("datetime64[s]")
    return list(found.astype(f"datetime64[{unit}]"))


def _days(start: pd.Series[Any], end: pd.Series[Any]) -> pd.Series[Any]:
    import pandas as pd

    return pd.Series((numbers(end) - numbers(start)) / DAY, index=start.index)
