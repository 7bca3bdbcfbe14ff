"""Text of a column before it is read: blanks, signs and marks of a missing value made alike."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

# What stands for a missing value in any column; "?" as in the tables of the UCI repository.
MISSING = ("", "?", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "#N/A")
# Beside numbers and dates these stand for a missing one, too; in a column of text they may be words like others.
GAPS = (
    *(word.lower() for word in MISSING),
    *("-", "--", "–", "—", ".", "n.a.", "n. a.", "n.v.", "k.a.", "\\n", "(null)", "nil", "missing", "unknown"),
    *("n.b.", "n. b.", "n.d.", "n. d.", "nd", "s/d", "tbd", "pending", "not done", "not measured", "nicht bestimmt"),
    *("#div/0!", "#value!", "#ref!", "#num!", "#name?", "#null!", "#n/a n/a"),
)
_BLANKS = "[\u00a0\u2007\u2009\u202f\t]"  # that set thousands apart, or come from web pages
_SIGNS = "[\u2212\u2013\u2012]"


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
