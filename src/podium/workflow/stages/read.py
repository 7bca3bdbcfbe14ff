"""Read a table and its labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from podium._types import BoolArray
from podium.tables import positives, to_frame
from podium.tables.columns import by_name


@dataclass(frozen=True, kw_only=True)
class LabeledTable:
    """The rows that have a label, which of them are positive, the positive value, and what was left out."""

    frame: pd.DataFrame
    is_positive: BoolArray
    positive: str
    notes: list[str]


def read_labeled(table: Any, label: str, positive: str | None, columns: Sequence[str] = ()) -> LabeledTable:
    """A table of any kind; the ``columns`` named must be there."""
    frame, notes = by_name.labeled(to_frame(table), label)
    by_name.require(frame, columns, "column")
    is_positive, positive = positives(frame[label], positive)
    return LabeledTable(frame=frame, is_positive=is_positive, positive=positive, notes=notes)
