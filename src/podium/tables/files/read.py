"""Read tables: from files of every kind, whole or in chunks, and from pandas, polars or Arrow.

Whatever cannot be read is refused with a sentence.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pyarrow as pa

from podium import _memory
from podium._progress import report_progress
from podium.exceptions import InputError, InputTypeError
from podium.tables.files.base import TableFile, check_names, simplified
from podium.tables.files.source import Part, is_path, parts_of, table_file
from podium.tables.files.versions import require_same, version_of
from podium.tables.formats.reader import ColumnReader, format_of_dtype
from podium.tables.formats.recognize import Format
from podium.tables.table import Table

PathLike = str | os.PathLike[str]

_NAME = "the table"


def read(path: PathLike) -> pd.DataFrame:
    """Read a file; the type of each column is inferred from its values.

    Parameters
    ----------
    path : str, path or Sheet
        The file to read; of an Excel file, `Sheet` names one of several sheets.

    Returns
    -------
    pandas.DataFrame
        The columns, as numbers, times or text.
    """
    return _read_file(path, None, ()).frame


def to_table(table: Any, *, known: Mapping[str, Format] | None = None, as_text: Collection[str] = ()) -> Table:
    """Any table as a :class:`Table`; the one given is never modified, but columns may share its memory.

    Rows of a pandas table are named by its index; others are numbered from 1.

    Parameters
    ----------
    table : path, Sheet, pandas.DataFrame, polars.DataFrame, pyarrow.Table
        A CSV (also .gz), Parquet or Excel file, or anything that offers its columns to Arrow.
    known : mapping of str to Format, optional
        The formats of columns that a model was trained on, which are read in the same way. The types of other columns
        are inferred from their values.
    as_text : collection of str
        Columns to keep as text, byte for byte.

    Returns
    -------
    Table
        The columns, their formats, and remarks on how they were read.
    """
    if is_path(table):
        read = _read_file(table, known, as_text)
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
    _check(arrow.column_names, arrow.num_rows, reader)
    columns = zip(arrow.column_names, arrow.columns, strict=True)
    frame, texts = reader.read((name, simplified(column, name, _NAME)) for name, column in columns)
    frame.index = texts.index = pd.RangeIndex(1, arrow.num_rows + 1)
    return reader.table(frame, texts)


def _read_file(path: PathLike, known: Mapping[str, Format] | None, as_text: Collection[str]) -> Table:
    file = table_file(path)
    with _reading(file):
        reader = file.reader(known, as_text)
        frame, texts = file.read(reader)
    _memory.release_arrow()
    if not len(frame):
        raise InputError(f"A table needs rows; {file.path} has column names only.")
    return reader.table(frame, texts)


def _from_pandas(table: pd.DataFrame, reader: ColumnReader) -> Table:
    """Columns of plain numbers and times are taken as they are; others as they would come out of a file."""
    table = table.set_axis([str(name) for name in table.columns], axis=1)
    _check(list(table.columns), len(table), reader)
    as_they_are = {}
    columns = {str(name): column for name, column in table.items()}
    for name, column in columns.items():
        plain = format_of_dtype(column.dtype)
        if plain and name not in reader.as_text and reader.known.get(name, plain).kind == plain.kind:
            as_they_are[name], reader.formats[name] = column, plain
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


def _check(names: list[str], n_rows: int, reader: ColumnReader) -> None:
    check_names(names, _NAME, fewest=1 if reader.known else 2)
    if not n_rows:
        raise InputError("A table needs rows; got column names only.")


@dataclass(frozen=True)
class Share:
    """Rows of a table that can be read by themselves: row groups of a file of a folder, of which this is the number.

    ``first`` is the number of the first row in the table, ``n_before`` in the file.
    """

    file: int
    groups: range
    first: int
    n_before: int


def shares_of(path: PathLike, known: Mapping[str, Format], most: int) -> list[Share] | None:
    """The table in shares of about so many rows, in order; None where it must be read from its beginning."""
    shares, first = [], 0
    worded = [name for name, way in known.items() if way.kind in ("number", "date")]
    for number, part in enumerate(parts_of(path)):
        with _reading(part.file):
            sizes = part.file.row_groups(worded)
        if sizes is None:
            return None
        begun = n_before = n_here = 0
        for group, n_rows in enumerate(sizes, start=1):
            n_here += n_rows
            if n_here >= most or group == len(sizes):
                shares.append(Share(number, range(begun, group), first + n_before, n_before))
                begun, n_before, n_here = group, n_before + n_here, 0
        first += n_before
    return shares


def chunks(
    path: PathLike, known: Mapping[str, Format], as_text: Collection[str] = (), *, share: Share | None = None
) -> Iterator[Table]:
    """Read a table in chunks: the columns that a model knows, and those to keep as text.

    The table may be larger than memory. Of a folder, the files are read one after the other.

    Parameters
    ----------
    path : str or path
        The file or folder.
    known : mapping of str to Format
        The formats of the columns that the model knows.
    as_text : collection of str
        The columns to keep as text.
    share : Share, optional
        The rows to read, where not all are.

    Returns
    -------
    iterator of Table
        The table, one chunk of rows after the other.
    """
    for file, reader, table in _pieces(path, known, as_text, share):
        with _reading(file):
            columns = ((name, simplified(table.column(name), name, file.path)) for name in table.column_names)
            yield reader.table(*reader.read(columns))


def stored_chunks(path: PathLike, names: Collection[str]) -> Iterator[pa.Table]:
    """Columns as they are stored, of CSV files the words, piece by piece; of a folder, one file after the other."""
    for file, _, table in _pieces(path, {}, names):
        yield pa.table({name: simplified(table.column(name), name, file.path) for name in names})


def _pieces(
    path: PathLike, known: Mapping[str, Format], as_text: Collection[str], share: Share | None = None
) -> Iterator[tuple[TableFile, ColumnReader, pa.Table]]:
    """Each with its file and the file's reader; columns that folders stand for are the last."""
    parts = parts_of(path)
    wanted = {*known, *as_text}
    first = set(column_names(path))
    for i, part in enumerate(parts):
        if share is not None and i != share.file:
            continue
        if missing := sorted(wanted & first - set(_names_in(part))):
            raise InputError(f"All files of a folder need the same columns; {part.file.path} has no {missing[0]!r}.")

        def report(share: float, done: int = i) -> None:
            report_progress((done + share) / len(parts))

        with _reading(part.file):
            reader = part.file.reader(known, as_text)
            reader.only_known = True
            if share is not None:
                part.file.groups, reader.n_before = share.groups, share.n_before
            for batch in part.file.batches(reader, report):
                table = pa.Table.from_batches([batch])
                for name, word in part.constant.items():
                    table = table.append_column(name, pa.chunked_array([[word] * batch.num_rows], pa.string()))
                yield part.file, reader, table
                reader.n_before += batch.num_rows


def column_names(path: PathLike) -> list[str]:
    """The names of all columns of a file, in their order; of a folder, those of its first file.

    Parameters
    ----------
    path : str or path
        The file to read.

    Returns
    -------
    list of str
        The names, in their order.
    """
    return _names_in(parts_of(path)[0])


def _names_in(part: Part) -> list[str]:
    with _reading(part.file):
        names = part.file.names()
    return [*names, *(name for name in part.constant if name not in names)]


@contextmanager
def _reading(file: TableFile) -> Iterator[None]:
    """Arrow's complaints as our refusals; a file that is no longer the one that was opened is refused in any case."""
    before = version_of(file.path)
    try:
        yield
    except Exception as error:
        require_same(file.path, before)
        if isinstance(error, pa.ArrowException):
            raise file.refusal(str(error)) from None
        raise
    require_same(file.path, before)
