"""A table that was read: its columns, how they were written, and those requested by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from podium import _input
from podium.exceptions import InputError
from podium.tables.formats.recognize import Format


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table that was read: columns to compute with, columns kept as text, and remarks on how they were read.

    Attributes
    ----------
    frame : pandas.DataFrame
        Columns of numbers, times and text.
    texts : pandas.DataFrame
        The columns requested as text, with the same index.
    formats : dict
        The format of each column, by name.
    notes, warnings : list of str
        How unusual columns were read, and doubts about them.
    """

    frame: pd.DataFrame
    texts: pd.DataFrame
    formats: dict[str, Format] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def require_columns(frame: pd.DataFrame, names: Sequence[str], what: str) -> None:
    """Refuse a table that lacks one of the columns; the hint is the closest name."""
    require_names(list(map(str, frame.columns)), names, what)


def require_names(present: Sequence[str], names: Sequence[str], what: str) -> None:
    """The same, for the names of the columns."""
    for name in names:
        if name not in present:
            near = _input.nearest(name, present)
            shown = ", ".join(present[:12]) + (", …" if len(present) > 12 else "")
            needed = "A requested column must be in" if what == "column" else f"The {what} must be a column of"
            raise InputError(
                f"{needed} the table; there is no {name!r}.",
                f"did you mean {near!r}?" if near else f"columns are {shown}.",
            )


def labeled_rows(table: Table, label: str) -> Table:
    """The labeled rows; a note counts the others."""
    frame = table.frame
    require_columns(frame, [label], "label")
    known = frame[label].notna()
    n_missing = len(frame) - int(known.sum())
    if not n_missing:
        return table
    note = f"{n_missing:,} of {len(frame):,} rows have no label and were left out."
    return replace(table, frame=frame[known], texts=table.texts[known], notes=[*table.notes, note])


def row_names(texts: pd.DataFrame, id_column: str | None) -> pd.Series[Any]:
    """Identifiers of the rows: a column kept as text, or else the index, as it was before rows were left out."""
    if id_column is not None and id_column in texts:
        return texts[id_column]
    return texts.index.to_series()
