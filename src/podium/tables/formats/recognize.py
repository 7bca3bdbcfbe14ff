"""Recognize the format of a column of words: numbers, truth values or dates, or else text.

A column is of numbers or dates only if every value fits one way of writing them. Where two ways fit and give other
values, such as 1,234 or 03/04/2019, one is taken and a warning says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import pyarrow as pa
import pyarrow.compute as pc

from podium.columns.number import FEWEST_ROWS
from podium.tables.formats.date import DateFormat, date_formats
from podium.tables.formats.number import UNIT, NumberFormat, limits_among, number_formats
from podium.tables.formats.text import (
    LabelFormat,
    TextFormat,
    TruthFormat,
    tidy,
    truth_formats,
    without_gaps,
    without_missing,
)
from podium.tables.formats.words import ISO

Format = NumberFormat | DateFormat | TruthFormat | TextFormat | LabelFormat

_SAMPLE = 1000  # values by which most ways are ruled out
_MOST_NAMES = 12  # whole numbers stored as text that are taken for names without a word
_WITH_UNIT = r"^-?\d+(?:[.,]\d+)? ?([A-Za-z°²³µ/]{1,8})$"
_LOOKED_AT = 20_000  # values, to see whether most are numbers
_MANY = 0.8  # of the values are numbers, but not all: worth a warning
_FEW_WORDS = 3  # beside many numbers: they stand for missing ones, however often


def sample_of(words: pa.ChunkedArray) -> pa.ChunkedArray:
    """Some of the values, each once."""
    return pa.chunked_array([pc.unique(words.slice(0, 50 * _SAMPLE)).drop_null().slice(0, _SAMPLE)])


def ways_of(sample: pa.ChunkedArray) -> list[Format]:
    """Every way that all of these (tidy) words fit, of numbers, else of truth values, else of dates."""
    if not len(sample):
        return []
    if not _has_digits(sample):
        return [*truth_formats(sample)]
    return [*number_formats(sample)] or [*truth_formats(sample)] or [*date_formats(sample)]


def _has_digits(sample: pa.ChunkedArray) -> bool:
    """Whether any word has one, as every number and date does."""
    return bool(pc.any(pc.match_substring_regex(sample, r"\p{Nd}")).as_py())


def is_monthly(way: Format, sample: pa.ChunkedArray) -> bool:
    """Whether dates are all the first of a month: then the part that is always 1 is the day."""
    if not isinstance(way, DateFormat) or len(sample) < 2:
        return False
    return bool(pc.all(pc.equal(pc.day(way.read(sample)), 1)).as_py())


@dataclass(frozen=True)
class Recognized:
    """A column as it was read, its format, and remarks for the user."""

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
    return Recognized(text, TextFormat(), warning=nearly_numbers(name, clean, sample))


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
    """Remarks on values that are missing or limits."""
    if clean.null_count > text.null_count:
        gaps = text.filter(pc.and_(pc.is_null(clean), pc.is_valid(text)))
        # Quoted however rare: they are no words of the table's own.
        yield f"{_values(name, gaps, 'taken for missing', pc.unique(gaps).to_pylist())}."
    if isinstance(way, NumberFormat) and way.limits:
        limits = limits_among(clean)
        yield f"{_values(name, limits, 'read as the limit itself', shared_among(limits))}."


def shared_among(words: pa.ChunkedArray) -> list[str]:
    """Words that five rows have, which may be quoted: one that fewer have would tell of them."""
    return [one["values"] for one in pc.value_counts(words).to_pylist() if one["counts"] >= FEWEST_ROWS]


def _values(name: str, some: pa.ChunkedArray, treatment: str, quotable: list[str]) -> str:
    words = ", ".join(map(repr, quotable[:3]))
    values = "1 value" if len(some) == 1 else f"{len(some):,} values"
    told = f"{values} of column {name!r} {'was' if len(some) == 1 else 'were'} {treatment}"
    return f"{told}: {words}" if words else told


def other_reading(
    name: str, way: Format, ways: Sequence[Format], sample: pa.ChunkedArray, words: pa.ChunkedArray
) -> str:
    """A warning if another format also fits all words and gives other values."""
    if is_monthly(way, sample):
        return ""
    values = way.read(sample)
    for other in ways:
        read = other.read(sample)
        if read.equals(values) or other.read(words).null_count > words.null_count:
            continue
        word = _made_up(way, other)
        first, second = (_shown(one.read(pa.chunked_array([[word]]))[0]) for one in (way, other))
        return (
            f"Column {name!r}: what is written like {word!r} can mean {first} or {second}; it was read as {first}. "
            "Is that right?"
        )
    return ""


def _made_up(way: Format, other: Format) -> str:
    """A word that two formats read in two ways; none of the table's own, which would tell of its row."""
    if isinstance(way, DateFormat) and isinstance(other, DateFormat):
        # A day that is one in either order, also where the year has two digits.
        patterns = [one.pattern for one in (way, other) if one.pattern != ISO]
        return datetime(2003, 4, 5, 10, 30).strftime(patterns[0])
    assert isinstance(way, NumberFormat)
    assert isinstance(other, NumberFormat)
    mark = way.thousands or other.thousands
    return f"1{mark}234{way.unit}"


