"""Rows as JSON has them, encoded cell by cell without a table; what is not plain has to be read as a table is.

A cell is plain where nothing has to be made out: a number, a truth value, a word, a day or moment in ISO 8601, or
nothing. That takes microseconds, NumPy alone, and gives the numbers that the encoder gives for a table of the rows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from podium._types import FloatArray
from podium.columns.date import DateColumn, GapColumn
from podium.columns.number import NumberColumn
from podium.columns.text import TextColumn
from podium.exceptions import InputError, InputTypeError
from podium.tables.formats.words import ISO, MISSING

if TYPE_CHECKING:
    import pandas as pd

_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d:\d\d)?", re.ASCII)
_LARGEST_WHOLE = 2**53  # beyond, whole numbers are no floats
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Row = Mapping[str, Any]


def is_rows(rows: Any) -> bool:
    """Whether it is a list of rows, not a table; a list of anything else is refused."""
    if not isinstance(rows, list | tuple | Mapping):
        return False
    if isinstance(rows, Mapping) or not all(isinstance(row, Mapping) for row in rows):
        what = "one alone" if isinstance(rows, Mapping) else f"a list with a {_first_other(rows)}"
        raise InputTypeError(f"Rows are a list of dicts, or a table; got {what}.", 'for instance [{"age": 41}].')
    if not rows:
        raise InputError("Scores need rows; got an empty list.")
    return True


def _first_other(rows: Sequence[Any]) -> str:
    return next(type(row).__name__ for row in rows if not isinstance(row, Mapping))


def as_frame(names: Sequence[str], rows: Sequence[Row]) -> pd.DataFrame:
    """The columns of these names that any row has."""
    import pandas as pd

    present = [name for name in names if any(name in row for row in rows)]
    return pd.DataFrame({name: [row.get(name) for row in rows] for name in present})


def encoded(columns: Sequence[Any], known: Mapping[str, Any], rows: Sequence[Row]) -> FloatArray | None:
    """The rows as the encoder's numbers; None where a cell is not plain, or no row has one of the columns.

    ``known``: how columns were written in training.
    """
    cells: dict[tuple[str, Any], list[Any] | None] = {}
    read: dict[type, Callable[[list[Any]], list[Any] | None]] = {
        NumberColumn: _numbers,
        TextColumn: _words,
        DateColumn: _seconds,
        GapColumn: _seconds,
    }
    X: list[list[list[float]]] = []
    for column in columns:
        reader = read.get(type(column))
        if reader is None:
            return None
        parts = []
        for name in column.sources:
            if (name, reader) not in cells:
                is_known = any(name in row for row in rows)
                is_known &= reader is not _seconds or getattr(known.get(name), "pattern", ISO) == ISO
                cells[name, reader] = reader([row.get(name) for row in rows]) if is_known else None
            values = cells[name, reader]
            if values is None:
                return None
            parts.append(values)
        X.append([column.of_cells(*each) for each in zip(*parts, strict=True)])
    return np.array([[x for outputs in row for x in outputs] for row in zip(*X, strict=True)], dtype=np.float64)


def _is_missing(cell: Any) -> bool:
    return cell is None or (type(cell) is float and math.isnan(cell))


def _numbers(cells: list[Any]) -> list[float] | None:
    """NaN where missing; truth values are 1 and 0, but not among numbers, nor beside gaps."""
    if all(type(cell) is bool for cell in cells):
        return [float(cell) for cell in cells]
    numbers = []
    for cell in cells:
        if cell is None:
            numbers.append(math.nan)
        elif type(cell) is float or (type(cell) is int and abs(cell) <= _LARGEST_WHOLE):
            numbers.append(float(cell))
        else:
            return None
    return numbers


def _words(cells: list[Any]) -> list[str | None] | None:
    """Without those that stand for a missing one; where there may be blanks around, it is not plain."""
    words: list[str | None] = []
    for cell in cells:
        if _is_missing(cell):
            words.append(None)
        elif type(cell) is str and all(
            end.isalnum() or "!" <= end <= "~" for end in (cell[:1] or "x", cell[-1:] or "x")
        ):
            words.append(None if cell in MISSING else cell)
        else:
            return None
    return words


def _seconds(cells: list[Any]) -> list[float] | None:
    """Since 1970."""
    seconds = []
    for cell in cells:
        if _is_missing(cell):
            seconds.append(math.nan)
            continue
        if type(cell) is not str or not _MOMENT.fullmatch(cell):
            return None
        try:
            moment = datetime.fromisoformat(cell).replace(tzinfo=UTC)
        except ValueError:
            return None
        seconds.append((moment - _EPOCH).total_seconds())
    return seconds
