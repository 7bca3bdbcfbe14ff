"""Text that stays text, and truth values."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

_TRUE, _FALSE = ("true", "t", "1"), ("false", "f", "0")


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
