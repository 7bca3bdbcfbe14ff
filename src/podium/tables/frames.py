"""Tables as people hold them: the name of a file, or a pandas, polars or Arrow table."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from podium.exceptions import InputError, InputTypeError
from podium.tables.files.arrow import simplified
from podium.tables.files.read import read_table
from podium.tables.files.source import check_names, is_path
from podium.tables.formats.reader import ColumnReader, format_of_dtype
from podium.tables.formats.recognize import Format
from podium.tables.table import Table

_NAME = "the table"


def to_table(table: Any, *, known: Mapping[str, Format] | None = None, as_text: Collection[str] = ()) -> Table:
    """Any table as a :class:`Table`, so that nothing done to it changes the one given; columns may share memory.

    Rows of a pandas table keep their index as their names; all others are numbered from 1 on.

    Parameters
    ----------
    table : path, pandas.DataFrame, polars.DataFrame, pyarrow.Table
        A CSV (also .gz), Parquet or Excel file, or anything that offers its columns to Arrow.
    known : mapping of str to Format, optional
        How columns were written that a model was trained on: they are read the same way. Of the others, their values
        tell what they hold.
    as_text : collection of str
        Columns that are kept as text byte for byte.

    Returns
    -------
    Table
        The columns, how they were written, and what must be said of how they were read.
    """
    if is_path(table):
        read = read_table(Path(table), known=known, as_text=as_text)
        index = pd.RangeIndex(1, len(read.frame) + 1)
        read.frame.index = read.texts.index = index
        return read
    reader = ColumnReader(source=_NAME, known=known or {}, as_text=as_text, is_typed=True)
    if isinstance(table, pd.DataFrame):
        return _from_pandas(table, reader)
    if not hasattr(table, "__arrow_c_stream__"):
        raise InputTypeError(
            f"A table must be the name of a file, or a pandas, polars or Arrow table; got {type(table).__name__}.",
            "pandas.DataFrame(rows) makes a table of most things; a lazy table must be collected first.",
        )
    arrow = pa.table(table)
    _check(arrow.column_names, arrow.num_rows)
    columns = zip(arrow.column_names, arrow.columns, strict=True)
    frame, texts = reader.read((name, simplified(column, name, _NAME)) for name, column in columns)
    frame.index = texts.index = pd.RangeIndex(1, arrow.num_rows + 1)
    return reader.table(frame, texts)


def _from_pandas(table: pd.DataFrame, reader: ColumnReader) -> Table:
    """Columns of plain numbers and times are taken as they are; others as they would come out of a file."""
    table = table.set_axis([str(name) for name in table.columns], axis=1)
    _check(list(table.columns), len(table))
    as_they_are = {}
    columns = {str(name): column for name, column in table.items()}
    for name, column in columns.items():
        found = format_of_dtype(column.dtype)
        if found and name not in reader.as_text and reader.known.get(name, found).kind == found.kind:
            as_they_are[name], reader.formats[name] = column, found
    frame, texts = reader.read(
        (name, _arrow_column(column, name)) for name, column in columns.items() if name not in as_they_are
    )
    frame.index = texts.index = table.index
    read = as_they_are | {name: frame[name] for name in frame}
    ordered = {name: read[name] for name in columns if name in read}
    return reader.table(pd.DataFrame(ordered, index=table.index, copy=False), texts)


def _arrow_column(column: pd.Series[Any], name: str) -> pa.ChunkedArray:
    try:
        return simplified(pa.chunked_array([pa.Array.from_pandas(column)]), name, _NAME)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        kinds = sorted({type(value).__name__ for value in column.dropna()})
        raise InputTypeError(
            f"A column holds values of one kind; {name!r} of {_NAME} holds {', '.join(kinds[:5])}.",
            f"make it one kind, for instance text: table[{name!r}].astype(str).",
        ) from None


def _check(names: list[str], n_rows: int) -> None:
    check_names(names, _NAME)
    if not n_rows:
        raise InputError("A table needs rows; got column names only.")
