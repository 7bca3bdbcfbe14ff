"""Tables as people hold them: the name of a file, or a pandas, polars or Arrow table."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from podium.exceptions import InputError, InputTypeError
from podium.tables.files.arrow import frame_of, simplified
from podium.tables.files.read import read
from podium.tables.files.source import check_names

_NAME = "the table"


def is_path(table: Any) -> bool:
    """Whether a table is given by the name of its file."""
    return isinstance(table, (str, os.PathLike))


def to_frame(table: Any, kinds: Mapping[str, str] | None = None) -> pd.DataFrame:
    """A frame of our own, so that nothing that is done to it shows in the caller's table; columns may share memory.

    Rows of a pandas table keep their index as their names; all others are numbered from 1 on.

    Parameters
    ----------
    table : path, pandas.DataFrame, polars.DataFrame, pyarrow.Table
        A CSV (also .gz) or Parquet file, or anything that offers its columns to Arrow.
    kinds : mapping of str to str, optional
        What columns of a file hold, ``"number"`` or ``"text"``; else their values tell.
    """
    if is_path(table):
        frame = read(Path(table), kinds)
    elif isinstance(table, pd.DataFrame):
        return _from_pandas(table)
    elif hasattr(table, "__arrow_c_stream__"):
        columns = pa.table(table)
        check_names(columns.column_names, _NAME)
        frame = frame_of(zip(columns.column_names, columns.columns, strict=True), _NAME)
    else:
        raise InputTypeError(
            f"A table must be the name of a file, or a pandas, polars or Arrow table; got {type(table).__name__}.",
            "pandas.DataFrame(rows) makes a table of most things; a lazy table must be collected first.",
        )
    frame.index = pd.RangeIndex(1, len(frame) + 1)
    return _with_rows(frame)


def _from_pandas(table: pd.DataFrame) -> pd.DataFrame:
    names = [str(name) for name in table.columns]
    check_names(names, _NAME)
    columns = {name: _column(table.iloc[:, j], name) for j, name in enumerate(names)}
    return _with_rows(pd.DataFrame(columns, index=table.index, copy=False))


def _column(column: pd.Series[Any], name: str) -> pd.Series[Any]:
    """As it would come out of a file."""
    if getattr(column.dtype, "kind", "O") in "biufM" and column.dtype.type.__module__ == "numpy":
        return column
    try:
        values = pa.chunked_array([pa.Array.from_pandas(column)])
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        kinds = sorted({type(value).__name__ for value in column.dropna()})
        raise InputTypeError(
            f"A column holds values of one kind; {name!r} of {_NAME} holds {', '.join(kinds[:5])}.",
            f"make it one kind, for instance text: table[{name!r}].astype(str).",
        ) from None
    plain = simplified(values, name, _NAME).to_pandas()
    plain.index = column.index
    return plain


def _with_rows(frame: pd.DataFrame) -> pd.DataFrame:
    if not len(frame):
        raise InputError("A table needs rows; got column names only.")
    return frame
