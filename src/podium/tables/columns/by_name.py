"""Columns asked for by name."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import pandas as pd

from podium.exceptions import InputError


def require(frame: pd.DataFrame, names: Sequence[str], what: str) -> None:
    """Refuse a table that lacks one of the columns; the nearest name is the hint."""
    present = list(map(str, frame.columns))
    for name in names:
        if name not in present:
            near = get_close_matches(name, present, n=1)
            shown = ", ".join(present[:12]) + (", …" if len(present) > 12 else "")
            raise InputError(
                f"The {what} must be a column of the table; there is no {name!r}.",
                f"did you mean {near[0]!r}?" if near else f"columns are {shown}.",
            )


def labeled(frame: pd.DataFrame, label: str) -> tuple[pd.DataFrame, list[str]]:
    """The rows that have a label, and a sentence about those that have none."""
    require(frame, [label], "label")
    known = frame[label].notna()
    n_missing = len(frame) - int(known.sum())
    if not n_missing:
        return frame, []
    return frame[known], [f"{n_missing:,} of {len(frame):,} rows have no label and were left out."]


def row_names(frame: pd.DataFrame, id_column: str | None) -> pd.Series[Any]:
    """Identifiers of the rows: a column of the table, or else its index, as it was before rows were left out."""
    if id_column is not None and id_column in frame:
        return frame[id_column]
    return frame.index.to_series()


def quoted(names: Sequence[str]) -> str:
    """Some names for a sentence, and how many more there are."""
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return ", ".join(repr(name) for name in names[:8]) + more
