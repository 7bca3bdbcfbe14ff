"""CSV files by Arrow, which tells numbers from text; columns that a model knows are read as it needs them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as arrow_csv

from podium._progress import report_progress
from podium.tables.files.source import TextFile, csv_header
from podium.tables.formats.number import NumberFormat
from podium.tables.formats.ways import Format
from podium.tables.formats.words import MISSING

_BLOCK = 8 << 20  # bytes read at a time
BAD_VALUE = re.compile(r"CSV column (?:#(\d+)|'(.*?)').*invalid value '(.*)'", re.DOTALL)


def csv_table(path: Path, as_text: Collection[str] = ()) -> pa.Table:
    """Piece by piece, which takes half the memory; where the first piece misleads about types, as a whole."""
    options = _options(path, dict.fromkeys(as_text, pa.string()))
    try:
        with TextFile(path) as file, arrow_csv.open_csv(file, **options) as reader:
            return pa.Table.from_batches(_reported(reader, file), schema=reader.schema)
    except pa.ArrowInvalid as error:
        if "conversion error" not in str(error):
            raise
    with TextFile(path) as file:
        return arrow_csv.read_csv(file, **options)


def csv_words(path: Path, names: Collection[str]) -> pa.Table:
    """Some columns as they are written."""
    options = _options(path, dict.fromkeys(names, pa.string()))
    options["convert_options"].include_columns = list(names)
    with TextFile(path) as file:
        return arrow_csv.read_csv(file, **options)


def csv_batches(
    path: Path, known: Mapping[str, Format], as_text: Collection[str], report: Callable[[float], None]
) -> Iterator[pa.RecordBatch]:
    """The table piece by piece: plain numbers as such, all else as text.

    A column whose numbers turn out not to be plain is text from there on.
    """
    names = csv_header(path).names
    plain = {name for name in names if known.get(name) == NumberFormat() and name not in as_text}
    done = 0
    while True:
        types = {name: pa.float64() if name in plain else pa.string() for name in names}
        passed = 0
        try:
            options = _options(path, types)
            options["convert_options"].include_columns = [n for n in names if n in known or n in as_text]
            with TextFile(path) as file, arrow_csv.open_csv(file, **options) as reader:
                for batch in reader:
                    passed += len(batch)
                    if passed > done:
                        fresh = passed - done
                        done = passed
                        yield batch.slice(len(batch) - fresh)
                        report(file.share_read)
            return
        except pa.ArrowInvalid as error:
            name = bad_column(str(error), names)
            if name not in plain:
                raise
            plain.discard(name)


def bad_column(message: str, names: list[str]) -> str | None:
    """The column of a value that Arrow could not convert."""
    match = BAD_VALUE.search(message)
    if match is None:
        return None
    return match.group(2) or names[int(match.group(1))]


def _reported(reader: Iterable[pa.RecordBatch], file: TextFile) -> Iterator[pa.RecordBatch]:
    for batch in reader:
        yield batch
        report_progress(file.share_read)


def _options(path: Path, types: Mapping[str, pa.DataType]) -> dict[str, Any]:
    names, delimiter, n_lines, _ = csv_header(path)
    return {
        "read_options": arrow_csv.ReadOptions(
            use_threads=False, block_size=_BLOCK, column_names=names, skip_rows=n_lines
        ),
        "parse_options": arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        # What is text is searched for missing values later: an identifier NA is one.
        "convert_options": arrow_csv.ConvertOptions(
            column_types=dict(types), null_values=list(MISSING), strings_can_be_null=False
        ),
    }
