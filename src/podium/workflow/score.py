"""Rank the rows of a table by a model; a file may be larger than memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from podium import _input, persist
from podium._files import write_file
from podium._results.result import Result
from podium.exceptions import InputError
from podium.persist.files import unusable
from podium.tables import Table, TableModel, chunks, column_names, is_path, to_table
from podium.tables.columns import by_name
from podium.tables.listing import Listing, to_csv
from podium.tables.rehearsal import rehearse


@dataclass(frozen=True, kw_only=True, repr=False)
class ScoreResult(Result):
    """The ranked list.

    Attributes
    ----------
    scores : pandas.DataFrame
        Columns id, score, rank (1 is best; ties share the better one) and percentile (100 is best), best row first.
    n_rows : int
        How many rows were ranked, also where only the first are listed.
    notes : tuple of str
        Harmless differences between the table and that of the training.
    """

    scores: pd.DataFrame
    n_rows: int
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"scores": self.scores.to_dict("records"), "n_rows": self.n_rows, "notes": list(self.notes)}

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the list as CSV; identifiers that a spreadsheet would run as formulas get an apostrophe in front."""
        write_file(Path(path), to_csv(self.scores))
        return Path(path)

    def __repr__(self) -> str:
        return f"ScoreResult(the first {len(self.scores):,} of {self.n_rows:,} rows)"

    def _repr_html_(self) -> str:
        return self.scores.head(100).to_html(index=False)


def score(model: TableModel | str | os.PathLike[str], table: Any, *, top: int | None = None) -> ScoreResult:
    """Rank the rows of a table.

    Parameters
    ----------
    model : TableModel or path
        The model of a `FitResult`, or a file that `fit` wrote.
    table : path, pandas.DataFrame, polars.DataFrame or pyarrow.Table
        The rows; a file is read piece by piece. Columns are matched by name, others are ignored.
    top : int, optional
        List only so many rows; all of them are ranked in any case.
    """
    listing = Listing(None if top is None else _input.check_integer("top", top, 1))
    scorer = as_model(model)
    notes = dict.fromkeys(scorer.check(_names(table)))  # in order, each once
    for piece in _pieces(table, scorer):
        notes |= dict.fromkeys(piece.notes)
        listing.add(by_name.row_names(piece.texts, scorer.id_column), scorer.scores(piece.frame))
    return ScoreResult(scores=listing.frame(), n_rows=listing.n_rows, notes=tuple(notes))


def as_model(model: TableModel | str | os.PathLike[str]) -> TableModel:
    """A model, or the one in a file, whose parts must fit together."""
    if isinstance(model, TableModel):
        return model
    found = persist.load(model)
    if not isinstance(found, TableModel):
        raise InputError(f"The model file {model} must hold a model of a table; it holds a {type(found).__name__}.")
    try:
        rehearse(found)
    except Exception as error:  # whatever parts that do not fit lead to
        raise unusable(model, error) from None
    return found


def _names(table: Any) -> list[str]:
    return column_names(table) if is_path(table) else [str(name) for name in getattr(table, "columns", ())]


def _pieces(table: Any, scorer: TableModel) -> Iterator[Table]:
    as_text = [] if scorer.id_column is None else [scorer.id_column]
    if not is_path(table):
        yield to_table(table, known=scorer.known, as_text=as_text)
        return
    first = 1
    for piece in chunks(table, scorer.known, as_text):
        n_rows = len(piece.frame)
        piece.frame.index = piece.texts.index = pd.RangeIndex(first, first + n_rows)
        first += n_rows
        yield piece
