"""One batch of rows: scored, with labels if any, in random order."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from podium._types import BoolArray, FloatArray
from podium.rankers import fingerprints
from podium.tables import Table, TableModel, is_path, to_table
from podium.tables.labels import has_value


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Rows of one table as a monitor needs them.

    ``scores`` are in random order, since a table may be sorted by something that has to do with the scores, and ranks
    among earlier rows would then follow that order; ``labels`` and ``labeled_scores`` are those of rows with a label.
    """

    name: str
    frame: pd.DataFrame
    scores: FloatArray
    labels: BoolArray
    labeled_scores: FloatArray
    identity: str
    notes: tuple[str, ...]


def read_batch(model: TableModel, table: Any) -> Batch:
    """Read and score; a label column may be absent, or empty in some rows."""
    data = to_table(table, known=model.known, as_text=[] if model.id_column is None else [model.id_column])
    frame = data.frame
    notes = [*model.dependence(), *model.check(list(map(str, frame.columns))), *data.notes]
    scores = model.scores(frame)
    identity = _identity(model, data)
    order = np.random.default_rng(int(identity, 16)).permutation(len(scores))
    labels, known = np.zeros(0, dtype=np.bool_), np.zeros(len(scores), dtype=np.bool_)
    if model.label in frame:
        column = frame[model.label].iloc[order]
        known = column.notna().to_numpy()
        labels = has_value(column[known], model.positive)
        if 0 < len(labels) < len(scores):
            notes.append(f"{len(scores) - len(labels):,} of {len(scores):,} rows have no label.")
    return Batch(
        name=Path(table).name if is_path(table) else "table",
        frame=frame,
        scores=scores[order],
        labels=labels,
        labeled_scores=scores[order][known],
        identity=identity,
        notes=tuple(notes),
    )


def _identity(model: TableModel, data: Table) -> str:
    """The same for the same rows in any order, with labels or without."""
    marks = fingerprints.hashes(model.encoder.encode(data.frame))
    if model.id_column is not None and model.id_column in data.texts:
        marks = marks + pd.util.hash_array(data.texts[model.id_column].astype(str).to_numpy(dtype=object))
    return hashlib.sha256(np.sort(marks).tobytes()).hexdigest()[:16]
