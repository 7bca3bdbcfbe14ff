"""The file behind a table: opened, and its header checked before anything else is read."""

from __future__ import annotations

import atexit
import csv
import gzip
import io
import re
import shutil
import sys
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, cast

from podium.exceptions import InputError

MAX_COLUMNS = 10_000
_HEADER_LINES = 2  # a line that tells the separator may come first
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
    """The bytes of a CSV file, unpacked if gzipped; a NUL byte is refused as soon as it is met."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._packed: BinaryIO = path.open("rb")
        self._size = max(path.stat().st_size, 1)
        zipped = path.suffix.lower() == ".gz"
        self._file = cast(BinaryIO, gzip.GzipFile(fileobj=self._packed)) if zipped else self._packed

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        try:
            block = self._file.read(size)
        except (EOFError, OSError) as error:
            raise InputError(f"{self.path} must be a whole gzip file; it could not be unpacked: {error}.") from None
        if b"\0" in block:
            raise InputError(
                f"A CSV file holds text; {self.path} has NUL bytes.",
                "it may be a binary file, UTF-16, or damaged; save it as CSV in UTF-8.",
            )
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


def csv_header(path: Path) -> tuple[list[str], str, int]:
    """Column names, delimiter, and the number of lines before the first row of a CSV file."""
    with TextFile(path) as file:
        start = b""
        while start.count(b"\n") < _HEADER_LINES and (block := file.read(1 << 20)):
            start += block
    try:
        text = start.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        text = start[: error.start].decode("utf-8-sig")
        if "\n" not in text and error.reason != "unexpected end of data":
            raise wrong_encoding(path) from None
    line, _, rest = text.partition("\n")
    told = re.fullmatch(r"\W?sep=(.)\W*", line.strip("\r")) if line.lower().startswith(("sep=", '"sep=')) else None
    if told:  # as Excel writes it for itself
        text = rest
    line = text.splitlines()[0] if text.strip() else ""
    if not line:
        raise InputError(f"A table needs a line of column names and rows; {path} begins with an empty line.")
    bare = re.sub(r'"[^"]*("|$)', "", line)
    delimiter = told.group(1) if told else max(_DELIMITERS, key=bare.count)  # the first of equals: a comma
    records = csv.reader(text.splitlines(keepends=True), delimiter=delimiter)
    try:
        names = [name.strip() for name in next(records)]
    except csv.Error as error:
        raise InputError(f"The first line of {path} must hold column names; it cannot be read: {error}.") from None
    check_names(names, path)
    return names, delimiter, records.line_num + (told is not None)


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


def wrong_encoding(path: Path) -> InputError:
    """The refusal of text that is not UTF-8."""
    return InputError(
        f"A CSV file must be text in UTF-8; {path} is in another encoding.",
        f"convert it, for instance: iconv -f latin1 -t utf-8 {path} > utf8.csv",
    )
