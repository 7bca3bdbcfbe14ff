"""Data frames of every kind as columns of numbers, times and text, by the types that they have."""

from __future__ import annotations

import datetime
import numbers
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from podium import _optional
from podium._types import BoolArray
from podium.columns.encode import EncodedRows, Encoder, kind_of
from podium.columns.text import is_free_text
from podium.exceptions import DegenerateSampleError, InputError

if TYPE_CHECKING:
    import pandas as pd

_HELD = {"number": "numbers", "date": "dates"}
_ARE_TEXT = ("text", "words")


def plain_frame(X: Any, names: Sequence[str], kinds: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Rows as a pandas frame of these names; of columns with a known kind, InputError if they hold another one.

    A column without any value holds whatever it should.
    """
    pd = _optional.load("pandas", "A ranker of text, dates or missing values")
    if not hasattr(X, "columns"):
        return pd.DataFrame(X, columns=list(names))
    frame = X if hasattr(X, "iloc") else X.to_pandas()
    columns = {name: _plain(frame.iloc[:, j]).rename(name) for j, name in enumerate(names)}
    for name, kind in (kinds or {}).items():
        column = columns[name]
        held = kind_of(column)
        if kind in _ARE_TEXT and held == "number":
            whole = (column.dropna() % 1 == 0).all()  # a missing value had made them decimal
            columns[name] = (column.astype("Int64") if whole else column).astype(object)
        elif kind not in _ARE_TEXT and held != kind and column.notna().any():
            raise InputError(
                f"Column {name!r} must hold {_HELD[kind]}, as in training; it holds {_HELD.get(held, held)}."
            )
    return pd.DataFrame(columns, index=frame.index, copy=False)


def learned_from(frame: pd.DataFrame, is_positive: BoolArray, seed: int) -> tuple[Encoder, EncodedRows]:
    """The encoder of all columns of a frame, and the rows as it makes numbers of them for training."""
    kinds = {str(name): kind_of(column) for name, column in frame.items()}
    kinds |= {name: "words" for name, kind in kinds.items() if kind == "text" and is_free_text(frame[name])}
    rows = np.arange(len(frame))
    encoder = Encoder.fit(frame, rows, kinds, is_positive)
    if not encoder.columns:
        raise DegenerateSampleError(
            "There is no column to learn from: text without repeated values or words, and columns without any value, "
            "are left out."
        )
    return encoder, encoder.training_rows(frame, rows, is_positive, np.random.default_rng(seed))


def _plain(column: pd.Series[Any]) -> pd.Series[Any]:
    """A column of numbers, of times, or of objects that are text."""
    import pandas as pd

    kind = getattr(column.dtype, "kind", "O")
    if kind in "biufM":
        return column
    if kind == "m":
        return column.dt.total_seconds()
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.astype(object)
    known = column.dropna()
    if all(isinstance(value, numbers.Real | Decimal) for value in known):
        return column.astype(np.float64)
    if all(isinstance(value, datetime.date) for value in known):
        return pd.to_datetime(column)
    return column.astype(object)
