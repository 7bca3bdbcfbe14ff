"""Read CSV and Parquet files, whole or in chunks; whatever cannot be read is refused with a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as parquet

from podium._progress import report_progress
from podium.exceptions import InputError
from podium.tables.files.memory import release_arrow_memory
from podium.tables.files.source import TextFile, check_names, checked_path, csv_header, is_parquet, wrong_encoding

# What stands for a missing value; "?" as in the tables of the UCI repository.
MISSING = ("", "?", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "#N/A")
_BLOCK = 8 << 20  # bytes read at a time
_ARROW_TYPES = {"number": pa.float64(), "text": pa.string()}

Columns = Iterable[tuple[str, pa.ChunkedArray]]


def read(path: str | Path, kinds: Mapping[str, str] | None = None) -> pd.DataFrame:
    """The whole table; ``kinds`` (of name to "number" or "text") settles what columns hold, else their values do."""
    path = checked_path(path)
    with _sentences(path):
        frame = _frame(_columns(path, kinds), path)
    release_arrow_memory()
    if not len(frame):
        raise InputError(f"A table needs rows; {path} has column names only.")
    return frame


def chunks(path: str | Path, kinds: Mapping[str, str] | None = None) -> Iterator[pd.DataFrame]:
    """The table piece by piece, so that it may be larger than memory."""
    path = checked_path(path)
    with _sentences(path):
        if is_parquet(path):
            file = parquet.ParquetFile(path)
            check_names(file.schema_arrow.names, path)
            n_rows, done = max(file.metadata.num_rows, 1), 0
            for batch in file.iter_batches():
                yield _frame(_named(batch), path)
                done += batch.num_rows
                report_progress(done / n_rows)
            return
        with TextFile(path) as file, arrow_csv.open_csv(file, **_options(path, kinds)) as reader:
            for batch in reader:
                yield _frame(_named(batch), path)
                report_progress(file.share_read)


def _columns(path: Path, kinds: Mapping[str, str] | None) -> Columns:
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


def _named(batch: pa.RecordBatch) -> Columns:
    return zip(batch.schema.names, pa.Table.from_batches([batch]).columns, strict=True)


def _csv_table(path: Path, kinds: Mapping[str, str] | None) -> pa.Table:
    """Piece by piece, which takes half the memory; where the first piece misleads about types, as a whole."""
    try:
        with TextFile(path) as file, arrow_csv.open_csv(file, **_options(path, kinds)) as reader:
            return pa.Table.from_batches(_told(reader, file), schema=reader.schema)
    except pa.ArrowInvalid as error:
        if "conversion error" not in str(error):
            raise
    with TextFile(path) as file:
        return arrow_csv.read_csv(file, **_options(path, kinds))


def _told(reader: Iterable[pa.RecordBatch], file: TextFile) -> Iterator[pa.RecordBatch]:
    for batch in reader:
        yield batch
        report_progress(file.share_read)


def _options(path: Path, kinds: Mapping[str, str] | None) -> dict[str, Any]:
    names, delimiter = csv_header(path)
    types = {name: _ARROW_TYPES[kind] for name, kind in (kinds or {}).items() if name in names}
    return {
        "read_options": arrow_csv.ReadOptions(use_threads=False, block_size=_BLOCK),
        "parse_options": arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        "convert_options": arrow_csv.ConvertOptions(
            column_types=types, null_values=list(MISSING), strings_can_be_null=True
        ),
    }


def _frame(columns: Columns, path: Path) -> pd.DataFrame:
    # Each column stays a block of its own, so that it can be let go by itself.
    return pd.DataFrame({name: _plain(column, name, path).to_pandas() for name, column in columns}, copy=False)


def _plain(column: pa.ChunkedArray, name: str, path: Path) -> pa.ChunkedArray:
    """Numbers, booleans without gaps, text and times; everything else becomes one of them or is refused."""
    kind = column.type
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        raise wrong_encoding(path)  # what the reader falls back to where text is not UTF-8
    if pa.types.is_nested(kind):
        raise InputError(f"Columns hold numbers, text or times; {name!r} of {path} holds {kind}.", "leave it out.")
    if pa.types.is_null(kind) or pa.types.is_decimal(kind):
        return column.cast(pa.float64())
    if pa.types.is_boolean(kind) and column.null_count:
        return column.cast(pa.int8()).cast(pa.float64())
    if pa.types.is_date(kind):
        return column.cast(pa.timestamp("s"))
    if pa.types.is_dictionary(kind) or pa.types.is_time(kind) or pa.types.is_duration(kind):
        return column.cast(pa.string())
    return column


class _sentences:  # noqa: N801  # reads as a phrase: with _sentences(path)
    """Arrow's complaints in our words."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if not isinstance(error, pa.ArrowException):
            return
        message = str(error)
        if match := re.search(r"Expected (\d+) columns, got (\d+): (.{0,60})", message):
            wanted, got, line = match.groups()
            raise InputError(
                f"Every row needs the {wanted} values that the header of {self.path} names; got {got} in {line!r}.",
                "a value that holds the separator must be in double quotes.",
            ) from None
        if match := re.search(r"CSV column (?:#(\d+)|'(.*?)').*invalid value '(.*)'", message):
            number, name, value = match.groups()
            name = name or csv_header(self.path)[0][int(number)]
            raise InputError(f"Column {name!r} of {self.path} must hold numbers; got {value!r}.") from None
        if "UTF8" in message:
            raise wrong_encoding(self.path) from None
        ending = "Parquet" if is_parquet(self.path) else "CSV"
        raise InputError(f"{self.path} must be a {ending} file; it could not be read: {message}.") from None
