"""What every kind of file offers, and the few types of columns that tables are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd
import pyarrow as pa

from podium import _memory
from podium.exceptions import InputError
from podium.tables.formats.reader import ColumnReader
from podium.tables.formats.recognize import Format

MAX_COLUMNS = 10_000


class TableFile:
    """A file that holds a table. A new kind of file is a subclass and one entry of `source.FILE_TYPES`.

    A subclass has `table`, or `names`, `columns` and `batches` where the file can be read in parts, and `contents`.
    """

    kind: ClassVar[str]  # as messages call it
    endings: ClassVar[tuple[str, ...]]
    written: ClassVar[tuple[str, ...]]  # endings that a list may have, the usual one first
    is_typed: ClassVar[bool] = False  # whether the file itself tells numbers from text
    expansion: ClassVar[float]  # bytes in memory for each byte of the unpacked file, on tables of all kinds

    groups: range | None = None  # those to be read, where the file has such and not all are

    def __init__(self, path: Path) -> None:
        self.path = path

    def size(self) -> float:
        """Bytes of the unpacked file."""
        return self.path.stat().st_size

    def table(self, reader: ColumnReader) -> pa.Table:
        """The whole table; what must be said of the file is added to the reader's remarks."""
        raise NotImplementedError

    def names(self) -> Sequence[str]:
        """The names of the columns."""
        return list(self.table(self.reader()).column_names)

    def columns(self, reader: ColumnReader) -> Iterator[tuple[str, pa.ChunkedArray]]:
        """One column after the other; what is handed over is no longer held, so that no table is in memory twice."""
        table = self.table(reader)
        names, columns = table.column_names, table.columns[::-1]
        del table
        for name in names:
            yield name, columns.pop()
            _memory.release_arrow()

    def batches(self, reader: ColumnReader, report: Callable[[float], None]) -> Iterator[pa.RecordBatch]:
        """At least the columns that the reader knows or keeps as text, some rows at a time."""
        yield from self.table(reader).to_batches()

    def row_groups(self, names: Collection[str]) -> list[int] | None:
        """Rows of the groups that can be read by themselves; None where the file does not know, or one decides for all.

        ``names`` are columns whose words are read as numbers or times, in the way that fits the first of them.
        """
        return None

    def reader(self, known: Mapping[str, Format] | None = None, as_text: Collection[str] = ()) -> ColumnReader:
        """Makes numbers, times and text of the columns."""
        return ColumnReader(source=self.path, known=known or {}, as_text=as_text, is_typed=self.is_typed)

    def read(self, reader: ColumnReader) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The columns to compute with, and those that are kept as text."""
        return reader.read((name, simplified(column, name, self.path)) for name, column in self.columns(reader))

    def refusal(self, message: str) -> InputError:
        """A complaint of Arrow's in words."""
        return InputError(f"{self.path} must be a {self.kind} file; it could not be read: {message}.")

    def contents(self, frame: pd.DataFrame) -> bytes:
        """What such a file with these columns consists of."""
        raise NotImplementedError


def check_names(names: Sequence[Any], path: Path | str, fewest: int = 2) -> None:
    """At least two columns, or one to be scored, not absurdly many, each with a name of its own."""
    if not names:
        raise InputError(f"A table needs columns; {path} has none.")
    if len(names) < fewest:
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


def simplified(column: pa.ChunkedArray, name: str, source: Path | str) -> pa.ChunkedArray:
    """Numbers, booleans without gaps, text and times; everything else becomes one of them or is refused."""
    kind = column.type
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_nested(kind):
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
