"""Parquet files: columns with types, read one by one, or by groups of rows."""

from __future__ import annotations

import io
from collections.abc import Callable, Collection, Iterator, Sequence

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet

from podium import _memory
from podium._progress import report_progress
from podium.tables.files.base import TableFile, check_names
from podium.tables.formats.reader import ColumnReader

_VALUES, _FEWEST_ROWS = 1 << 21, 1 << 14  # read at a time


class ParquetFile(TableFile):
    """Refused where it unpacks to more than is allowed."""

    kind = "Parquet"
    endings = written = (".parquet", ".pq")
    is_typed = True
    expansion = 3.0

    def _open(self) -> parquet.ParquetFile:
        file = parquet.ParquetFile(self.path)
        _memory.check_unpacked(self.path, _unpacked(file))
        return file

    def size(self) -> float:
        try:
            return _unpacked(self._open())
        except pa.ArrowException:  # whoever reads the broken file will say so
            return 0.0

    def names(self) -> Sequence[str]:
        names = list(self._open().schema_arrow.names)
        check_names(names, self.path)
        return names

    def row_groups(self, names: Collection[str]) -> list[int] | None:
        file = self._open()
        schema = file.schema_arrow
        if any(not _is_typed(schema.field(name).type) for name in names if name in schema.names):
            return None
        return [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]

    def columns(self, reader: ColumnReader) -> Iterator[tuple[str, pa.ChunkedArray]]:
        file, names = self._open(), self.names()
        for done, name in enumerate(names):
            report_progress(done / len(names))
            yield name, file.read([name]).column(name)
            _memory.release_arrow()

    def batches(self, reader: ColumnReader, report: Callable[[float], None]) -> Iterator[pa.RecordBatch]:
        file, names = self._open(), self.names()
        wanted = [name for name in names if name in reader.known or name in reader.as_text]
        n_rows, done = max(file.metadata.num_rows, 1), 0
        size = max(_FEWEST_ROWS, _VALUES // max(1, len(wanted)))
        # One group at a time: Arrow holds what it has read of all it was asked for.
        for group in self.groups or range(file.num_row_groups):
            for batch in file.iter_batches(size, row_groups=[group], columns=wanted):
                yield batch
                done += batch.num_rows
                report(done / n_rows)

    def contents(self, frame: pd.DataFrame) -> bytes:
        stream = io.BytesIO()
        frame.to_parquet(stream, index=False)
        return stream.getvalue()


def _is_typed(kind: pa.DataType) -> bool:
    """Whether values are numbers or times already, or truth values, and not words for them."""
    return any(check(kind) for check in (pa.types.is_primitive, pa.types.is_boolean, pa.types.is_null))


def _unpacked(file: parquet.ParquetFile) -> float:
    """Its bytes before compression, at least one for every value: a value repeated a million times takes none."""
    facts = file.metadata
    n_bytes = sum(facts.row_group(i).total_byte_size for i in range(facts.num_row_groups))
    return float(max(n_bytes, facts.num_rows * facts.num_columns))
