"""CSV files: the header, then the rows by Arrow, which tells numbers from text unless a model knows the columns."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.csv as arrow_csv

from podium._progress import report_progress
from podium.exceptions import InputError
from podium.tables.files.encoding import TextFile, encoding_of, once
from podium.tables.files.source import check_names
from podium.tables.formats.number import NumberFormat
from podium.tables.formats.recognize import Format
from podium.tables.formats.text import MISSING

_HEADER_LINES = 60  # a line that tells the separator may come first, and a title
LOOKED_AT = 50  # rows, for a title above the names
_TITLE = 2  # cells of a row that has a title
_DELIMITERS = ",;\t|"
_BLOCK = 8 << 20  # bytes read at a time
BAD_VALUE = re.compile(r"CSV column (?:#(\d+)|'(.*?)').*invalid value '(.*)'", re.DOTALL)


class Header(NamedTuple):
    """Column names, delimiter, the number of lines before the first row, and the rows of a title above the names."""

    names: tuple[str, ...]
    delimiter: str
    n_lines: int
    n_title: int


def csv_header(path: Path) -> Header:
    """The header of a CSV file."""
    encoding_of(path)  # refuses a file that unpacks to more than is allowed now, even if its header is known
    return _header(path)


@once
def _header(path: Path) -> Header:
    with TextFile(path) as file:
        start = b""
        while start.count(b"\n") < _HEADER_LINES and (block := file.read(1 << 20)):
            start += block
    text = start.decode("utf-8-sig", errors="ignore")  # the last letter may be cut
    line, _, rest = text.partition("\n")
    told = re.fullmatch(r"\W?sep=(.)\W*", line.strip("\r")) if line.lower().startswith(("sep=", '"sep=')) else None
    if told:  # as Excel writes it for itself
        text = rest
    lines = text.splitlines(keepends=True)[:LOOKED_AT]
    if not text.strip() or not lines[0].strip():
        raise InputError(f"A table needs a line of column names and rows; {path} begins with an empty line.")
    delimiter = told.group(1) if told else _delimiter(lines)
    try:
        n_title = title_rows(list(csv.reader(lines, delimiter=delimiter)))
        records = csv.reader(text.splitlines(keepends=True), delimiter=delimiter)
        names = tuple(name.strip() for name in next(islice(records, n_title, None)))
    except csv.Error as error:
        raise InputError(f"The first line of {path} must hold column names; it cannot be read: {error}.") from None
    check_names(names, path)
    return Header(names, delimiter, records.line_num + (told is not None), n_title)


def _delimiter(lines: list[str]) -> str:
    """That by which most rows have as many cells as there are names; of equals the one of most names: a comma first."""

    def fit(delimiter: str) -> tuple[int, int]:
        try:
            rows = list(csv.reader(lines, delimiter=delimiter))
        except csv.Error:  # a whole line would be one cell, longer than any
            return 0, 0
        width = len(rows[title_rows(rows)])
        return sum(len(row) == width for row in rows) if width > 1 else 0, width

    return max(_DELIMITERS, key=fit)


def title_rows(rows: Sequence[Sequence[Any]]) -> int:
    """How many rows above the names of columns are a title: they fill at most half as many cells as the fullest row.

    Names are words; where they would be numbers, the first row is theirs, and what is wrong is said of it.
    """
    filled = [sum(cell is not None and str(cell).strip() != "" for cell in row) for row in rows[:LOOKED_AT]]
    most = max(filled)
    first = next((i for i, count in enumerate(filled) if 2 * count > most), 0)
    is_header = most > _TITLE and not any(_is_number(cell) for cell in rows[first])
    return first if is_header else 0


def _is_number(cell: Any) -> bool:
    return (not isinstance(cell, str) and cell is not None) or bool(re.fullmatch(r"[\d.,+\-\s]+", str(cell)))


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


def bad_column(message: str, names: Sequence[str]) -> str | None:
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
