"""Explain the place of a row in its list."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from podium._results.result import Result
from podium.exceptions import InputError
from podium.tables import TableModel, about_effects, row_effects, to_table
from podium.tables.effects import Effect
from podium.tables.table import row_names
from podium.workflow.score import as_model


@dataclass(frozen=True, kw_only=True, repr=False)
class ExplainResult(Result):
    """A row's place in the list and the contribution of each of its values, in percent of the list.

    Attributes
    ----------
    id : str
        The row's identifier.
    score, rank, percentile : float, int, float
        Its place in the list of its table.
    rows : int
        Length of the list.
    effects : tuple of Effect
        Effects of its values on its place, compared with the values of other rows; largest first.
    notes : tuple of str
        Harmless differences between this table and the training table.
    """

    id: str
    score: float
    rank: int
    percentile: float
    rows: int
    effects: tuple[Effect, ...]
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Row {self.id} is number {self.rank:,} of {self.rows:,} (score {self.score:.4g})."


def explain(
    model: TableModel | str | os.PathLike[str],
    table: Any,
    row: Any,
    *,
    random_state: int = 0,
    on_step: Callable[[str], Any] = lambda step: None,
) -> ExplainResult:
    """Explain which values of a row move it up or down the list, compared with the values of other rows.

    Parameters
    ----------
    model : TableModel or path
        The model of a `FitResult`, or a file written by `fit`.
    table : path, pandas.DataFrame, polars.DataFrame or pyarrow.Table
        The rows of the list.
    row : str or int
        The row's identifier, or its number (from 1; in a pandas table its index) if the model has no identifier
        column.
    random_state : int
        Seed of the random choice of other rows.
    on_step : callable, optional
        Called with a short description as each stage begins.

    Returns
    -------
    ExplainResult
        The place of the row in the list and the effect of each of its values.
    """
    scorer = as_model(model)
    data = to_table(table, known=scorer.known, as_text=[] if scorer.id_column is None else [scorer.id_column])
    frame = data.frame
    notes = [*scorer.check(list(map(str, frame.columns))), *data.notes, *about_effects(scorer)]
    ids = row_names(data.texts, scorer.id_column).astype(str)
    if len(frame) == 1:
        raise InputError(
            "An explanation compares a row with the others of its list; the table has only one row.",
            "pass the whole list; podium score --reasons compares a row with the training rows instead.",
        )
    at = np.flatnonzero(ids == str(row))
    if not len(at):
        raise InputError(f"The table has no row {row!r}.", f"its rows are {ids.iloc[0]!r}, …")
    if len(at) > 1:
        notes.append(f"{len(at):,} rows have the identifier {str(row)!r}; the first one is explained.")
    scores = scorer.scores(frame)
    n_above = int((scores > scores[at[0]]).sum())
    on_step("exchanging one value at a time")
    rng = np.random.default_rng(random_state)
    effects = row_effects(scorer, frame[list(scorer.kinds)], int(at[0]), rng)
    return ExplainResult(
        id=str(row),
        score=float(scores[at[0]]),
        rank=n_above + 1,
        percentile=100.0 * (1 - n_above / len(scores)),
        rows=len(scores),
        effects=tuple(effects),
        notes=tuple(notes),
    )
