"""The first pass over a table: all labels, and a random sample of rows with all their columns.

Rows are drawn one by one: the same ones however the table is cut into chunks, and in every pass.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from podium import _memory
from podium._fast.draws import GOLDEN, splitmix
from podium._types import Array, BoolArray
from podium.exceptions import InputError
from podium.tables import column_names, positives, to_table
from podium.tables.files.csv import CsvFile
from podium.tables.files.read import stored_chunks
from podium.tables.files.source import parts_of
from podium.tables.formats.reader import known_words, words_of
from podium.tables.labels import LabeledTable
from podium.tables.table import Table, require_names
from podium.workflow.stages.counted_labels import LabelCounts
from podium.workflow.stages.roles import INCLUSION, Roles
from podium.workflow.stages.selected import Selection, selection
from podium.workflow.streaming.words import Unseen, as_written, refuse_many_labels

Keys = npt.NDArray[np.uint64]

ALL = np.uint64(2**64 - 1)
_SAMPLE, _HELD_OUT = 1, 2  # purposes of a draw
_FEWEST, _MOST = 5_000, 500_000  # rows of a sample
_SHARE = 0.25  # of the memory for it
_TIMES = 4  # what it is read into, looked at by and turned into, of its own size
_OTHERS = 4  # rows with a label for one without, at most: these only show what a list is like
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
class Drawn:
    """Rows drawn in one pass, those with a label first, and facts about all rows.

    ``labels`` are the words of those with one. ``limit``: rows with a label whose place in the draw is below it were
    drawn; ``of_others`` is the limit of the others. ``places`` and ``keys`` are those of all rows drawn.
    """

    read: Table
    labels: Array
    keys: Keys
    places: Keys
    limit: np.uint64
    of_others: np.uint64
    n_rows: int
    n_missing: int
    positive_words: frozenset[str]
    positive: str
    counts: LabelCounts

    @property
    def is_positive(self) -> BoolArray:
        """Of the rows with a label."""
        return pd.Series(self.labels).isin(self.positive_words).to_numpy(dtype=np.bool_)

    def selection(self, aside: Sequence[str | None]) -> Selection | None:
        """Whether rows with a label look like the others, columns ``aside`` apart; None where every row has one."""
        if not self.n_missing:
            return None
        frame, n_labeled = self.read.frame, len(self.labels)
        others = frame.iloc[n_labeled:]
        names = [str(name) for name in frame if name not in aside and not others[name].isna().all()]
        return selection(frame, np.arange(len(frame)) < n_labeled, names, seed=0)


def draw_rows(
    path: Any,
    names: Sequence[str],
    label: str,
    positive: str | Sequence[str] | None,
    unseen: Unseen | None,
    draw: Draw,
    sizes: Callable[[pa.Table], tuple[int, int]],
    group: str | None = None,
    as_text: Sequence[str] = (),
) -> Drawn:
    """One pass over columns of a table: all labels, and so many rows with one and without, which tell the types."""
    require_names(names, [label], "label")
    if unseen is not None:
        require_names(names, [unseen.column], "column")
    kept, others, n_with = _Kept(), _Kept(), Counter[str]()
    n_missing = n_unseen = first = 0
    size: tuple[int, int] | None = None
    for piece in stored_chunks(path, names):
        labels = known_words(piece.column(label)).combine_chunks()
        if unseen is not None:
            never = unseen.among(words_of(piece.column(unseen.column)).to_pandas().astype(object))
            n_unseen += int(never.sum())
            labels = pc.if_else(never, pa.nulls(len(labels), labels.type), labels)
        counts = labels.drop_null().value_counts().to_pylist()
        n_with.update({each["values"]: each["counts"] for each in counts})
        n_missing += labels.null_count
        refuse_many_labels(label, n_with)
        keys = keys_of(first, len(piece), _units(piece, group))
        size = size or sizes(piece)
        has_label = labels.is_valid().to_numpy(zero_copy_only=False)
        for part, rows, most in ((kept, has_label, size[0]), (others, ~has_label, size[1])):
            part.add(piece, labels, rows, first, keys, draw.places(keys), most)
        first += len(piece)
    if not kept.pieces:
        raise InputError(f"A table needs rows; {path} has column names only.")
    if unseen is not None:
        unseen.require(n_unseen)
    for part, most in zip((kept, others), size or (_FEWEST, _FEWEST), strict=True):
        part.cut(most)
    _memory.release_arrow()
    words = as_written(list(n_with))
    mask, word = positives(pd.Series(list(words.values()), name=label, dtype=object), positive)
    positive_words = frozenset(each for each, one in zip(words, mask, strict=True) if one)
    (table, labels, numbers, keys, places), more = kept.joined(), others.joined()
    with TemporaryDirectory(prefix="podium-") as folder:
        whole = pa.concat_tables([table, more[0]], promote_options="permissive")
        read = as_a_table(path, whole, Path(folder), as_text)
    read.frame.index = read.texts.index = pd.Index(np.concatenate([numbers, more[2]]) + 1)
    return Drawn(
        read=read,
        labels=labels,
        keys=np.concatenate([keys, more[3]]),
        places=np.concatenate([places, more[4]]),
        limit=kept.limit,
        of_others=others.limit,
        n_rows=first,
        n_missing=n_missing,
        positive_words=positive_words,
        positive=word,
        counts=_counted(n_with, words, positive_words, n_missing),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class SampledTable:
    """The sample as a table, and facts about all rows.

    ``limit``: rows whose place in the draw is below it are in the sample. ``keys`` are those of its rows. ``found``
    says whether rows with a label differ from the others, some of which are then in the sample, too; ``n_rows`` are
    those with a label, ``n_listed`` all.
    """

    data: LabeledTable
    keys: Keys
    limit: np.uint64
    n_rows: int
    n_listed: int
    positive_words: frozenset[str]
    unseen: Unseen | None
    found: Selection | None
    labels: LabelCounts

    @property
    def is_whole(self) -> bool:
        return bool(self.limit == ALL)


def draw_sample(
    path: Any,
    roles: Roles,
    exclude: Sequence[str],
    positive: str | Sequence[str] | None,
    unlabeled: str | None,
    draw: Draw,
    memory: float,
) -> SampledTable:
    """Read the table once. Where rows were selected to be labeled, the sample is as large a part of the others."""
    names = column_names(path)
    require_names(names, [*roles.columns, *roles.slices, *exclude], "column")
    unseen = Unseen.of(roles.label, unlabeled)

    def sizes(piece: pa.Table) -> tuple[int, int]:
        size = sample_size(piece, memory)
        return size, size // _OTHERS

    as_text = [] if roles.id is None else [roles.id]
    drawn = draw_rows(path, names, roles.label, positive, unseen, draw, sizes, roles.group, as_text)
    n_missing, read = drawn.n_missing, drawn.read
    if n_missing and INCLUSION in names:
        raise InputError(
            f"Rows with inclusion probabilities are learned from in memory; {path} is read in chunks.",
            "allow more memory, or leave out the column 'inclusion'.",
        )
    found = drawn.selection((roles.label, roles.id, roles.time, None if unseen is None else unseen.column))
    is_selected = found is not None and found.is_found
    limit = min(drawn.limit, drawn.of_others) if is_selected else drawn.limit
    n_labeled = len(drawn.labels)
    inside = drawn.places < limit if limit != ALL else np.ones(len(drawn.places), dtype=np.bool_)
    rows, further = np.flatnonzero(inside[:n_labeled]), n_labeled + np.flatnonzero(inside[n_labeled:])
    note = f"{n_missing:,} of {drawn.n_rows:,} rows have no label and were left out."
    data = LabeledTable(
        frame=read.frame.iloc[rows],
        texts=read.texts.iloc[rows],
        is_positive=drawn.is_positive[rows],
        positive=drawn.positive,
        formats=read.formats,
        readings=read.notes,
        notes=[*read.notes, *([note] if n_missing else [])],
        warnings=read.warnings,
        others=read.frame.iloc[further] if is_selected else None,
    )
    return SampledTable(
        data=data,
        keys=drawn.keys[rows],
        limit=limit,
        n_rows=drawn.n_rows - n_missing,
        n_listed=drawn.n_rows,
        positive_words=drawn.positive_words,
        unseen=unseen,
        found=found if is_selected else None,
        labels=drawn.counts,
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

    def add(
        self, piece: pa.Table, labels: pa.Array, rows: BoolArray, first: int, keys: Keys, places: Keys, size: int
    ) -> None:
        """Some rows of a piece."""
        chosen = np.flatnonzero(rows & (places < self.limit))
        words = labels.take(chosen).to_numpy(zero_copy_only=False)
        self.pieces.append((piece.take(chosen), words, first + chosen, keys[chosen], places[chosen]))
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


def as_a_table(path: Any, table: pa.Table, folder: Path, as_text: Sequence[str] = ()) -> Table:
    """Rows of CSV files are written to one and read like any other, which infers their types."""
    first = next((part.file for part in parts_of(path) if isinstance(part.file, CsvFile)), None)
    if first is None:
        return to_table(table, as_text=as_text)
    words = pa.table({name: table.column(name).cast(pa.string()) for name in table.column_names})
    arrow_csv.write_csv(words, folder / "sample.csv", arrow_csv.WriteOptions(delimiter=first.header.delimiter))
    return to_table(folder / "sample.csv", as_text=as_text)
