"""From a table to a matrix of finite numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from podium._types import BoolArray, FloatArray
from podium.exceptions import InputError
from podium.selection.split import Rows
from podium.tables.columns import by_name
from podium.tables.columns.number import NumberColumn
from podium.tables.columns.text import TextColumn
from podium.tables.describe import kind_of


@dataclass
class Encoder:
    """Learned from the training rows, one column at a time; applies to any table that has these columns."""

    columns: list[NumberColumn | TextColumn]

    @classmethod
    def fit(
        cls, frame: pd.DataFrame, rows: Rows, kinds: Mapping[str, str], is_positive: BoolArray | None = None
    ) -> Encoder:
        """``rows`` are the positions to learn from, ``is_positive`` their labels; no other row is looked at."""
        columns: list[NumberColumn | TextColumn] = []
        for name, kind in kinds.items():
            column = frame[name].iloc[rows]
            if column.isna().all():
                continue  # all its values are in other rows
            columns.append(NumberColumn.fit(column) if kind == "number" else TextColumn.fit(column, is_positive))
        return cls([column for column in columns if column.outputs])

    @property
    def kinds(self) -> dict[str, str]:
        """Names of the columns needed, with what they hold."""
        return {c.name: "number" if isinstance(c, NumberColumn) else "text" for c in self.columns}

    @property
    def outputs(self) -> list[str]:
        """Names of the columns of the matrix."""
        return [output for column in self.columns for output in column.outputs]

    def check(self, frame: pd.DataFrame) -> list[str]:
        """Refuse a table that lacks columns or holds other things in them; a sentence if they are in another order."""
        expected = self.kinds
        missing = [name for name in expected if name not in frame]
        if missing:
            raise InputError(
                f"The model needs the columns it was trained on; missing: {by_name.quoted(missing)}.",
                f"the table has {by_name.quoted(list(map(str, frame.columns)))}.",
            )
        retyped = [
            f"{name!r} (must be {kind}, is {kind_of(frame[name])})"
            for name, kind in expected.items()
            if not frame[name].isna().all() and kind_of(frame[name]) != kind
        ]
        if retyped:
            raise InputError(f"Columns must hold what they held in training; got {', '.join(retyped[:5])}.")
        if [name for name in frame.columns if name in expected] != list(expected):
            return ["The columns are in another order than in training; they were matched by name."]
        return []

    def encode(self, frame: pd.DataFrame, rows: Rows | None = None) -> FloatArray:
        """The matrix of new rows: those at the positions given, or all."""
        X = self.blank(len(frame) if rows is None else len(rows))
        for column, out in self.parts(X):
            values = frame[column.name]
            column.encode(values if rows is None else values.iloc[rows], out)
        return X

    def blank(self, n_rows: int) -> FloatArray:
        """A matrix to write into; column by column in memory, as it is filled and as trees read it."""
        return np.empty((n_rows, len(self.outputs)), order="F")

    def parts(self, X: FloatArray) -> list[tuple[NumberColumn | TextColumn, FloatArray]]:
        """Columns of the table, each with the columns of the matrix that it fills."""
        ends = np.cumsum([len(column.outputs) for column in self.columns])
        return [(c, X[:, end - len(c.outputs) : end]) for c, end in zip(self.columns, ends, strict=True)]

    def notes(self) -> list[str]:
        """What was done to the columns, in sentences."""
        numeric = [c for c in self.columns if isinstance(c, NumberColumn)]
        text = [c for c in self.columns if isinstance(c, TextColumn)]
        marked = [c.name for c in numeric if c.marks_missing]
        by_share = [c.name for c in text if c.uses_labels]
        one_hot = [c.name for c in text if not c.uses_labels]
        sentences = {
            f"{len(numeric)} columns of numbers were centred at the median, scaled by the spread of their middle half, "
            "and drawn in logarithmically beyond three such units.": numeric,
            f"Missing numbers became the median, with a mark of their own: {', '.join(marked)}.": marked,
            f"Text with few values became one column per value: {', '.join(one_hot)}.": one_hot,
            "Text with many values became the share of positives of each value, learned from other rows: "
            f"{', '.join(by_share)}.": by_share,
        }
        return [sentence for sentence, concerned in sentences.items() if concerned]
