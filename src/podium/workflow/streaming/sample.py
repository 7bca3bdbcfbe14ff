"""The first pass over a table: all labels, and a random sample of rows with all their columns.

Rows are drawn one by one: the same ones however the table is cut into chunks, and in every pass.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.csv as arrow_csv

from podium._fast.draws import GOLDEN, splitmix
from podium._results.doubts import Doubt
from podium._types import Array, BoolArray
from podium.exceptions import InputError
from podium.tables import column_names, positives, to_table
from podium.tables.files.base import release_arrow_memory
from podium.tables.files.csv import CsvFile
from podium.tables.files.read import stored_chunks
from podium.tables.files.source import parts_of
from podium.tables.formats.reader import known_words, words_of
from podium.tables.labels import LabeledTable
from podium.tables.table import Table, require_names
from podium.workflow.stages.counted_labels import LabelCounts
from podium.workflow.stages.roles import INCLUSION, Roles
from podium.workflow.stages.selected import unchecked_doubt
from podium.workflow.streaming.labeled import as_written, refuse_many_labels

Keys = npt.NDArray[np.uint64]

ALL = np.uint64(2**64 - 1)
_SAMPLE, _HELD_OUT = 1, 2  # purposes of a draw
_FEWEST, _MOST = 5_000, 500_000  # rows of a sample
_SHARE = 0.25  # of the memory for it
_TIMES = 4  # what it is read into, looked at by and turned into, of its own size
_JUDGED = 500  # bytes for a row of it while the page is made, three tenths of the rows being on it


@dataclass(frozen=True)
class Draw:
    """Pseudo-random numbers of rows, by their keys: the number of a row, or its unit, all rows of which share one."""

    seed: int
    holdout: float

    def places(self, keys: Keys) -> Keys:
        """Rows in the order of these are in random order: the first ones are a sample."""
        return _mixed(keys, self.seed, _SAMPLE)

    def are_held_out(self, keys: Keys) -> BoolArray:
        """Each row, or unit, by itself and with the same probability."""
        return _mixed(keys, self.seed, _HELD_OUT) < np.uint64(self.holdout * 2.0**64)


def keys_of(first: int, n_rows: int, units: pd.Series[Any] | None) -> Keys:
    """Of rows that are numbered from ``first`` on; with the words for their units, None where a row has none."""
    numbers = np.arange(first, first + n_rows, dtype=np.uint64)
    if units is None:
        return numbers
    known = units.notna().to_numpy()
    # Numbers with a gap among them have a point in one piece and none in another.
    hashed = pd.util.hash_array(units.fillna("").astype(str).str.removesuffix(".0").to_numpy(dtype=object))
    return np.where(known, hashed, _mixed(numbers, 0, 0))


def _mixed(keys: Keys, seed: int, purpose: int) -> Keys:
    """Mixed twice, so that seeds, which only shift the keys, differ in every bit."""
    return splitmix(keys, np.uint64((2 + 4 * seed + purpose) * int(GOLDEN) % 2**64), 2)


@dataclass(frozen=True, eq=False, kw_only=True)
class SampledTable:
    """The sample as a table, and facts about all rows.

    ``limit``: rows whose place in the draw is below it are in the sample. ``keys`` are those of its rows.
    """

    data: LabeledTable
    keys: Keys
    limit: np.uint64
    n_rows: int
    positive_words: frozenset[str]
    labels: LabelCounts
    doubts: list[Doubt]

    @property
    def is_whole(self) -> bool:
        return bool(self.limit == ALL)


def draw_sample(
    path: Any,
    roles: Roles,
    exclude: Sequence[str],
    positive: str | Sequence[str] | None,
    draw: Draw,
    memory: float,
    folder: Path,
) -> SampledTable:
    """Read the table once; the types of its columns are inferred from the sample."""
    names = column_names(path)
    require_names(names, [roles.label], "label")
    require_names(names, [*roles.columns, *roles.slices, *exclude], "column")
    kept = _Kept()
    n_missing = first = 0
    n_with: Counter[str] = Counter()
    size = None
    for piece in stored_chunks(path, names):
        labels = known_words(piece.column(roles.label))
        counts = labels.drop_null().value_counts().to_pylist()
        n_with.update({each["values"]: each["counts"] for each in counts})
        n_missing += labels.null_count
        refuse_many_labels(roles.label, n_with)
        keys = keys_of(first, len(piece), _units(piece, roles.group))
        size = size or sample_size(piece, memory)
        kept.add(piece, labels, first, keys, draw.places(keys), size)
        first += len(piece)
    if n_missing and INCLUSION in names:
        raise InputError(
            f"Rows with inclusion probabilities are learned from in memory; {path} is read in chunks.",
            "allow more memory, or leave out the column 'inclusion'.",
        )
    if not kept.pieces:
        raise InputError(f"A table needs rows; {path} has column names only.")
    kept.cut(size or _FEWEST)
    release_arrow_memory()
    words = as_written(list(n_with))
    mask, word = positives(pd.Series(list(words.values()), name=roles.label, dtype=object), positive)
    positive_words = frozenset(each for each, one in zip(words, mask, strict=True) if one)
    table, labels, numbers, keys, _ = kept.joined()
    read = _as_a_table(path, table, folder, [] if roles.id is None else [roles.id])
    read.frame.index = read.texts.index = pd.Index(numbers + 1)
    note = f"{n_missing:,} of {first:,} rows have no label and were left out."
    data = LabeledTable(
        frame=read.frame,
        texts=read.texts,
        is_positive=pd.Series(labels).isin(positive_words).to_numpy(dtype=np.bool_),
        positive=word,
        formats=read.formats,
        readings=read.notes,
        notes=[*read.notes, *([note] if n_missing else [])],
        warnings=read.warnings,
    )
    return SampledTable(
        data=data,
        keys=keys,
        limit=kept.limit,
        n_rows=first - n_missing,
        positive_words=positive_words,
        labels=_counted(n_with, words, positive_words, n_missing),
        doubts=[unchecked_doubt(n_missing, first)] if n_missing else [],
    )


def _counted(
    n_with: Mapping[str, int], words: dict[str, str], positive_words: frozenset[str], n_missing: int
) -> LabelCounts:
    """By values as a table that is read whole has them: 1 and 1.0 are one."""
    others: Counter[str] = Counter()
    for word in n_with.keys() - positive_words:
        others[words[word]] += n_with[word]
    return LabelCounts.counted(sum(n_with[word] for word in positive_words), others, n_missing)


def sample_size(piece: pa.Table, memory: float) -> int:
    """As many rows as memory allows, by the size of the first ones."""
    per_row = max(_TIMES * piece.nbytes / max(len(piece), 1), _JUDGED)
    return int(np.clip(_SHARE * memory / per_row, _FEWEST, _MOST))


@dataclass(eq=False)
class _Kept:
    """Rows below the limit so far, piece by piece: the table, labels, numbers, keys and places of its rows."""

    limit: np.uint64 = ALL
    pieces: list[tuple[pa.Table, Array, Array, Keys, Keys]] = field(default_factory=list)
    n_rows: int = 0

    def add(self, piece: pa.Table, labels: pa.ChunkedArray, first: int, keys: Keys, places: Keys, size: int) -> None:
        """The rows of a piece that have a label."""
        chosen = np.flatnonzero(labels.is_valid().to_numpy() & (places < self.limit))
        self.pieces.append(
            (piece.take(chosen), labels.take(chosen).to_numpy(), first + chosen, keys[chosen], places[chosen])
        )
        self.n_rows += len(chosen)
        if self.n_rows > 2 * size:
            self.cut(size)

    def cut(self, size: int) -> None:
        """Keep so many rows at most; those of one unit stay together."""
        if self.n_rows <= size:
            return
        table, *columns = self.joined()
        self.limit = np.partition(columns[-1], size)[size]
        chosen = np.flatnonzero(columns[-1] < self.limit)
        words, numbers, keys, places = (column[chosen] for column in columns)
        self.pieces, self.n_rows = [(table.take(chosen).combine_chunks(), words, numbers, keys, places)], len(chosen)

    def joined(self) -> tuple[pa.Table, Array, Array, Keys, Keys]:
        tables, *columns = zip(*self.pieces, strict=True)
        try:
            table = pa.concat_tables(tables, promote_options="permissive")
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise InputError(f"All files of a folder need the same kinds of columns: {error}.") from None
        words, numbers, keys, places = (np.concatenate(column) for column in columns)
        return table, words, numbers, keys, places


def _units(piece: pa.Table, group: str | None) -> Any:
    return None if group is None else words_of(piece.column(group)).to_pandas()


def _as_a_table(path: Any, table: pa.Table, folder: Path, as_text: list[str]) -> Table:
    """Rows of CSV files are written to one and read like any other, which infers their types."""
    first = next((part.file for part in parts_of(path) if isinstance(part.file, CsvFile)), None)
    if first is None:
        return to_table(table, as_text=as_text)
    words = pa.table({name: table.column(name).cast(pa.string()) for name in table.column_names})
    arrow_csv.write_csv(words, folder / "sample.csv", arrow_csv.WriteOptions(delimiter=first.header.delimiter))
    return to_table(folder / "sample.csv", as_text=as_text)
