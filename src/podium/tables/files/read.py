"""Read CSV and Parquet files, whole or in chunks; whatever cannot be read is refused with a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as parquet

from podium._progress import report_progress
from podium.exceptions import InputError
from podium.tables.files.arrow import Columns, frame_of
from podium.tables.files.memory import release_arrow_memory
from podium.tables.files.source import TextFile, check_names, checked_path, csv_header, is_parquet, wrong_encoding

# What stands for a missing value; "?" as in the tables of the UCI repository.
MISSING = ("", "?", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "#N/A")
_BLOCK = 8 << 20  # bytes read at a time
_ARROW_TYPES = {"number": pa.float64(), "text": pa.string()}


def read(path: str | Path, kinds: Mapping[str, str] | None = None) -> pd.DataFrame:
    """The whole table; ``kinds`` (of name to "number" or "text") settles what columns hold, else their values do."""
    path = checked_path(path)
    with _errors_in_words(path):
        frame = frame_of(_columns_of_file(path, kinds), path)
    release_arrow_memory()
    if not len(frame):
        raise InputError(f"A table needs rows; {path} has column names only.")
    return frame


def chunks(path: str | Path, kinds: Mapping[str, str] | None = None) -> Iterator[pd.DataFrame]:
    """The table piece by piece, so that it may be larger than memory."""
    path = checked_path(path)
    with _errors_in_words(path):
        if is_parquet(path):
            file = parquet.ParquetFile(path)
            check_names(file.schema_arrow.names, path)
            n_rows, done = max(file.metadata.num_rows, 1), 0
            for batch in file.iter_batches():
                yield frame_of(_columns_of_batch(batch), path)
                done += batch.num_rows
                report_progress(done / n_rows)
            return
        with TextFile(path) as file, arrow_csv.open_csv(file, **_csv_options(path, kinds)) as reader:
            for batch in reader:
                yield frame_of(_columns_of_batch(batch), path)
                report_progress(file.share_read)


def _columns_of_file(path: Path, kinds: Mapping[str, str] | None) -> Columns:
    """One column after the other; what is handed over is no longer held, so that no table is in memory twice."""
    if is_parquet(path):
        file = parquet.ParquetFile(path)
        names = file.schema_arrow.names
        check_names(names, path)
        for done, name in enumerate(names):
            report_progress(done / len(names))
            yield name, file.read([name]).column(name)
            release_arrow_memory()
        return
    table = _csv_table(path, kinds)
    names, columns = table.column_names, table.columns[::-1]
    del table
    for name in names:
        yield name, columns.pop()
        release_arrow_memory()


def _columns_of_batch(batch: pa.RecordBatch) -> Columns:
    return zip(batch.schema.names, pa.Table.from_batches([batch]).columns, strict=True)


def _csv_table(path: Path, kinds: Mapping[str, str] | None) -> pa.Table:
    """Piece by piece, which takes half the memory; where the first piece misleads about types, as a whole."""
    try:
        with TextFile(path) as file, arrow_csv.open_csv(file, **_csv_options(path, kinds)) as reader:
            return pa.Table.from_batches(_read_batches(reader, file), schema=reader.schema)
    except pa.ArrowInvalid as error:
        if "conversion error" not in str(error):
            raise
    with TextFile(path) as file:
        return arrow_csv.read_csv(file, **_csv_options(path, kinds))


def _read_batches(reader: Iterable[pa.RecordBatch], file: TextFile) -> Iterator[pa.RecordBatch]:
    for batch in reader:
        yield batch
        report_progress(file.share_read)


def _csv_options(path: Path, kinds: Mapping[str, str] | None) -> dict[str, Any]:
    names, delimiter = csv_header(path)
    types = {name: _ARROW_TYPES[kind] for name, kind in (kinds or {}).items() if name in names}
    return {
        "read_options": arrow_csv.ReadOptions(use_threads=False, block_size=_BLOCK),
        "parse_options": arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        "convert_options": arrow_csv.ConvertOptions(
            column_types=types, null_values=list(MISSING), strings_can_be_null=True
        ),
    }


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
    if match := re.search(r"CSV column (?:#(\d+)|'(.*?)').*invalid value '(.*)'", message):
        number, name, value = match.groups()
        name = name or csv_header(path)[0][int(number)]
        return InputError(f"Column {name!r} of {path} must hold numbers; got {value!r}.")
    if "UTF8" in message:
        return wrong_encoding(path)
    ending = "Parquet" if is_parquet(path) else "CSV"
    return InputError(f"{path} must be a {ending} file; it could not be read: {message}.")
