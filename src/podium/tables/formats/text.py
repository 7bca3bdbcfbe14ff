"""Words: tidied, without those for a missing value, kept as text, or read as truth values."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from podium.tables.formats.words import GAPS, MISSING

_BLANKS = "[\u00a0\u2007\u2009\u202f\t]"  # that set thousands apart, or come from web pages
_SIGNS = "[\u2212\u2013\u2012]"
_TRUE, _FALSE = ("true", "t", "1"), ("false", "f", "0")


def tidy(words: pa.ChunkedArray) -> pa.ChunkedArray:
    """Without blanks, quotes and byte marks around; one kind of blank, minus and apostrophe inside."""
    words = pc.replace_substring_regex(words, _BLANKS, " ")
    words = pc.replace_substring_regex(words, _SIGNS, "-")
    words = pc.replace_substring(words, "\u2019", "'")
    return pc.utf8_trim(words, " \"'\ufeff")


def without_gaps(words: pa.ChunkedArray) -> pa.ChunkedArray:
    """Tidy words with null for what stands for a missing number or date."""
    return null_where(pc.is_in(pc.utf8_lower(words), value_set=pa.array(GAPS)), words)


def without_missing(words: pa.ChunkedArray) -> pa.ChunkedArray:
    """Text with null for what stands for a missing value, and no blanks around."""
    trimmed = pc.utf8_trim_whitespace(words)
    return null_where(pc.is_in(trimmed, value_set=pa.array(MISSING)), trimmed)


def null_where(condition: pa.ChunkedArray, words: pa.ChunkedArray) -> pa.ChunkedArray:
    """Text with null where a condition holds, or is null itself."""
    # As many nulls as words, not one: beside a scalar, Arrow up to 23 at least garbles the words of a sliced column.
    return pc.if_else(condition, pa.nulls(len(words), words.type), words)


@dataclass(frozen=True)
class TextFormat:
    """Words, compared as they stand."""

    kind = "text"
    example = "text"

    def read(self, words: pa.ChunkedArray) -> pa.ChunkedArray:
        """As it is."""
        return words


@dataclass(frozen=True)
class LabelFormat:
    """Words of which only those named are positive."""

    positive: frozenset[str]
    kind = "label"
    example = "a label"

    def read(self, words: pa.ChunkedArray) -> pa.ChunkedArray:
        """Whether each is positive; null where there is none."""
        is_positive = pc.is_in(words, value_set=pa.array(sorted(self.positive), pa.string()))
        return pc.if_else(words.is_valid(), is_positive, pa.scalar(None, pa.bool_()))


@dataclass(frozen=True)
class TruthFormat:
    """True and false, in any case; as numbers they are 1 and 0."""

    kind = "number"
    example = "true"

    def read(self, words: pa.ChunkedArray) -> pa.ChunkedArray:
        """1, 0, or null where a word is neither."""
        words = pc.utf8_lower(words)
        is_true, is_false = (pc.is_in(words, value_set=pa.array(signs)) for signs in (_TRUE, _FALSE))
        return pc.if_else(is_true, 1.0, pc.if_else(is_false, 0.0, pa.scalar(None, pa.float64())))


def truth_formats(words: pa.ChunkedArray) -> list[TruthFormat]:
    """The way that every one of these words fits, where some are no numbers."""
    known = {word.lower() for word in words.to_pylist()}
    return [TruthFormat()] if known <= {"true", "false", "t", "f"} and known & {"true", "false"} else []
