"""A rehearsal of a model that was read from a file: whether its parts fit together shows before a table is read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from podium.columns.date import DateColumn, GapColumn
from podium.columns.encode import Column
from podium.columns.text import TextColumn, WordsColumn
from podium.tables.model import TableModel
from podium.tables.profile import ListProfile

_CELLS = 1 << 20  # of the table at most: columns and values of each may both be many


def rehearse(model: TableModel) -> None:
    """Score a made-up table with every value that the model knows; ValueError, or what else wrong parts lead to."""
    names = [model.label, model.positive, model.phi, *model.kinds, *model.formats]
    _require(all(isinstance(name, str) for name in names), "names that are text")
    _require(model.id_column is None or isinstance(model.id_column, str), "names that are text")
    _require(isinstance(model.facts, dict), "facts by name")
    for fact, kind in (("chosen", str), ("trained_on", int)):
        _require(not model.facts or isinstance(model.facts.get(fact), kind), "what was fitted to how many rows")
    model.doubts()
    budget = model.budget_of(100)
    _require(budget is None or (isinstance(budget, int) and budget > 0), "a budget in rows")
    for way in model.known.values():
        way.read(pa.chunked_array([["1", way.example]]))
    known = [each for each in (model.calibration, model.expected) if each is not None]
    for is_positive, own in known:
        _require(is_positive.dtype == np.bool_ and is_positive.shape == own.shape, "labels of rows held out")
    values = {c.name: _examples(c) for c in model.encoder.columns if not isinstance(c, GapColumn)}
    n_rows = min(max(map(len, values.values()), default=0), max(_CELLS // max(len(model.encoder.outputs), 1), 2))
    frame = pd.DataFrame({name: column.take(np.arange(n_rows) % len(column)) for name, column in values.items()})
    _require(n_rows > 0, "columns")
    seen = ListProfile(model.profile)
    seen.add(frame)
    seen.differences()
    scores = [model.scores(frame), model.as_judged().scores(frame), *(own for _, own in known)]
    if model.typical is not None:
        scores.append(model.scores_of(model.typical))
    _require(bool(np.isfinite(np.concatenate(scores)).all()), "scores that are numbers")


def _examples(column: Column) -> Any:
    """Values of every kind that a column tells apart."""
    if isinstance(column, TextColumn):
        return np.array(["", *column.categories], dtype=object)
    if isinstance(column, WordsColumn):
        return np.array(["", " ".join(column.vocabulary)], dtype=object)
    if isinstance(column, DateColumn):
        return np.array(["NaT", "2000-01-01"], dtype="datetime64[s]")
    return np.array([np.nan, 0.0])


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(f"a model needs {what}")
