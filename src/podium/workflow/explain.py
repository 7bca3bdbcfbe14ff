"""Say why a row stands where it does."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from podium._results.result import Result
from podium.exceptions import InputError
from podium.tables import TableModel, about_effects, row_effects, to_table
from podium.tables.columns import by_name
from podium.tables.effects import Effect
from podium.tables.listing import ranked_list
from podium.workflow.score import as_model


@dataclass(frozen=True, kw_only=True, repr=False)
class ExplainResult(Result):
    """A row's place, and what each of its values adds to it, in points of the list.

    Attributes
    ----------
    id : str
        The row's identifier.
    score, rank, percentile : float, int, float
        Its place in the list of its table.
    rows : int
        How many rows the list has.
    effects : tuple of Effect
        What its values add to its place, against those that other rows have; the largest first.
    notes : tuple of str
        Harmless differences between the table and that of the training.
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
    """Say which values of a row move it up or down the list of its table, against the values other rows have.

    Parameters
    ----------
    model : TableModel or path
        The model of a `FitResult`, or a file that `fit` wrote.
    table : path, pandas.DataFrame, polars.DataFrame or pyarrow.Table
        The rows of the list.
    row : str or int
        The row's identifier, or its number from 1 on where the model knows no identifier (of a pandas table: its
        index).
    random_state : int
        Seed of the draw of the other rows.
    on_step : callable, optional
        Called with a few words as each stage begins.

    Returns
    -------
    ExplainResult
        The place of the row in the list, and what each of its values adds to it.
    """
    scorer = as_model(model)
    data = to_table(table, known=scorer.known, as_text=[] if scorer.id_column is None else [scorer.id_column])
    frame = data.frame
    notes = [*scorer.check(list(map(str, frame.columns))), *data.notes, *about_effects(scorer)]
    ids = by_name.row_names(data.texts, scorer.id_column).astype(str)
    if len(frame) == 1:
        raise InputError(
            "A place in a list needs other rows to compare with; the table has one row.",
            "give the whole list; podium score --reasons compares a row with those of the training instead.",
        )
    at = np.flatnonzero(ids == str(row))
    if not len(at):
        raise InputError(f"The row must be one of the table; there is no {row!r}.", f"rows are {ids.iloc[0]!r}, …")
    if len(at) > 1:
        notes.append(f"{len(at):,} rows have the identifier {str(row)!r}; this is the first of them.")
    ranked = ranked_list(pd.Series(np.arange(len(ids))), scorer.scores(frame))
    place = ranked[ranked["id"] == at[0]].iloc[0]
    on_step("changing one value after the other")
    rng = np.random.default_rng(random_state)
    effects = row_effects(scorer, frame[list(scorer.kinds)], int(at[0]), rng)
    return ExplainResult(
        id=str(row),
        score=float(place["score"]),
        rank=int(place["rank"]),
        percentile=float(place["percentile"]),
        rows=len(ranked),
        effects=tuple(effects),
        notes=tuple(notes),
    )
