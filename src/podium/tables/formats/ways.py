"""All ways to write a column, and those that given words fit."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from podium.tables.formats.date import DateFormat, date_formats
from podium.tables.formats.number import NumberFormat, number_formats
from podium.tables.formats.text import LabelFormat, TextFormat, TruthFormat, truth_formats

Format = NumberFormat | DateFormat | TruthFormat | TextFormat | LabelFormat

_SAMPLE = 1000  # values by which most ways are ruled out


def sample_of(words: pa.ChunkedArray) -> pa.ChunkedArray:
    """Some of the values, each once."""
    return pa.chunked_array([pc.unique(words.slice(0, 50 * _SAMPLE)).drop_null().slice(0, _SAMPLE)])


def ways_of(sample: pa.ChunkedArray) -> list[Format]:
    """Every way that all of these (tidy) words fit, of numbers, else of truth values, else of dates."""
    if not len(sample):
        return []
    return [*number_formats(sample)] or [*truth_formats(sample)] or [*date_formats(sample)]


def is_monthly(way: Format, sample: pa.ChunkedArray) -> bool:
    """Whether dates are all the first of a month: then the part that is always 1 is the day."""
    if not isinstance(way, DateFormat) or len(sample) < 2:
        return False
    return bool(pc.all(pc.equal(pc.day(way.read(sample)), 1)).as_py())
