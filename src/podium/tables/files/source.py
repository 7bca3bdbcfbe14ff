"""The files behind a table, checked before they are read; a folder of them, whose names may be columns (a=b)."""

from __future__ import annotations

import atexit
import math
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet

from podium import _input, _memory
from podium.exceptions import InputError
from podium.tables.files.encoding import is_gzip, not_permitted, unpacked_size

MAX_COLUMNS = 10_000
_PARQUET = (".parquet", ".pq")
_EXCEL = (".xlsx", ".xlsm")
_ENDINGS = (".parquet", ".pq", ".csv", ".tsv", ".txt", ".xlsx", ".xlsm")
_IN_MEMORY = {"parquet": 3.0, "csv": 2.0, "xlsx": 12.0}  # bytes for each of the file (unpacked), on tables of all kinds
_SHARE = 0.25  # of the machine's memory


def is_path(table: Any) -> bool:
    """Whether a table is given by the name of its file.

    Parameters
    ----------
    table : object
        A table, or the name of its file.

    Returns
    -------
    bool
        Whether it is text or a path, rather than a table.
    """
    return isinstance(table, (str, os.PathLike))


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


def check_names(names: Sequence[Any], path: Path | str) -> None:
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


@dataclass(frozen=True)
class Part:
    """A file, and the columns that its folders stand for."""

    path: Path
    constant: Mapping[str, str] = field(default_factory=dict)


def parts_of(path: str | Path) -> list[Part]:
    """One file, or all files of a folder in the order of their names; hidden ones and those like _SUCCESS are none."""
    folder = Path(path)
    if not folder.is_dir():
        return [Part(checked_path(path))]
    found = []
    for file in sorted(folder.rglob("*")):
        inside = file.relative_to(folder).parts
        if file.is_file() and not any(name.startswith((".", "_")) for name in inside) and _is_table(file):
            constant = dict(name.split("=", 1) for name in inside[:-1] if "=" in name)
            found.append(Part(checked_path(file), constant))
    if not found:
        raise InputError(f"A folder must hold CSV or Parquet files; there are none in {folder}.")
    return found


def bytes_in_memory(path: str | Path) -> float:
    """About how much memory a table would take as a whole."""
    total = 0.0
    for part in parts_of(path):
        if is_parquet(part.path):
            total += _size_of_parquet(part.path) * _IN_MEMORY["parquet"]
        elif is_excel(part.path):
            total += part.path.stat().st_size * _IN_MEMORY["xlsx"]
        else:
            size = unpacked_size(part.path) if is_gzip(part.path) else part.path.stat().st_size
            total += size * _IN_MEMORY["csv"]
    return total


def memory_to_use(memory: float | None) -> float:
    """Bytes: as given, or a quarter of what the machine has left."""
    if memory is not None:
        return _input.check_number("memory", memory, 1e6)
    left = _memory.left_over()
    return math.inf if left is None else _SHARE * left


def is_streamed(table: Any, memory: float) -> bool:
    """Whether a table is read piece by piece: a folder, or a file that would not fit."""
    return is_path(table) and (Path(table).is_dir() or (Path(table).is_file() and bytes_in_memory(table) > memory))


def _size_of_parquet(path: Path) -> float:
    """Bytes of a Parquet file before compression; of one that is broken none: whoever reads it will say so."""
    try:
        return unpacked_parquet(parquet_file(path))
    except pa.ArrowException:
        return 0.0


def parquet_file(path: Path) -> parquet.ParquetFile:
    """An open Parquet file, unless it unpacks to more than is allowed."""
    file = parquet.ParquetFile(path)
    _memory.check_unpacked(path, unpacked_parquet(file))
    return file


def unpacked_parquet(file: parquet.ParquetFile) -> float:
    """Its bytes before compression, at least one for every value: a value repeated a million times takes none."""
    facts = file.metadata
    n_bytes = sum(facts.row_group(i).total_byte_size for i in range(facts.num_row_groups))
    return float(max(n_bytes, facts.num_rows * facts.num_columns))


def _is_table(file: Path) -> bool:
    name = file.name.lower()
    return name.removesuffix(".gz").endswith(_ENDINGS)
