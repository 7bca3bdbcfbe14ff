"""From Arrow's columns to a frame that holds numbers, text and times only."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd
import pyarrow as pa

from podium.exceptions import InputError
from podium.tables.files.source import is_parquet, wrong_encoding

Columns = Iterable[tuple[str, pa.ChunkedArray]]


def frame_of(columns: Columns, source: Path | str) -> pd.DataFrame:
    """Each column stays a block of its own, so that it can be let go by itself."""
    return pd.DataFrame({name: simplified(column, name, source).to_pandas() for name, column in columns}, copy=False)


def simplified(column: pa.ChunkedArray, name: str, source: Path | str) -> pa.ChunkedArray:
    """Numbers, booleans without gaps, text and times; everything else becomes one of them or is refused."""
    kind = column.type
    is_binary = pa.types.is_binary(kind) or pa.types.is_large_binary(kind)
    if is_binary and isinstance(source, Path) and not is_parquet(source):
        raise wrong_encoding(source)  # what the reader falls back to where text is not UTF-8
    if is_binary or pa.types.is_nested(kind):
        raise InputError(f"Columns hold numbers, text or times; {name!r} of {source} holds {kind}.", "leave it out.")
    if pa.types.is_null(kind) or pa.types.is_decimal(kind):
        return column.cast(pa.float64())
    if pa.types.is_boolean(kind) and column.null_count:
        return column.cast(pa.int8()).cast(pa.float64())
    if pa.types.is_date(kind):
        return column.cast(pa.timestamp("s"))
    if pa.types.is_dictionary(kind) or pa.types.is_time(kind) or pa.types.is_duration(kind):
        return column.cast(pa.string())
    return column
