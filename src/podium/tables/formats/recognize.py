"""What a column of words really holds: the way all its values are written, or text.

A column is of numbers or dates only if every value fits one way of writing them. Where two ways fit and give other
values, such as 1,234 or 03/04/2019, one is taken and a warning says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from podium.tables.formats.doubts import nearly_numbers, other_reading, whole_numbers
from podium.tables.formats.number import NumberFormat, limits_among
from podium.tables.formats.text import TextFormat
from podium.tables.formats.ways import Format, is_monthly, sample_of, ways_of
from podium.tables.formats.words import tidy, without_gaps, without_missing


@dataclass(frozen=True)
class Recognized:
    """A column as it was read, how it was written, and what a reader must know."""

    column: pa.ChunkedArray
    format: Format
    note: str = ""
    warning: str = ""


def recognize(words: pa.ChunkedArray, name: str, *, is_typed: bool, has_comma: bool) -> Recognized:
    """Read a column of words.

    ``is_typed``: its source knows numbers, so that plain whole numbers among text are names, such as postal codes.
    ``has_comma``: the source is likely written with decimal commas; it decides where values do not.
    """
    text = without_missing(words)
    clean = without_gaps(tidy(text))
    sample = sample_of(clean)
    if is_typed and len(sample) and is_whole(sample):
        return Recognized(text, TextFormat(), warning=whole_numbers(name, clean))
    decimal = "," if has_comma else "."
    ways = sorted(
        ways_of(sample),
        key=lambda way: (is_monthly(way, sample), getattr(way, "decimal", decimal) == decimal),
        reverse=True,
    )
    for way in ways:
        column = way.read(clean)
        if column.null_count == clean.null_count:
            doubt = other_reading(name, way, ways, sample, clean)
            return Recognized(column, way, note=" ".join(_remarks(name, text, clean, way)), warning=doubt)
    return Recognized(text, TextFormat(), warning=nearly_numbers(name, clean, sample) if len(sample) else "")


def read_as(words: pa.ChunkedArray, ways: Iterable[Format]) -> tuple[pa.ChunkedArray, Format] | str:
    """The column by the first way that fits all words, and that way; else a word that does not fit the first."""
    clean = without_gaps(tidy(words))
    stray = ""
    for way in ways:
        column = way.read(clean)
        if column.null_count == clean.null_count:
            return column, way
        stray = stray or clean.filter(pc.and_(pc.is_null(column), pc.is_valid(clean)))[0].as_py()
    return stray


def place_of(stray: str, words: pa.ChunkedArray) -> int:
    """Where a word that does not fit stands first."""
    return int(pc.index(without_gaps(tidy(words)), stray).as_py())


def ways_like(way: Format, words: pa.ChunkedArray) -> list[Format]:
    """The way of the training rows first; then others that these words fit, those of the same decimal mark first."""
    others = [one for one in ways_of(sample_of(without_gaps(tidy(words)))) if one.kind == way.kind]
    decimal = getattr(way, "decimal", "")
    return [way, *sorted(others, key=lambda one: getattr(one, "decimal", "") != decimal)]


def is_whole(words: pa.ChunkedArray) -> bool:
    """Whether all known words are digits and nothing else."""
    return bool(pc.all(pc.match_substring_regex(without_missing(words).drop_null(), r"^\d+$")).as_py())


def _remarks(name: str, text: pa.ChunkedArray, clean: pa.ChunkedArray, way: Format) -> Iterator[str]:
    """What became of values that are no plain ones."""
    if clean.null_count > text.null_count:
        gaps = text.filter(pc.and_(pc.is_null(clean), pc.is_valid(text)))
        yield f"{_values(name, gaps, 'taken for missing')}."
    if isinstance(way, NumberFormat) and way.limits:
        yield f"{_values(name, limits_among(clean), 'read as the limit itself')}."


def _values(name: str, some: pa.ChunkedArray, taken: str) -> str:
    words = ", ".join(map(repr, pc.unique(some).slice(0, 3).to_pylist()))
    values = "1 value" if len(some) == 1 else f"{len(some):,} values"
    return f"{values} of column {name!r} {'was' if len(some) == 1 else 'were'} {taken}: {words}"
