"""CSV files: the header, then the rows by Arrow, which tells numbers from text unless a model knows the columns."""

from __future__ import annotations

import csv
import gzip
import io
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.csv as arrow_csv
from pandas.api import types

from podium._progress import report_progress
from podium._results.escaping import FORMULA, spreadsheet
from podium.exceptions import InputError
from podium.tables.files.base import TableFile, check_names
from podium.tables.files.encoding import UTF_8, WINDOWS, TextFile, encoding_of, is_gzip, once, unpacked_size
from podium.tables.formats.number import NumberFormat
from podium.tables.formats.reader import ColumnReader
from podium.tables.formats.recognize import Format, is_whole
from podium.tables.formats.text import TextFormat, without_missing
from podium.tables.formats.words import MISSING

_HEADER_LINES = 60  # a line that tells the separator may come first, and a title
LOOKED_AT = 50  # rows, for a title above the names
_TITLE = 2  # cells of a row that has a title
_DELIMITERS = ",;\t|"
_BLOCK = 8 << 20  # bytes read at a time
_TOO_LONG = 2.0**63  # for a whole number of 64 bits
_BAD_VALUE = re.compile(r"CSV column (?:#(\d+)|'(.*?)').*invalid value '(.*)'", re.DOTALL)


class Header(NamedTuple):
    """Column names, delimiter, the number of lines before the first row, and the rows of a title above the names."""

    names: tuple[str, ...]
    delimiter: str
    n_lines: int
    n_title: int