def whole_numbers(name: str, words: pa.ChunkedArray) -> str:
    """A warning if whole numbers are stored as text."""
    if pc.count_distinct(words).as_py() <= _MOST_NAMES:
        return ""
    return (
        f"Column {name!r} is text with whole numbers: they were treated as categories, not as quantities. "
        "If they are quantities, store them as numbers."
    )


def nearly_numbers(name: str, words: pa.ChunkedArray, sample: pa.ChunkedArray) -> str:
    """A warning if text is really numbers or dates: with a unit, in mixed formats, or with a few other words."""
    if not _has_digits(sample):
        return ""
    if pc.all(pc.match_substring_regex(sample, _WITH_UNIT)).as_py():
        units = pc.unique(pc.replace_substring_regex(sample, _WITH_UNIT, r"\1"))
        more = "Remove the unit to use them as numbers."
        sentence = f"Column {name!r} has numbers with the unit {units[0].as_py()!r}: it was treated as text. {more}"
        return sentence if len(units) == 1 else ""
    bare = pc.utf8_trim(pc.replace_substring_regex(sample, UNIT, ""), " ")
    point, comma = (pc.is_valid(NumberFormat(*marks).read(bare)) for marks in (".,", ",."))
    if pc.all(pc.or_(point, comma)).as_py():
        what = "several units" if pc.all(point).as_py() or pc.all(comma).as_py() else "decimal points and commas mixed"
        return f"Column {name!r} has numbers with {what}: it was treated as text. Use one format throughout."
    ways: list[Format] = [NumberFormat(), NumberFormat(","), NumberFormat(".", ",")]
    ways += date_formats(sample.slice(0, 1))
    known = words.drop_null()
    some = known.slice(0, _LOOKED_AT)
    way = max(ways, key=lambda one: _n_read(one, sample))
    stray = known.filter(pc.is_null(way.read(known)))
    has_few_words = pc.count_distinct(stray).as_py() <= _FEW_WORDS
    has_few_words &= pc.count_distinct(way.read(known).drop_null()).as_py() > _MOST_NAMES
    if not _n_read(way, sample) or (_n_read(way, some) < _MANY * len(some) and not has_few_words):
        return ""
    if len(limits_among(stray)) == len(stray) and way.kind == "number":
        return (
            f"Column {name!r} has numbers and, in {len(stray):,} of {len(known):,} values, limits between them: it was "
            "treated as text. Write each limit as a number (10+ as 10, <5 as 5) to use the column as numbers."
        )
    which = ", ".join(map(repr, shared_among(stray)[:3]))
    where = pc.index(pc.fill_null(pc.is_in(words, value_set=stray.combine_chunks()), False), True).as_py() + 1
    shown = f"such as {which}" if which else f"the first in row {where:,}"
    return (
        f"Column {name!r} has {way.kind}s except for {len(stray):,} of {len(known):,} values, {shown}: it was treated "
        f"as text. Clear those that stand for a missing value, or write them as {way.kind}s, to use it as {way.kind}s."
    )


def _n_read(way: Format, words: pa.ChunkedArray) -> int:
    return len(words) - way.read(words).null_count


def _shown(value: pa.Scalar) -> str:
    plain = value.as_py()
    return f"{plain:.10g}" if isinstance(plain, float) else f"{plain.day} {plain:%B %Y}"
