"""A trained model with all it needs to score a table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from podium._types import FloatArray
from podium.exceptions import InputError
from podium.metrics.estimator import estimator_scores
from podium.tables.describe import kind_of
from podium.tables.encode import Encoder

_BLOCK = 20_000  # rows encoded and scored at a time, so that little memory is needed beside the table


@dataclass
class TableModel:
    """Encoder and ranker, what they were trained for, and on what."""

    encoder: Encoder
    ranker: Any
    phi: str
    label: str
    positive: str
    id_column: str | None = None
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def kinds(self) -> dict[str, str]:
        """Names of the columns needed, with what they hold."""
        return self.encoder.kinds

    def check(self, frame: pd.DataFrame) -> list[str]:
        """Refuse a table that lacks columns or holds other things in them; sentences about harmless differences."""
        expected = self.kinds
        missing = [name for name in expected if name not in frame]
        if missing:
            raise InputError(
                f"The model needs the columns it was trained on; missing: {_named(missing)}.",
                f"the table has {_named(list(map(str, frame.columns)))}.",
            )
        retyped = [
            f"{name!r} (must be {kind}, is {kind_of(frame[name])})"
            for name, kind in expected.items()
            if not frame[name].isna().all() and kind_of(frame[name]) != kind
        ]
        if retyped:
            raise InputError(f"Columns must hold what they held in training; got {', '.join(retyped[:5])}.")
        others = [str(name) for name in frame.columns if name not in (*expected, self.label, self.id_column)]
        notes = [f"Columns that the model does not use: {_named(others)}."] if others else []
        if [name for name in frame.columns if name in expected] != list(expected):
            notes.append("The columns are in another order than in training; they were matched by name.")
        return notes

    def scores(self, frame: pd.DataFrame) -> FloatArray:
        """The score of every row; larger is more positive."""
        blocks = [frame.iloc[start : start + _BLOCK] for start in range(0, len(frame), _BLOCK)]
        return np.concatenate([np.zeros(0), *(estimator_scores(self.ranker, self.encoder.encode(b)) for b in blocks)])


def _named(names: list[str]) -> str:
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return ", ".join(repr(name) for name in names[:8]) + more
