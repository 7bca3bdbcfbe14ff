"""Read a table and its labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from podium._types import BoolArray
from podium.tables import positives, to_table
from podium.tables.columns import by_name
from podium.tables.formats.ways import Format


@dataclass(frozen=True, kw_only=True)
class LabeledTable:
    """The rows that have a label, which of them are positive, the positive value, and what must be said of reading."""

    frame: pd.DataFrame
    texts: pd.DataFrame
    is_positive: BoolArray
    positive: str
    formats: dict[str, Format]
    readings: list[str]
    notes: list[str]
    warnings: list[str]


def read_labeled(
    table: Any,
    label: str,
    positive: str | Sequence[str] | None,
    columns: Sequence[str] = (),
    as_text: Sequence[str] = (),
) -> LabeledTable:
    """A table of any kind; the ``columns`` named must be there, those ``as_text`` are kept byte for byte."""
    read = to_table(table, as_text=as_text)
    data = by_name.labeled(read, label)
    by_name.require(data.frame, columns, "column")
    is_positive, word = positives(data.frame[label], positive)
    return LabeledTable(
        frame=data.frame,
        texts=data.texts,
        is_positive=is_positive,
        positive=word,
        formats=data.formats,
        readings=read.notes,
        notes=data.notes,
        warnings=data.warnings,
    )
