"""Many files as one table: those of a folder and of its folders, whose names may be columns (``year=2026``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet

from podium.exceptions import InputError
from podium.tables.files.source import checked_path, is_excel, is_parquet

_ENDINGS = (".parquet", ".pq", ".csv", ".tsv", ".txt", ".xlsx", ".xlsm")
_IN_MEMORY = {"parquet": 3.0, "csv": 2.0, "gz": 12.0}  # bytes for every one of the file, seen on tables of all kinds


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
            total += _unpacked(part.path) * _IN_MEMORY["parquet"]
        else:
            zipped = part.path.suffix.lower() == ".gz" or is_excel(part.path)
            total += part.path.stat().st_size * _IN_MEMORY["gz" if zipped else "csv"]
    return total


def _unpacked(path: Path) -> float:
    """Bytes of a Parquet file before compression; of one that is broken none: whoever reads it will say so."""
    try:
        file = parquet.ParquetFile(path).metadata
    except pa.ArrowException:
        return 0.0
    return float(sum(file.row_group(i).total_byte_size for i in range(file.num_row_groups)))


def _is_table(file: Path) -> bool:
    name = file.name.lower()
    return name.removesuffix(".gz").endswith(_ENDINGS)
