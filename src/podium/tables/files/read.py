"""Read tables from files of every kind, whole or in chunks; whatever cannot be read is refused with a sentence."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pyarrow as pa

from podium._progress import report_progress
from podium.exceptions import InputError
from podium.tables.files.base import TableFile, release_arrow_memory, simplified
from podium.tables.files.source import Part, checked_path, file_at, parts_of
from podium.tables.formats.reader import ColumnReader
from podium.tables.formats.recognize import Format
from podium.tables.table import Table


def read(path: str | Path) -> pd.DataFrame:
    """Read the columns of a file; their values tell what each holds.

    Parameters
    ----------
    path : str or path
        The file to read.

    Returns
    -------
    pandas.DataFrame
        The columns of the file, with the types of their values.
    """
    return read_table(path).frame


def read_table(path: str | Path, *, known: Mapping[str, Format] | None = None, as_text: Collection[str] = ()) -> Table:
    """The whole table; columns ``known`` are read as they were before, those ``as_text`` are kept byte for byte."""
    file = file_at(checked_path(path))
    with _errors_in_words(file):
        reader = file.reader(known, as_text)
        frame, texts = file.read(reader)
    release_arrow_memory()
    if not len(frame):
        raise InputError(f"A table needs rows; {file.path} has column names only.")
    return reader.table(frame, texts)


def chunks(path: str | Path, known: Mapping[str, Format], as_text: Collection[str] = ()) -> Iterator[Table]:
    """Read a table piece by piece: the columns that a model knows, and those to be kept as text.

    The table may be larger than memory. Of a folder, the files are read one after the other.

    Parameters
    ----------
    path : str or path
        The file or folder.
    known : mapping of str to Format
        How the columns that the model knows were written.
    as_text : collection of str
        The columns to keep as they are written.

    Returns
    -------
    iterator of Table
        The table piece by piece.
    """
    for file, reader, table in _pieces(path, known, as_text):
        with _errors_in_words(file):
            columns = ((name, simplified(table.column(name), name, file.path)) for name in table.column_names)
            yield reader.table(*reader.read(columns))


def stored_chunks(path: str | Path, names: Collection[str]) -> Iterator[pa.Table]:
    """Columns as they are stored, of CSV files the words, piece by piece; of a folder, one file after the other."""
    for file, _, table in _pieces(path, {}, names):
        yield pa.table({name: simplified(table.column(name), name, file.path) for name in names})


def _pieces(
    path: str | Path, known: Mapping[str, Format], as_text: Collection[str]
) -> Iterator[tuple[TableFile, ColumnReader, pa.Table]]:
    """Each with its file and the file's reader; columns that folders stand for are the last."""
    parts = parts_of(path)
    wanted = {*known, *as_text}
    first = set(column_names(path))
    for i, part in enumerate(parts):
        if missing := sorted(wanted & first - set(_names_in(part))):
            raise InputError(f"All files of a folder need the same columns; {part.file.path} has no {missing[0]!r}.")

        def report(share: float, done: int = i) -> None:
            report_progress((done + share) / len(parts))

        with _errors_in_words(part.file):
            reader = part.file.reader(known, as_text)
            reader.only_known = True
            for batch in part.file.batches(reader, report):
                table = pa.Table.from_batches([batch])
                for name, word in part.constant.items():
                    table = table.append_column(name, pa.chunked_array([[word] * batch.num_rows], pa.string()))
                yield part.file, reader, table
                reader.n_before += batch.num_rows


def column_names(path: str | Path) -> list[str]:
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
    with _errors_in_words(part.file):
        names = part.file.names()
    return [*names, *(name for name in part.constant if name not in names)]


@contextmanager
def _errors_in_words(file: TableFile) -> Iterator[None]:
    """Arrow's complaints as our refusals."""
    try:
        yield
    except pa.ArrowException as error:
        raise file.refusal(str(error)) from None
