"""Read CSV, Parquet and Excel files, whole or in chunks; whatever cannot be read is refused with a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pyarrow as pa

from podium._progress import report_progress
from podium.exceptions import InputError
from podium.tables.files.arrow import release_arrow_memory, simplified
from podium.tables.files.csv import BAD_VALUE, bad_column, csv_batches, csv_header, csv_table, csv_words
from podium.tables.files.encoding import WINDOWS, encoding_of, wrong_encoding
from podium.tables.files.source import (
    Part,
    check_names,
    checked_path,
    is_csv,
    is_excel,
    is_parquet,
    parquet_file,
    parts_of,
)
from podium.tables.files.xlsx import FOOT, TITLE, xlsx_table
from podium.tables.formats.number import NumberFormat
from podium.tables.formats.reader import ColumnReader
from podium.tables.formats.recognize import Format, is_whole
from podium.tables.formats.text import TextFormat, without_missing
from podium.tables.table import Table

_VALUES, _FEWEST_ROWS = 1 << 21, 1 << 14  # read at a time
_TOO_LONG = 2.0**63  # for a whole number of 64 bits

Columns = Iterable[tuple[str, pa.ChunkedArray]]


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
    path = checked_path(path)
    with _errors_in_words(path):
        reader = _reader(path, known or {}, as_text)
        as_words = [name for name, way in reader.known.items() if way != NumberFormat()]
        columns = _columns_of_file(path, [*as_words, *as_text], reader)
        frame, texts = reader.read(_simplified(columns, path))
        if is_csv(path):
            _reread(path, frame, reader)
    release_arrow_memory()
    if not len(frame):
        raise InputError(f"A table needs rows; {path} has column names only.")
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
    for part, n_before, table in _pieces(path, known, as_text):
        if not n_before:
            reader = _reader(part.path, known, as_text)
            reader.only_known = True
        reader.n_before = n_before
        with _errors_in_words(part.path):
            columns = zip(table.column_names, table.columns, strict=True)
            yield reader.table(*reader.read(_simplified(columns, part.path)))


def stored_chunks(path: str | Path, names: Collection[str]) -> Iterator[pa.Table]:
    """Columns as they are stored, of CSV files the words, piece by piece; of a folder, one file after the other."""
    for part, _, table in _pieces(path, {}, names):
        yield pa.table({name: simplified(table.column(name), name, part.path) for name in names})


def _pieces(
    path: str | Path, known: Mapping[str, Format], as_text: Collection[str]
) -> Iterator[tuple[Part, int, pa.Table]]:
    """Each with its file, and how many rows of the file came before it; columns that folders stand for are the last."""
    parts = parts_of(path)
    wanted = {*known, *as_text}
    first = set(column_names(path))
    for i, part in enumerate(parts):
        if missing := sorted(wanted & first - set(_names_in(part))):
            raise InputError(f"All files of a folder need the same columns; {part.path} has no {missing[0]!r}.")

        def report(share: float, done: int = i) -> None:
            report_progress((done + share) / len(parts))

        n_before = 0
        with _errors_in_words(part.path):
            for batch in _batches(part.path, known, as_text, report):
                table = pa.Table.from_batches([batch])
                for name, word in part.constant.items():
                    table = table.append_column(name, pa.chunked_array([[word] * batch.num_rows], pa.string()))
                yield part, n_before, table
                n_before += batch.num_rows


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
    path = part.path
    with _errors_in_words(path):
        names: Sequence[str]
        if is_excel(path):
            names = xlsx_table(path).column_names
        else:
            names = parquet_file(path).schema_arrow.names if is_parquet(path) else csv_header(path).names
    return [*names, *(name for name in part.constant if name not in names)]


def _reader(path: Path, known: Mapping[str, Format], as_text: Collection[str]) -> ColumnReader:
    reader = ColumnReader(source=path, known=known, as_text=as_text, is_typed=is_parquet(path))
    if is_csv(path):
        header = csv_header(path)
        reader.has_comma = header.delimiter == ";"  # where a comma is the decimal mark
        reader.about_file += _about_title(header.n_title)
        if encoding_of(path) == WINDOWS:
            reader.about_file.append(
                f"{path.name} is not in UTF-8: it was read in the encoding of Windows (cp1252). If letters look wrong, "
                "save it as CSV in UTF-8."
            )
    return reader


def _about_title(n_rows: int) -> list[str]:
    if n_rows == 0:
        return []
    rows = "1 row was" if n_rows == 1 else f"{n_rows} rows were"
    return [f"Above the names of columns, {rows} taken for a title."]


def _about_foot(n_rows: int) -> list[str]:
    if n_rows == 0:
        return []
    rows = "the last row was" if n_rows == 1 else f"the last {n_rows} rows were"
    return [f"Below the table, {rows} taken for totals or a remark, and left out."]


def _simplified(columns: Columns, path: Path) -> Columns:
    for name, column in columns:
        yield name, simplified(column, name, path)


def _batches(
    path: Path, known: Mapping[str, Format], as_text: Collection[str], report: Callable[[float], None]
) -> Iterator[pa.RecordBatch]:
    if is_excel(path):
        yield from xlsx_table(path).to_batches()
    elif is_parquet(path):
        file = parquet_file(path)
        check_names(file.schema_arrow.names, path)
        wanted = [name for name in file.schema_arrow.names if name in known or name in as_text]
        n_rows, done = max(file.metadata.num_rows, 1), 0
        size = max(_FEWEST_ROWS, _VALUES // max(1, len(wanted)))
        for group in range(file.num_row_groups):  # one at a time: Arrow holds what it has read of all it was asked for
            for batch in file.iter_batches(size, row_groups=[group], columns=wanted):
                yield batch
                done += batch.num_rows
                report(done / n_rows)
    else:
        yield from csv_batches(path, known, as_text, report)


def _columns_of_file(path: Path, as_words: Collection[str], reader: ColumnReader) -> Columns:
    """One column after the other; what is handed over is no longer held, so that no table is in memory twice."""
    if is_parquet(path):
        file = parquet_file(path)
        names = file.schema_arrow.names
        check_names(names, path)
        for done, name in enumerate(names):
            report_progress(done / len(names))
            yield name, file.read([name]).column(name)
            release_arrow_memory()
        return
    table = xlsx_table(path) if is_excel(path) else csv_table(path, as_words)
    beside = table.schema.metadata or {}
    reader.about_file += [*_about_title(int(beside.get(TITLE, 0))), *_about_foot(int(beside.get(FOOT, 0)))]
    names, columns = table.column_names, table.columns[::-1]
    del table
    for name in names:
        yield name, columns.pop()
        release_arrow_memory()


def _reread(path: Path, frame: pd.DataFrame, reader: ColumnReader) -> None:
    """Columns that Arrow took for numbers, read again as words where a reader would have taken them otherwise.

    Where decimals have commas, the point of 1.234 sets thousands apart. Whole numbers of twenty digits are names.
    """
    decimals = [
        name
        for name in map(str, frame)
        if name not in reader.known and reader.formats.get(name) == NumberFormat() and frame[name].dtype.kind == "f"
    ]
    too_long = [name for name in decimals if frame[name].abs().max() >= _TOO_LONG]
    likely = [name for name in decimals if _may_be_thousands(frame[name])]
    has_commas = any(getattr(way, "decimal", "") == "," for way in reader.formats.values())
    if not has_commas and not (reader.has_comma and len(likely) == len(decimals)):
        likely = []
    if not too_long and not likely:
        return
    words = csv_words(path, [*too_long, *likely])
    for name in too_long:
        if is_whole(words.column(name)):
            frame[name] = without_missing(words.column(name)).to_pandas()
            reader.formats[name] = TextFormat()
    reader.has_comma = True
    for name in likely:
        frame[name] = reader.one(name, words.column(name)).to_pandas()


def _may_be_thousands(column: pd.Series[float]) -> bool:
    """Whether all fractions have the three digits of a group, behind one to three others."""
    values = column.abs()
    parts = values[values % 1 > 0]
    has_three = (parts * 1000 - (parts * 1000).round()).abs() < 1e-6
    return bool(len(parts)) and bool((has_three & (parts >= 1) & (parts < 1000)).all())


@contextmanager
def _errors_in_words(path: Path) -> Iterator[None]:
    """Arrow's complaints as our refusals."""
    try:
        yield
    except pa.ArrowException as error:
        raise _refusal(path, str(error)) from None


def _refusal(path: Path, message: str) -> InputError:
    if match := re.search(r"Expected (\d+) columns, got (\d+): (.{0,60})", message):
        wanted, got, line = match.groups()
        return InputError(
            f"Every row needs the {wanted} values that the header of {path} names; got {got} in {line!r}.",
            "a value that holds the separator must be in double quotes.",
        )
    if match := BAD_VALUE.search(message):
        name = bad_column(message, csv_header(path).names)
        return InputError(f"Column {name!r} of {path} must hold numbers; got {match.group(3)!r}.")
    if "UTF8" in message:
        return wrong_encoding(path)
    ending = "Parquet" if is_parquet(path) else "CSV"
    return InputError(f"{path} must be a {ending} file; it could not be read: {message}.")
