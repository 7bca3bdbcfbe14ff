"""Labels of a table that is read in chunks, as words: which values there are, and which say that nobody looked."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

import pandas as pd

from podium._types import BoolArray
from podium.exceptions import InputError
from podium.tables.formats.words import MISSING

_MOST_LABELS = 1000


class Unseen(NamedTuple):
    """Rows that nobody looked at: by a value of the label, or by that of another column, which may be empty."""

    column: str
    value: str

    @classmethod
    def of(cls, label: str, unlabeled: str | None) -> Unseen | None:
        """As the option has it: the label's value, or ``COLUMN=VALUE``."""
        if unlabeled is None:
            return None
        column, _, value = unlabeled.partition("=") if "=" in unlabeled else (label, "", unlabeled)
        return cls(column, value)

    def among(self, words: pd.Series[Any]) -> BoolArray:
        """Which rows of a column of words these are; of numbers, 1 and 1.0 are the same."""
        words = words.str.strip()
        if not self.value:
            return (words.isna() | words.isin(MISSING)).to_numpy(dtype=bool)
        found = words == self.value
        number = pd.to_numeric(self.value, errors="coerce")
        if not pd.isna(number):
            found |= pd.to_numeric(words, errors="coerce") == number
        return found.to_numpy(dtype=bool)

    def require(self, n_found: int) -> None:
        """Refuse a value that no row has."""
        if not n_found:
            raise InputError(
                f"unlabeled must be a value of {self.column!r}; got {self.value or 'no value'!r}, which no row has.",
                "COLUMN=VALUE names another column, COLUMN= where it is empty.",
            )


def refuse_many_labels(label: str, seen: Collection[str]) -> None:
    """Refuse a column that cannot be the label, before its values fill the memory."""
    if len(seen) > _MOST_LABELS:
        raise InputError(f"The label {label!r} needs two values; got more than {_MOST_LABELS:,}.")


def as_written(words: list[str]) -> dict[str, str]:
    """Labels as in a table that is read whole: if all are numbers, 1 and 1.0 are the same."""
    numbers = pd.to_numeric(pd.Series(words, dtype=object), errors="coerce")
    if numbers.isna().any():
        return {word: word for word in words}
    return {
        word: str(int(number)) if float(number).is_integer() else str(number)
        for word, number in zip(words, numbers, strict=True)
    }
