"""Which rows are learned from, and which judge: a share held out, or another table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from podium._types import BoolArray
from podium.exceptions import DegenerateSampleError, InputError
from podium.selection.split import Rows, Split, split
from podium.tables import positives, to_frame
from podium.tables.columns import by_name
from podium.workflow.stages.read import LabeledTable


@dataclass(frozen=True, kw_only=True)
class Parts:
    """Positions of the training rows in their table; the judging rows, by their table, positions and labels."""

    training: Rows
    judged: pd.DataFrame
    held_out: Rows
    judged_labels: BoolArray
    notes: list[str]


def split_rows(data: LabeledTable, label: str, holdout: float, test: Any, rng: np.random.Generator) -> Parts:
    """Hold out a share of both classes, unless a table to judge by is given."""
    if test is None:
        parts = split(data.is_positive, holdout, rng)
        labels = data.is_positive[parts.held_out]
        return Parts(
            training=parts.training, judged=data.frame, held_out=parts.held_out, judged_labels=labels, notes=[]
        )
    frame, notes = by_name.labeled(to_frame(test), label)
    parts = Split(rng.permutation(len(data.frame)), np.arange(len(frame)))
    return Parts(
        training=parts.training,
        judged=frame,
        held_out=parts.held_out,
        judged_labels=_judged_labels(frame[label], data.positive),
        notes=[f"Test table: {note}" for note in notes],
    )


def _judged_labels(column: pd.Series[Any], positive: str) -> BoolArray:
    try:
        return positives(column, positive)[0]
    except InputError as error:
        raise DegenerateSampleError(
            f"The rows held out must have both labels; in the test table: {str(error).splitlines()[0]}",
            "take other rows for the test.",
        ) from None
