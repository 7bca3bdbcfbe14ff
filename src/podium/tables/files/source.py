"""The file behind a table: opened, and its header checked before anything else is read."""

from __future__ import annotations

import atexit
import csv
import io
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from podium.exceptions import InputError
from podium.tables.files.encoding import WINDOWS, encoding_of, errors_in_words, unpacked

MAX_COLUMNS = 10_000
_HEADER_LINES = 60  # a line that tells the separator may come first, and a title
LOOKED_AT = 50  # rows, for a title above the names
_TITLE = 2  # cells of a row that has a title
_DELIMITERS = ",;\t|"
_PARQUET = (".parquet", ".pq")
_EXCEL = (".xlsx", ".xlsm")


def is_parquet(path: Path) -> bool:
    """By the end of its name."""
    return path.suffix.lower() in _PARQUET


def is_excel(path: Path) -> bool:
    """By the end of its name; the binary files of old Excel are refused."""
    if path.suffix.lower() in (".xls", ".xlsb", ".ods"):
        raise InputError(
            f"A table is a CSV, Parquet or .xlsx file; got {path}.",
            "open it in the program that wrote it; save as .xlsx.",
        )
    return path.suffix.lower() in _EXCEL


def is_csv(path: Path) -> bool:
    """Whatever is nothing else."""
    return not is_parquet(path) and not is_excel(path)


def checked_path(path: str | Path) -> Path:
    """A file that is there, can be read and holds something; what comes by a pipe, or ``-``, is copied to one first."""
    path = Path(path)
    if str(path) == "-" or path.is_fifo():
        path = _copied(path)
    if path.is_dir():
        raise InputError(f"A table must be a file; {path} is a directory.", "name the file in it.")
    try:
        with path.open("rb") as file:
            empty = not file.read(1)
    except FileNotFoundError:
        raise InputError(f"A table must be a file that exists; there is no {path}.") from None
    except PermissionError:
        raise InputError(f"A table must be a file you may read; {path} does not permit it.", "see ls -l.") from None
    if empty:
        raise InputError(f"A table needs a line of column names and rows; {path} is empty.")
    return path


@cache
def _copied(pipe: Path) -> Path:
    """The bytes of a pipe, which can be read only once, as a file that lasts as long as this process."""
    source = sys.stdin.buffer if str(pipe) == "-" else pipe.open("rb")
    with source, tempfile.NamedTemporaryFile(prefix="podium-", suffix=".csv", delete=False) as copy:
        atexit.register(Path(copy.name).unlink, missing_ok=True)
        shutil.copyfileobj(source, copy)
    return Path(copy.name)


class TextFile(io.RawIOBase):
    """The text of a CSV file in UTF-8, unpacked if gzipped; a NUL byte is refused as soon as it is met."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._is_windows = encoding_of(path) == WINDOWS
        self._packed: BinaryIO = path.open("rb")
        self._size = max(path.stat().st_size, 1)
        self._file = unpacked(self._packed, path)
        self._left = b""  # of a block that was longer in UTF-8 than what was asked for

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if self._left:
            block, self._left = self._left[:size], self._left[size:]
            return block
        with errors_in_words(self.path):
            block = self._file.read(size)
        if b"\0" in block:
            raise InputError(
                f"A CSV file holds text; {self.path} has NUL bytes.",
                "it may be a binary file, UTF-16, or damaged; save it as CSV in UTF-8.",
            )
        if self._is_windows and not block.isascii():
            block = block.decode(WINDOWS).encode()
            if size >= 0:
                block, self._left = block[:size], block[size:]
        return block

    @property
    def share_read(self) -> float:
        """Of the bytes of the file as it lies on disk."""
        return self._packed.tell() / self._size

    def close(self) -> None:
        if not self.closed:
            self._file.close()
            self._packed.close()
        super().close()


class Header(NamedTuple):
    """Column names, delimiter, the number of lines before the first row, and the rows of a title above the names."""

    names: list[str]
    delimiter: str
    n_lines: int
    n_title: int


def csv_header(path: Path) -> Header:
    """The header of a CSV file."""
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
        names = [name.strip() for name in next(islice(records, n_title, None))]
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


def check_names(names: list[Any], path: Path | str) -> None:
    """At least two columns, not absurdly many, each with a name of its own."""
    if len(names) < 2:
        raise InputError(
            f"A table needs a label and at least one other column; {path} has the one column {names[0]!r}.",
            "columns are separated by commas, semicolons, tabs or bars.",
        )
    if len(names) > MAX_COLUMNS:
        raise InputError(
            f"A table may have at most {MAX_COLUMNS:,} columns; {path} has {len(names):,}.",
            "leave out columns first; perhaps rows and columns are exchanged.",
        )
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise InputError(
            f"Every column needs a name of its own; {path} has more than one {', '.join(map(repr, repeated[:5]))}.",
            "rename them.",
        )
