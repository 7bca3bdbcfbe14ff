"""Excel files: one sheet, its first row the names of columns; needs openpyxl, the extra ``excel``."""

from __future__ import annotations

import datetime
import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from podium import _input, _optional
from podium._memory import check_unpacked
from podium._results.wording import quoted
from podium.exceptions import InputError
from podium.tables.files.base import TableFile, check_names
from podium.tables.files.csv import LOOKED_AT, about_title, title_rows
from podium.tables.formats.reader import ColumnReader

MAX_ROWS = 1_048_576  # of a sheet, the names included
_TOTAL = re.compile(r"(?i)((grand |sub)?totals?|sum|summe|gesamt(summe)?|insgesamt|somme|totale|suma)\s*:?")


class ExcelFile(TableFile):
    """Values as Excel stores them: numbers, dates, truth values and text; a column of several kinds is text."""

    kind = "Excel"
    endings = written = (".xlsx", ".xlsm")
    expansion = 12.0
    sheet: str | None = None  # that is read; None: the first

    def table(self, reader: ColumnReader) -> pa.Table:
        """A sheet, without a title above it and totals or a remark below."""
        sheets, rows = self.sheets(), _rows(self.path, self.sheet)
        name = sheets[0] if self.sheet is None else self.sheet
        if self.sheet is None and len(sheets) > 1:
            reader.about_file.append(
                f"{self.path.name} has {len(sheets)} sheets ({quoted(sheets)}): the first was read. The argument sheet "
                "names another."
            )
        first = list(islice(rows, LOOKED_AT))
        if not first:
            raise InputError(
                f"A table needs a row of column names and rows; the sheet {name!r} of {self.path} is empty.",
                *about_sheets(sheets),
            )
        n_title = title_rows(first)
        header = list(first[n_title])
        names = ["" if name is None else str(name).strip() for name in header[: _length(header)]]
        check_names(names, self.path)
        width = len(names)
        body = []
        for row in chain(first[n_title + 1 :], rows):
            if _length(row[width:]):
                raise InputError(
                    f"Every column needs a name; the sheet {name!r} of {self.path} has values beyond the named ones."
                )
            body.append(row[:width])
        n_foot = next((i for i, row in enumerate(reversed(body)) if not _is_foot(row, width)), 0)
        body = body[: len(body) - n_foot]
        reader.about_file += [*about_title(n_title), *_about_foot(n_foot)]
        columns = ([row[j] if j < len(row) else None for row in body] for j in range(width))
        return pa.table([_array(column) for column in columns], names=names)

    def sheets(self) -> list[str]:
        """The names of its sheets, in their order."""
        openpyxl = _optional.load("openpyxl", "Reading .xlsx files")
        with _errors_in_words(self.path), self.path.open("rb") as file:
            return [sheet.title for sheet in openpyxl.load_workbook(file, read_only=True).worksheets]

    def contents(self, frame: pd.DataFrame) -> bytes:
        """A sheet; text is text there, never a formula."""
        openpyxl = _optional.load("openpyxl", "Writing .xlsx files")
        if len(frame) >= MAX_ROWS:
            raise InputError(
                f"An Excel sheet holds at most {MAX_ROWS - 1:,} rows; got {len(frame):,}.",
                "write a CSV or Parquet file.",
            )
        book = openpyxl.Workbook(write_only=True)
        sheet = book.create_sheet("podium")
        sheet.append([_cell(openpyxl, sheet, str(name)) for name in frame.columns])
        for row in frame.itertuples(index=False, name=None):
            sheet.append([_cell(openpyxl, sheet, value) for value in row])
        stream = io.BytesIO()
        book.save(stream)
        return stream.getvalue()


def about_sheets(sheets: Sequence[str]) -> list[str]:
    """A hint where there are several sheets."""
    return [f"its sheets are {quoted(sheets)}; the argument sheet names one."] if len(sheets) > 1 else []


def _rows(path: Path, name: str | None) -> Iterator[tuple[Any, ...]]:
    """The rows of a sheet that hold something, however large the sheet says it is."""
    openpyxl = _optional.load("openpyxl", "Reading .xlsx files")
    with _errors_in_words(path), path.open("rb") as file:
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        sheets = {sheet.title: sheet for sheet in book.worksheets}
        if name is not None and name not in sheets:
            near = _input.nearest(name, list(sheets))
            also = f"; did you mean {near!r}?" if near else "."
            raise InputError(f"{path} has no sheet {name!r}.", f"its sheets are {quoted(list(sheets))}{also}")
        sheet = next(iter(sheets.values())) if name is None else sheets[name]
        sheet.reset_dimensions()  # some programs write wrong ones, and what is beyond them would be left out
        for number, row in enumerate(sheet.iter_rows(values_only=True)):
            if number >= MAX_ROWS:
                raise InputError(f"An Excel sheet has at most {MAX_ROWS:,} rows; {sheet.title!r} of {path} has more.")
            if row and _length(row):
                yield row


@contextmanager
def _errors_in_words(path: Path) -> Iterator[None]:
    """What openpyxl and its parser raise for a damaged file is not documented; one that unpacks to too much is none."""
    try:
        with zipfile.ZipFile(path) as archive:
            check_unpacked(path, sum(member.file_size for member in archive.infolist()))
        yield
    except (InputError, MemoryError):
        raise
    except Exception as error:
        raise InputError(f"{path} must be an Excel file (.xlsx); it could not be read: {error}.") from None


def _length(row: Sequence[Any]) -> int:
    """The number of cells up to the last that holds something."""
    return next((len(row) - i for i, cell in enumerate(reversed(row)) if cell is not None), 0)


def _is_foot(row: Sequence[Any], width: int) -> bool:
    """Whether a row below a table has its totals, or a remark in one of several cells."""
    cells = [cell for cell in row if cell is not None]
    begins = cells[0] if isinstance(cells[0], str) else ""
    return bool(_TOTAL.fullmatch(begins.strip())) or (len(cells) == 1 < width - 1 and " " in begins.strip())


def _array(values: list[Any]) -> pa.Array:
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float}:
        return pa.array(values, pa.int64() if kinds == {int} and _is_small(values) else pa.float64())
    if kinds == {bool}:
        return pa.array(values, pa.bool_())
    if kinds <= {datetime.datetime, datetime.date}:
        return pa.array(values, pa.timestamp("s"))
    return pa.array([None if value is None else _word(value) for value in values], pa.string())


def _is_small(values: list[Any]) -> bool:
    return all(value is None or abs(value) < 2**63 for value in values)


def _word(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _about_foot(n_rows: int) -> list[str]:
    if n_rows == 0:
        return []
    rows = "the last row was" if n_rows == 1 else f"the last {n_rows} rows were"
    return [f"Below the table, {rows} read as totals or a remark, and left out."]


def _cell(openpyxl: Any, sheet: Any, value: Any) -> Any:
    if pd.isna(value):
        return None
    if not isinstance(value, str):
        return value.item() if hasattr(value, "item") else value
    cell = openpyxl.cell.WriteOnlyCell(sheet, value=openpyxl.cell.cell.ILLEGAL_CHARACTERS_RE.sub("", value))
    cell.data_type = "s"
    return cell
