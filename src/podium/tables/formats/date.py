"""Dates as people write them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product

import pandas as pd
import pyarrow as pa

from podium.tables.formats.words import ISO

_DAYS = (
    *("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d"),
    *("%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d-%b-%Y", "%d-%b-%y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y"),
    *("%b %Y", "%B %Y", "%m.%Y", "%m/%Y"),
)
_TIMES = ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p")
_PATTERNS = (ISO, *(day + time for day, time in product(_DAYS, _TIMES)))
# What no date is without: a four-digit year somewhere, or three parts.
_LIKELY = re.compile(
    r"^(?:\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}[./]\d{4}|\d{1,2}[- ][A-Za-z]{3,9}[- ]\d{2,4}|[A-Za-z]{3,9} \d)"
)


def _shape(word: str) -> str:
    """A word with its numbers as 0, its names as a and its gaps as one blank, which few ways of writing dates fit."""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "0", re.sub(r"\s+", " ", word)))


_SHAPES = {pattern: re.sub("%[bBp]", "a", re.sub("%[dmyYHIMS]", "0", pattern)) for pattern in _PATTERNS[1:]}


@dataclass(frozen=True)
class DateFormat:
    """One way to write dates: a pattern such as ``%d.%m.%Y``, or ``"ISO 8601"``."""

    pattern: str

    kind = "date"

    def __post_init__(self) -> None:
        if self.pattern not in _PATTERNS:
            raise ValueError(f"dates are not written as {self.pattern[:40]!r}")

    @property
    def example(self) -> str:
        """A day written so."""
        return "2019-12-31" if self.pattern == ISO else pd.Timestamp(2019, 12, 31, 17, 30).strftime(self.pattern)

    def read(self, words: pa.ChunkedArray) -> pa.ChunkedArray:
        """Times, in UTC where a zone is given; null where a word is no date, or is written otherwise."""
        encoded = words.combine_chunks().dictionary_encode() if len(words) else None
        if encoded is None:
            return words.cast(pa.timestamp("s"))
        pattern = "ISO8601" if self.pattern == ISO else self.pattern
        times = pd.to_datetime(
            pd.Series(encoded.dictionary.to_pylist(), dtype=object), format=pattern, errors="coerce", utc=True
        )
        days = pa.Array.from_pandas(times.dt.tz_localize(None).astype("datetime64[s]"), type=pa.timestamp("s"))
        return pa.chunked_array([days.take(encoded.indices)])


def date_formats(words: pa.ChunkedArray) -> list[DateFormat]:
    """The formats that all of these (tidy) words fit; none of them null."""
    first = words[0].as_py()
    if not _LIKELY.match(first):
        return []
    shape = _shape(first)
    ways = [DateFormat(pattern) for pattern in _PATTERNS if _SHAPES.get(pattern, shape) == shape]
    some = words.slice(0, 3)
    return [way for way in ways if not way.read(some).null_count and not way.read(words).null_count]
