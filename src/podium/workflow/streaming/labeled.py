"""Labels and scores of a table larger than memory, reread in every pass."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
import pandas as pd

from podium import _input
from podium._results.doubts import Doubt
from podium._types import Array, BoolArray
from podium.exceptions import InputError
from podium.inference.comparisons.comparison import Lists
from podium.rounds import CountedList, counting, run
from podium.rounds.computation import Take, over_chunks
from podium.tables import chunks, column_names, positives
from podium.tables.formats.number import NumberFormat
from podium.tables.formats.recognize import Format
from podium.tables.formats.text import LabelFormat, TextFormat
from podium.tables.table import require_names
from podium.workflow.stages.selected import unchecked_doubt

_MOST_LABELS = 1000
_BYTES_PER_ROW = 128  # of labels and scores, while they are judged

Chunk = tuple[BoolArray, dict[str, Array]]


@dataclass(frozen=True, eq=False, kw_only=True)
class LabeledStream:
    """A file or folder, its columns of scores, and its labels."""

    path: Any
    label: str
    scores: Sequence[str]
    positive_words: frozenset[str]
    notes: tuple[str, ...]
    doubts: tuple[Doubt, ...]
    n_rows: int
    on_step: Callable[[str], Any]

    @classmethod
    def of(
        cls, path: Any, label: str, scores: Sequence[str], positive: Any, on_step: Callable[[str], Any]
    ) -> LabeledStream:
        """After one pass over the labels, which finds the positive ones and counts rows without a label."""
        names = column_names(path)
        require_names(names, [label], "label")
        require_names(names, scores, "column")
        on_step("reading the labels")
        n_rows = n_missing = 0
        seen: dict[str, None] = {}  # in order, each once
        for piece in chunks(path, {label: TextFormat()}):
            n_missing += int(piece.frame[label].isna().sum())
            n_rows += len(piece.frame)
            seen |= dict.fromkeys(piece.frame[label].dropna().unique())
            refuse_many_labels(label, seen)
        words = as_written(list(seen))
        is_positive, _ = positives(pd.Series(list(words.values()), name=label, dtype=object), positive)
        note = f"{n_missing:,} of {n_rows:,} rows have no label and were left out."
        return cls(
            path=path,
            label=label,
            scores=scores,
            positive_words=frozenset(word for word, one in zip(words, is_positive, strict=True) if one),
            notes=(note,) if n_missing else (),
            doubts=(unchecked_doubt(n_missing, n_rows),) if n_missing else (),
            n_rows=n_rows - n_missing,
            on_step=on_step,
        )

    def chunks(self) -> Iterator[Chunk]:
        """Which rows are positive, and their scores by column; rows without a label are left out."""
        known: dict[str, Format] = {
            self.label: LabelFormat(self.positive_words),
            **dict.fromkeys(self.scores, NumberFormat()),
        }
        for piece in chunks(self.path, known):
            labels = piece.frame[self.label]
            rows = labels.notna().to_numpy()
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


def refuse_unlabeled(unlabeled: str | None) -> None:
    """Rows that nobody looked at are told apart in memory."""
    if unlabeled is not None:
        raise InputError(
            f"In a table that is read in chunks, rows that nobody looked at must have no label; got {unlabeled!r}.",
            "leave their label empty, or allow more memory.",
        )


def refuse_many_labels(label: str, seen: Collection[str]) -> None:
    """Refuse a column that cannot be the label, before its values fill the memory."""
    if len(seen) > _MOST_LABELS:
        raise InputError(f"The label {label!r} needs two values; got more than {_MOST_LABELS:,}.")


def as_written(words: list[str]) -> dict[str, str]:
    """Labels as in a table that is read whole: if all are numbers, 1 and 1.0 are the same."""
    numbers = pd.to_numeric(pd.Series(words, dtype=object), errors="coerce")
    if numbers.isna().any():
        return {word: word for word in words}
    return {
        word: str(int(number)) if float(number).is_integer() else str(number)
        for word, number in zip(words, numbers, strict=True)
    }
