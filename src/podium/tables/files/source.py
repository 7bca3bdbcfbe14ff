"""The files of a table, checked before they are read; in folders, names such as a=b become columns."""

from __future__ import annotations

import atexit
import math
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from podium import _input, _memory
from podium.exceptions import InputError
from podium.tables.files.base import TableFile
from podium.tables.files.csv import CsvFile
from podium.tables.files.encoding import not_permitted
from podium.tables.files.parquet import ParquetFile
from podium.tables.files.xlsx import ExcelFile, about_sheets

FILE_TYPES: tuple[type[TableFile], ...] = (CsvFile, ParquetFile, ExcelFile)
_KINDS = " or ".join(", ".join(each.kind for each in FILE_TYPES).rsplit(", ", 1))
_BY_ENDING = {ending: each for each in FILE_TYPES for ending in each.endings}
_SHARE = 0.25  # of the machine's memory


@dataclass(frozen=True)
class Sheet(os.PathLike[str]):
    """A sheet of an Excel file, wherever a table is asked for.

    Attributes
    ----------
    path : str or path
        The Excel file that has the sheet.
    name : str
        The name of the sheet; where none is named, the first sheet of a file is read.

    Examples
    --------
    >>> from podium.tables import Sheet, read
    >>> march = read(Sheet("loans.xlsx", "March"))  # doctest: +SKIP
    """

    path: str | os.PathLike[str]
    name: str

    def __fspath__(self) -> str:
        return os.fspath(self.path)


def is_path(table: Any) -> bool:
    """Whether a table is given as the path of a file.

    Parameters
    ----------
    table : object
        A table, or the path of its file.

    Returns
    -------
    bool
        Whether it is a string or path, rather than a table.
    """
    return isinstance(table, (str, os.PathLike))


def file_at(path: Path) -> TableFile:
    """A file by the end of its name: CSV (also packed) if by no other; binary files of spreadsheets are refused."""
    ending = path.suffix.lower()
    if ending in (".xls", ".xlsb", ".ods"):
        raise InputError(
            f"A table is a {_KINDS} file; got {path}.", "open it in the program that wrote it; save as .xlsx."
        )
    return _BY_ENDING.get(ending, CsvFile)(path)


def file_of_list(path: Path) -> TableFile:
    """The file that a list is to be written to; a name with another ending is refused, best before the work."""
    file = file_at(path)
    if path.suffix.lower() not in file.written:
        endings = ", ".join(ending for each in FILE_TYPES for ending in each.written if ending)
        raise InputError(f"A list is written as {_KINDS}; got {path.name}.", f"end its name with one of {endings}.")
    return file


def table_file(path: str | os.PathLike[str]) -> TableFile:
    """A file that can be read; of a workbook, the sheet that was named."""
    file = file_at(checked_path(path))
    if isinstance(path, Sheet):
        if not isinstance(file, ExcelFile):
            raise InputError(f"Only Excel files have sheets; got {file.path} and the sheet {path.name!r}.")
        file.sheet = path.name
    return file


@contextmanager
def sheets_named(table: Any) -> Iterator[None]:
    """Where a table lacks a column: it may be in another sheet, if the first was read because none was named."""
    try:
        yield
    except InputError as error:
        file = table_file(table) if is_path(table) and Path(table).is_file() else None
        if not isinstance(file, ExcelFile) or file.sheet is not None or not about_sheets(file.sheets()):
            raise
        raise InputError(str(error).partition("\nHint: ")[0], *about_sheets(file.sheets())) from None


def checked_path(path: str | os.PathLike[str]) -> Path:
    """A file that exists, can be read and is not empty; contents of a pipe, or of ``-``, are copied to one first."""
    path = Path(path)
    if str(path) == "-" or path.is_fifo():
        path = _copied(path)
    if path.is_dir():
        raise InputError(f"A table must be a file; {path} is a directory.", "name the file in it.")
    if not path.exists():
        raise InputError(f"A table must be a file that exists; there is no {path}.")
    if not os.access(path, os.R_OK):
        raise not_permitted(path)
    if not path.stat().st_size:
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


@dataclass(frozen=True)
class Part:
    """A file, and the columns that the names of its folders give."""

    file: TableFile
    constant: Mapping[str, str] = field(default_factory=dict)


def parts_of(path: str | os.PathLike[str]) -> list[Part]:
    """One file, or all files of a folder in the order of their names; hidden ones and those like _SUCCESS are none."""
    folder = Path(path)
    if not folder.is_dir():
        return [Part(table_file(path))]
    parts, endings = [], tuple(_BY_ENDING)
    for file in sorted(folder.rglob("*")):
        inside = file.relative_to(folder).parts
        is_table = file.is_file() and file.name.lower().removesuffix(".gz").endswith(endings)
        if is_table and not any(name.startswith((".", "_")) for name in inside):
            constant = dict(name.split("=", 1) for name in inside[:-1] if "=" in name)
            parts.append(Part(file_at(checked_path(file)), constant))
    if not parts:
        raise InputError(f"A folder must hold {_KINDS} files; there are none in {folder}.")
    return parts


def bytes_in_memory(path: str | os.PathLike[str]) -> float:
    """Approximate memory of a whole table, in bytes."""
    return sum(part.file.size() * part.file.expansion for part in parts_of(path))


def memory_to_use(memory: float | None) -> float:
    """Bytes: as given, or a quarter of what the machine has left."""
    if memory is not None:
        return _input.check_number("memory", memory, 1e6)
    left = _memory.left_over()
    return math.inf if left is None else _SHARE * left


def is_streamed(table: Any, memory: float) -> bool:
    """Whether a table is read in chunks: a folder, or a file that would not fit in memory."""
    return is_path(table) and (Path(table).is_dir() or (Path(table).is_file() and bytes_in_memory(table) > memory))
