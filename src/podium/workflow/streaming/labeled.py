"""Labels and scores of a table larger than memory, reread in every pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from podium import _input
from podium._results.doubts import Doubt
from podium._types import Array, BoolArray
from podium.exceptions import InputError
from podium.inference.comparisons.comparison import Lists
from podium.rounds import CountedList, counting, run
from podium.rounds.computation import Take, over_chunks
from podium.tables import chunks, column_names
from podium.tables.files.read import stored_chunks
from podium.tables.files.source import parts_of
from podium.tables.formats.number import NumberFormat
from podium.tables.formats.recognize import Format
from podium.tables.formats.text import LabelFormat
from podium.tables.table import require_names
from podium.workflow.stages.detect import never_looked_at
from podium.workflow.stages.observed import OF_LISTS
from podium.workflow.stages.roles import INCLUSION
from podium.workflow.stages.selected import Selection
from podium.workflow.streaming.sample import Draw, Drawn, as_a_table, draw_rows
from podium.workflow.streaming.words import Unseen

_LOOKED_AT = 10_000  # rows with a label, and others, that show whether these differ
_BYTES_PER_ROW = 128  # of labels and scores, while they are judged

Chunk = tuple[BoolArray, dict[str, Array]]


@dataclass(frozen=True, eq=False, kw_only=True)
class LabeledStream:
    """A file or folder, its columns of scores, and its labels.

    ``found`` says whether rows with a label differ from those without; None where every row has one.
    """

    path: Any
    label: str
    scores: Sequence[str]
    drawn: Drawn
    unseen: Unseen | None
    found: Selection | None
    doubts: tuple[Doubt, ...]
    on_step: Callable[[str], Any]

    @classmethod
    def of(
        cls,
        path: Any,
        label: str,
        scores: Sequence[str],
        positive: Any,
        on_step: Callable[[str], Any],
        unlabeled: str | None = None,
        aside: Sequence[str | None] = (),
    ) -> LabeledStream:
        """After one pass, which finds the positive labels and shows by a sample whether rows were selected for one.

        Columns ``aside`` have no part in that.
        """
        names = column_names(path)
        require_names(names, scores, "column")
        needed = {label, *scores, *([] if (unseen := Unseen.of(label, unlabeled)) is None else [unseen.column])}
        shared = set.intersection(*({*part.file.names(), *part.constant} for part in parts_of(path)))
        names = [name for name in names if name in shared or name in needed]
        on_step("reading the labels")
        drawn = draw_rows(path, names, label, positive, unseen, Draw(0, 0.5), lambda piece: (_LOOKED_AT, _LOOKED_AT))
        columns = [label, *aside]
        labeled = drawn.read.frame.iloc[: len(drawn.labels)]
        names = [name for name in names if name not in (*columns, *scores)]
        return cls(
            path=path,
            label=label,
            scores=scores,
            drawn=drawn,
            unseen=unseen,
            found=drawn.selection(columns),
            doubts=tuple(never_looked_at(labeled, drawn.is_positive, names)),
            on_step=on_step,
        )

    @property
    def n_rows(self) -> int:
        """Rows with a label."""
        return self.drawn.n_rows - self.drawn.n_missing

    @property
    def notes(self) -> tuple[str, ...]:
        n_missing = self.drawn.n_missing
        return (f"{n_missing:,} of {self.drawn.n_rows:,} rows have no label and were left out.",) if n_missing else ()

    def whole(self, memory: float, every: str | None = None, *columns: str | None) -> pd.DataFrame | None:
        """Scores and these columns of all rows, with those that say of a list what it stands for.

        None where rows with a label suffice: of one list, if they are like the others.
        """
        names = column_names(self.path)
        asked = dict.fromkeys(name for name in columns if name is not None)
        if every is None and INCLUSION not in names and (self.found is None or not self.found.is_found):
            return None
        unseen = () if self.unseen is None else (self.unseen.column,)
        needed = dict.fromkeys(
            [self.label, *self.scores, *asked, *unseen, *(name for name in OF_LISTS if name in names)]
        )
        require_names(names, list(needed), "column")
        if self.drawn.n_rows * _BYTES_PER_ROW * len(needed) > memory:
            raise InputError(
                "Lists of periods, and lists of which some rows have no label, are judged by all rows in memory: "
                f"{len(needed)} columns of {self.drawn.n_rows:,} rows exceed it.",
                "allow more memory.",
            )
        self.on_step("reading labels and scores")
        table = pa.concat_tables(stored_chunks(self.path, list(needed)), promote_options="permissive")
        with TemporaryDirectory(prefix="podium-") as folder:
            return as_a_table(self.path, table, Path(folder)).frame

    def chunks(self) -> Iterator[Chunk]:
        """Which rows are positive, and their scores by column; rows without a label are left out."""
        known: dict[str, Format] = {
            self.label: LabelFormat(self.drawn.positive_words),
            **dict.fromkeys(self.scores, NumberFormat()),
        }
        for piece in chunks(self.path, known, [] if self.unseen is None else [self.unseen.column]):
            labels = piece.frame[self.label]
            rows = labels.notna().to_numpy()
            if self.unseen is not None:
                rows = rows & ~self.unseen.among(piece.texts[self.unseen.column].astype(object))
            yield (
                labels.to_numpy()[rows].astype(np.bool_),
                {name: piece.frame[name].to_numpy()[rows] for name in self.scores},
            )

    def in_memory(self, memory: float) -> Chunk | None:
        """Labels and scores of all rows, if these alone fit."""
        if self.n_rows * _BYTES_PER_ROW * len(self.scores) > memory:
            return None
        self.on_step("reading labels and scores")
        parts = list(self.chunks())
        scores = {name: np.concatenate([scores[name] for _, scores in parts]) for name in self.scores}
        checked = {name: _input.check_scores(values, f"the column {name!r}") for name, values in scores.items()}
        return np.concatenate([is_positive for is_positive, _ in parts]), checked

    def counted(self, name: str, memory: float) -> CountedList:
        """One column of scores, counted."""
        return run(counting(memory=memory), self._over(name))

    def lists(self) -> Lists:
        """The same rows by the scores of every column."""
        return Lists({name: self._over(name) for name in self.scores}, over_chunks(self.chunks, self._piece))

    def _over(self, name: str) -> Take:
        n_passes = count(1)

        def chunks() -> Iterator[tuple[BoolArray, Array]]:
            self.on_step(f"pass {next(n_passes)} over {name!r}")
            return ((is_positive, scores[name]) for is_positive, scores in self.chunks())

        return over_chunks(chunks, self._piece)

    @property
    def _piece(self) -> str:
        return f"piece {{}} of {self.path}"
