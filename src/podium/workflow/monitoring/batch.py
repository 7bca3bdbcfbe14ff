"""One batch of rows: scored, with the labels that are known and how their rows were chosen."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from podium._types import BoolArray, FloatArray
from podium.exceptions import InputError
from podium.labels import Observed
from podium.rankers import fingerprints
from podium.tables import Table, TableModel, is_path, to_table
from podium.tables.labels import has_value
from podium.workflow.stages.observed import check_counts, filled

INCLUSION, WHEN = "inclusion", "when"  # columns that are read by themselves
UNKNOWN = -1


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Rows of one table as a monitor needs them, in the order of the table.

    ``marks`` are hashes by which rows are recognized; ``labels`` are 1, 0 or unknown. ``has_ids`` says that rows alike
    in all columns of the model are told apart. ``when`` says when each label came, dates in seconds; NaN if not known.
    """

    name: str
    frame: pd.DataFrame
    marks: npt.NDArray[np.uint64]
    scores: FloatArray
    labels: npt.NDArray[np.int8]
    inclusion: FloatArray | None
    when: FloatArray
    has_ids: bool
    notes: tuple[str, ...]

    @property
    def is_labeled(self) -> BoolArray:
        return self.labels != UNKNOWN


def identity(marks: npt.NDArray[np.uint64]) -> str:
    """The same for the same rows in any order, with labels or without."""
    return hashlib.sha256(np.sort(marks).tobytes()).hexdigest()[:16]


def read_batch(model: TableModel, table: Any) -> Batch:
    """Read and score; a label column may be absent, or empty in some rows."""
    data = to_table(table, known=model.known, as_text=[] if model.id_column is None else [model.id_column])
    frame = data.frame
    names = [name for name in map(str, frame.columns) if name not in (INCLUSION, WHEN) or name in model.kinds]
    notes = [*model.dependence(), *model.check(names), *data.notes]
    scores = model.scores(frame)
    labels = np.full(len(scores), UNKNOWN, dtype=np.int8)
    if model.label in frame:
        known = frame[model.label].notna().to_numpy()
        labels[known] = has_value(frame[model.label][known], model.positive)
        n_labeled = int(known.sum())
        if 0 < n_labeled < len(scores):
            notes.append(f"{len(scores) - n_labeled:,} of {len(scores):,} rows have no label.")
    own = {*model.kinds, model.label, model.id_column}  # columns of these names are not about labels
    return Batch(
        name=Path(table).name if is_path(table) else "table",
        frame=frame,
        marks=_marks(model, data),
        scores=scores,
        labels=labels,
        inclusion=_design(frame, labels, scores, own),
        when=_times(frame, labels, own),
        has_ids=model.id_column is not None and model.id_column in data.texts,
        notes=tuple(notes),
    )


def _design(
    frame: pd.DataFrame, labels: npt.NDArray[np.int8], scores: FloatArray, own: set[str | None]
) -> FloatArray | None:
    """Inclusion probabilities; of rows certain to be labeled, labels may still be to come.

    Rows that a list with explored rows does not name have none in the table: those named say what theirs were.
    """
    if INCLUSION not in frame or INCLUSION in own:
        return None
    if not pd.api.types.is_numeric_dtype(frame[INCLUSION]):
        raise InputError(f"The column {INCLUSION!r} must hold probabilities; got {frame[INCLUSION].iloc[0]!r}.")
    inclusion = frame[INCLUSION].to_numpy(dtype=np.float64)
    if (np.isnan(inclusion) & (labels == UNKNOWN)).any() and (inclusion < 1).any():
        check_counts(inclusion)
        inclusion = filled(inclusion, scores)
    # As `Observed` refuses them: rows that are to be labeled for certain pass for labeled here.
    given = np.where((labels == UNKNOWN) & (inclusion != 1), np.nan, 1.0)
    if np.isnan(given).all():
        given[0] = 1.0 if inclusion[0] > 0 else np.nan
    if np.isnan(given).all():
        raise InputError(f"inclusion must be in (0, 1]; got {inclusion[0]:g}.")
    return Observed(given, inclusion).inclusion


def _times(frame: pd.DataFrame, labels: npt.NDArray[np.int8], own: set[str | None]) -> FloatArray:
    """When labels came; refused if after today."""
    is_labeled, seconds = labels != UNKNOWN, np.full(len(frame), np.nan)
    if WHEN not in frame or WHEN in own or not is_labeled.any():
        return seconds
    times = frame[WHEN][is_labeled]
    is_number = pd.api.types.is_numeric_dtype(times)
    if not is_number:
        times = pd.to_datetime(times, errors="coerce", utc=True).dt.tz_localize(None)
    Observed(np.ones(len(times)), when=times.to_numpy())
    seconds[is_labeled] = times if is_number else (times - pd.Timestamp(0)).dt.total_seconds()
    return seconds


def _marks(model: TableModel, data: Table) -> npt.NDArray[np.uint64]:
    marks = fingerprints.hashes(model.encoder.encode(data.frame))
    if model.id_column is not None and model.id_column in data.texts:
        marks = marks + pd.util.hash_array(data.texts[model.id_column].astype(str).to_numpy(dtype=object))
    return marks
