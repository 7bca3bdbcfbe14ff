"""Warnings about columns of text whose values are ambiguous; empty if there is no doubt."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from podium.tables.formats.date import date_formats
from podium.tables.formats.number import UNIT, NumberFormat
from podium.tables.formats.ways import Format, is_monthly

_MOST_NAMES = 12  # whole numbers stored as text that are taken for names without a word
_WITH_UNIT = r"^-?\d+(?:[.,]\d+)? ?([A-Za-z°²³µ/]{1,8})$"
_LOOKED_AT = 20_000  # values, to see whether most are numbers
_MANY = 0.8  # of the values are numbers, but not all: worth a warning
_FEW_WORDS = 3  # beside many numbers: they stand for missing ones, however often


def other_reading(
    name: str, way: Format, ways: Sequence[Format], sample: pa.ChunkedArray, words: pa.ChunkedArray
) -> str:
    """Where another way fits all words, too, and reads other values."""
    if is_monthly(way, sample):
        return ""
    taken = way.read(sample)
    for other in ways:
        read = other.read(sample)
        if read.equals(taken) or other.read(words).null_count > words.null_count:
            continue
        at = pc.index(pc.equal(taken, read), value=False).as_py()
        word, first, second = sample[at].as_py(), _shown(taken[at]), _shown(read[at])
        return f"Column {name!r}: {word!r} can mean {first} or {second}; it was read as {first}. Is that right?"
    return ""


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
    return (
        f"Column {name!r} has {way.kind}s except for {len(stray):,} of {len(known):,} values, such as "
        f"{stray[0].as_py()!r}: it was treated as text. Clear these values to use it as {way.kind}s."
    )


def _n_read(way: Format, words: pa.ChunkedArray) -> int:
    return len(words) - way.read(words).null_count


def _shown(value: pa.Scalar) -> str:
    plain = value.as_py()
    return f"{plain:.10g}" if isinstance(plain, float) else f"{plain.day} {plain:%B %Y}"