class CsvFile(TableFile):
    """Text in UTF-8, UTF-16 or the encoding of Western Windows; may be gzipped."""

    kind = "CSV"
    endings = (".csv", ".tsv", ".txt")
    written = (".csv", ".gz", ".txt", "")
    expansion = 2.0

    @property
    def header(self) -> Header:
        """Its first lines."""
        encoding_of(self.path)  # refuses a file that unpacks to more than is allowed now, even if its header is known
        return _header(self.path)

    def size(self) -> float:
        return unpacked_size(self.path) if is_gzip(self.path) else super().size()

    def names(self) -> Sequence[str]:
        return self.header.names

    def reader(self, known: Mapping[str, Format] | None = None, as_text: Collection[str] = ()) -> ColumnReader:
        reader, header = super().reader(known, as_text), self.header
        reader.has_comma = header.delimiter == ";"  # where a comma is the decimal mark
        reader.about_file += about_title(header.n_title)
        if (encoding := encoding_of(self.path)) != UTF_8:
            which = "the encoding of Windows (cp1252)" if encoding == WINDOWS else "UTF-16"
            reader.about_file.append(
                f"{self.path.name} is not in UTF-8: it was read in {which}. If letters look wrong, save it as CSV in "
                "UTF-8."
            )
        return reader

    def table(self, reader: ColumnReader) -> pa.Table:
        """Piece by piece, which takes half the memory; where the first piece misleads about types, as a whole."""
        as_words = [*(name for name, way in reader.known.items() if way != NumberFormat()), *reader.as_text]
        options = self._options(dict.fromkeys(as_words, pa.string()))
        try:
            with TextFile(self.path) as file, arrow_csv.open_csv(file, **options) as batches:
                return pa.Table.from_batches(_reported(batches, file), schema=batches.schema)
        except pa.ArrowInvalid as error:
            if "conversion error" not in str(error):
                raise
        with TextFile(self.path) as file:
            return arrow_csv.read_csv(file, **options)

    def batches(self, reader: ColumnReader, report: Callable[[float], None]) -> Iterator[pa.RecordBatch]:
        """Plain numbers as such, all else as text; a column whose numbers turn out not to be plain from there on."""
        names, known, as_text = self.names(), reader.known, reader.as_text
        plain = {name for name in names if known.get(name) == NumberFormat() and name not in as_text}
        done = 0
        while True:
            types = {name: pa.float64() if name in plain else pa.string() for name in names}
            passed = 0
            try:
                options = self._options(types, [name for name in names if name in known or name in as_text])
                with TextFile(self.path) as file, arrow_csv.open_csv(file, **options) as batches:
                    for batch in batches:
                        passed += len(batch)
                        if passed > done:
                            fresh = passed - done
                            done = passed
                            yield batch.slice(len(batch) - fresh)
                            report(file.share_read)
                return
            except pa.ArrowInvalid as error:
                match = _BAD_VALUE.search(str(error))
                if match is None or self._named(match) not in plain:
                    raise
                plain.discard(self._named(match))

    def read(self, reader: ColumnReader) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Columns that Arrow took for numbers are read again as words where a reader would have taken them otherwise.

        Where decimals have commas, the point of 1.234 sets thousands apart. Whole numbers of twenty digits are names.
        """
        frame, texts = super().read(reader)
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
        columns = [*too_long, *likely]
        if not columns:
            return frame, texts
        with TextFile(self.path) as file:
            words = arrow_csv.read_csv(file, **self._options(dict.fromkeys(columns, pa.string()), columns))
        for name in too_long:
            if is_whole(words.column(name)):
                frame[name] = without_missing(words.column(name)).to_pandas()
                reader.formats[name] = TextFormat()
        reader.has_comma = True
        for name in likely:
            frame[name] = reader.one(name, words.column(name)).to_pandas()
        return frame, texts

    def refusal(self, message: str) -> InputError:
        if match := re.search(r"Expected (\d+) columns, got (\d+): (.{0,60})", message):
            wanted, got, line = match.groups()
            return InputError(
                f"Every row needs {wanted} values, like the header of {self.path}; got {got} in {line!r}.",
                "put values that contain the separator in double quotes.",
            )
        if match := _BAD_VALUE.search(message):
            name, value = self._named(match), match.group(3)
            return InputError(f"Column {name!r} of {self.path} must hold numbers; got {value!r}.")
        return super().refusal(message)

    def contents(self, frame: pd.DataFrame) -> bytes:
        text = to_csv(frame).encode()
        return gzip.compress(text, mtime=0) if is_gzip(self.path) else text

    def _named(self, match: re.Match[str]) -> str:
        """The column of a value that Arrow could not convert."""
        return match.group(2) or self.names()[int(match.group(1))]

    def _options(self, types: Mapping[str, pa.DataType], columns: Collection[str] = ()) -> dict[str, Any]:
        """To read some columns, or all."""
        names, delimiter, n_lines, _ = self.header
        return {
            "read_options": arrow_csv.ReadOptions(
                use_threads=False, block_size=_BLOCK, column_names=names, skip_rows=n_lines
            ),
            "parse_options": arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            # What is text is searched for missing values later: an identifier NA is one.
            "convert_options": arrow_csv.ConvertOptions(
                column_types=dict(types),
                null_values=list(MISSING),
                strings_can_be_null=False,
                include_columns=list(columns),
            ),
        }


@once
def _header(path: Path) -> Header:
    with TextFile(path) as file:
        start = b""
        while start.count(b"\n") < _HEADER_LINES and (block := file.read(1 << 20)):
            start += block
    text = start.decode("utf-8-sig", errors="ignore")  # the last letter may be cut
    line, _, rest = text.partition("\n")
    declared = re.fullmatch(r"\W?sep=(.)\W*", line.strip("\r")) if line.lower().startswith(("sep=", '"sep=')) else None
    if declared:  # as Excel writes it for itself
        text = rest
    lines = text.splitlines(keepends=True)[:LOOKED_AT]
    if not text.strip() or not lines[0].strip():
        raise InputError(f"A table needs a line of column names and rows; {path} begins with an empty line.")
    delimiter = declared.group(1) if declared else _delimiter(lines)
    try:
        n_title = title_rows(list(csv.reader(lines, delimiter=delimiter)))
        records = csv.reader(text.splitlines(keepends=True), delimiter=delimiter)
        names = tuple(name.strip() for name in next(islice(records, n_title, None)))
    except csv.Error as error:
        raise InputError(f"The first line of {path} must hold column names; it cannot be read: {error}.") from None
    check_names(names, path)
    return Header(names, delimiter, records.line_num + (declared is not None), n_title)


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


def about_title(n_rows: int) -> list[str]:
    """What is said of a title above the names."""
    if n_rows == 0:
        return []
    rows = "1 row was" if n_rows == 1 else f"{n_rows} rows were"
    return [f"Above the column names, {rows} read as a title."]


def _may_be_thousands(column: pd.Series[float]) -> bool:
    """Whether all fractions have the three digits of a group, behind one to three others."""
    values = column.abs()
    parts = values[values % 1 > 0]
    has_three = (parts * 1000 - (parts * 1000).round()).abs() < 1e-6
    return bool(len(parts)) and bool((has_three & (parts >= 1) & (parts < 1000)).all())


def _reported(batches: Iterable[pa.RecordBatch], file: TextFile) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield batch
        report_progress(file.share_read)


def to_csv(frame: pd.DataFrame) -> str:
    """CSV text that no spreadsheet takes for formulas: such names and cells get an apostrophe, numbers do not.

    By Arrow, which takes a ninth of pandas' time. Where one cell of text needs quotes, all have them.
    """
    names = io.StringIO()
    csv.writer(names, lineterminator="\n").writerow([spreadsheet(str(name)) for name in frame])
    columns = [pa.Array.from_pandas(_written(frame.iloc[:, j])) for j in range(frame.shape[1])]
    table = pa.table(columns, names=[str(j) for j in range(frame.shape[1])])
    try:
        rows = _rows(table, "none")
    except pa.ArrowInvalid:  # a cell contains a comma, a quote or the end of a line
        rows = _rows(table, "needed")
    return names.getvalue() + rows


def _rows(table: pa.Table, quotes: str) -> str:
    out = io.BytesIO()
    arrow_csv.write_csv(table, out, arrow_csv.WriteOptions(include_header=False, quoting_style=quotes))
    return out.getvalue().decode()


def _written(column: pd.Series[Any]) -> pd.Series[Any]:
    """Numbers as they are, all else as text; what a spreadsheet would compute with an apostrophe in front."""
    if types.is_numeric_dtype(column) and not types.is_bool_dtype(column):
        return column
    words = column.astype(object).where(column.notna(), "").astype(str)
    suspects = words.str.startswith(FORMULA)
    return words.mask(suspects, words[suspects].map(spreadsheet)) if suspects.any() else words
