"""Arrow: its many types of columns as the few that tables are made of, and the memory it holds."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from podium.exceptions import InputError
from podium.tables.files.encoding import wrong_encoding
from podium.tables.files.source import is_csv


def simplified(column: pa.ChunkedArray, name: str, source: Path | str) -> pa.ChunkedArray:
    """Numbers, booleans without gaps, text and times; everything else becomes one of them or is refused."""
    kind = column.type
    is_binary = pa.types.is_binary(kind) or pa.types.is_large_binary(kind)
    if is_binary and isinstance(source, Path) and is_csv(source):
        raise wrong_encoding(source)  # what the reader falls back to where text is not UTF-8
    if is_binary or pa.types.is_nested(kind):
        raise InputError(f"Columns hold numbers, text or times; {name!r} of {source} holds {kind}.", "leave it out.")
    if pa.types.is_null(kind) or pa.types.is_decimal(kind):
        return column.cast(pa.float64())
    if pa.types.is_boolean(kind) and column.null_count:
        return column.cast(pa.int8()).cast(pa.float64())
    if pa.types.is_date(kind):
        return column.cast(pa.timestamp("s"))
    is_other_text = pa.types.is_large_string(kind) or pa.types.is_string_view(kind) or pa.types.is_dictionary(kind)
    if is_other_text or pa.types.is_time(kind) or pa.types.is_duration(kind):
        return column.cast(pa.string())
    return column


def release_arrow_memory() -> None:
    """To the system, what the columns let go of occupied: Arrow keeps it for columns to come."""
    pa.default_memory_pool().release_unused()
