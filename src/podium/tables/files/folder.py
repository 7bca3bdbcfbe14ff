"""Many files as one table: those of a folder and of its folders, whose names may be columns (``year=2026``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet

from podium._memory import check_unpacked
from podium.exceptions import InputError
from podium.tables.files.encoding import is_gzip, unpacked_size
from podium.tables.files.source import checked_path, is_excel, is_parquet

_ENDINGS = (".parquet", ".pq", ".csv", ".tsv", ".txt", ".xlsx", ".xlsm")
_IN_MEMORY = {"parquet": 3.0, "csv": 2.0, "xlsx": 12.0}  # bytes for each of the file (unpacked), on tables of all kinds


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


def _size_of_parquet(path: Path) -> float:
    """Bytes of a Parquet file before compression; of one that is broken none: whoever reads it will say so."""
    try:
        return unpacked_parquet(parquet_file(path))
    except pa.ArrowException:
        return 0.0


def parquet_file(path: Path) -> parquet.ParquetFile:
    """An open Parquet file, unless it unpacks to more than is allowed."""
    file = parquet.ParquetFile(path)
    check_unpacked(path, unpacked_parquet(file))
    return file


def unpacked_parquet(file: parquet.ParquetFile) -> float:
    """Its bytes before compression, at least one for every value: a value repeated a million times takes none."""
    facts = file.metadata
    n_bytes = sum(facts.row_group(i).total_byte_size for i in range(facts.num_row_groups))
    return float(max(n_bytes, facts.num_rows * facts.num_columns))


def _is_table(file: Path) -> bool:
    name = file.name.lower()
    return name.removesuffix(".gz").endswith(_ENDINGS)
