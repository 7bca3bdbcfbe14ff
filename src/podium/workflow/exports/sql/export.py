"""A model as text that other systems run."""

from __future__ import annotations

import os

from podium import __version__, _input
from podium.tables import TableModel
from podium.workflow.exports.sql.columns import SECONDS, SqlColumns
from podium.workflow.exports.sql.scores import score_of
from podium.workflow.exports.sql.words import name
from podium.workflow.score import as_model

_SOURCE, _ENCODED = "podium_rows", "podium_encoded"  # what the query calls the table, and what is made of it


def export_sql(model: TableModel | str | os.PathLike[str], *, table: str = "new_rows", dialect: str = "ansi") -> str:
    """One SELECT statement that scores the rows of a table in a database, as `score` would.

    Lines, LightGBM's trees and ranking trees can be written so, with numbers, categories and dates as columns; free
    text and other models cannot. Scores agree to rounding. The columns of the table must have the types of their
    values: numbers (currency signs and decimal commas are for the import to read), truth values, text, and dates or
    times in UTC.

    Parameters
    ----------
    model : TableModel or path
        The model of a `FitResult`, or a file that `fit` wrote.
    table : str
        The name of the database's table, with its schema before a dot where it has one.
    dialect : {"ansi", "sqlite"}
        SQLite has functions of its own for dates. Else the statement is standard SQL with LN, FLOOR, SIN and COS, and
        EXTRACT(EPOCH …) for dates, as PostgreSQL and DuckDB know them.

    Returns
    -------
    str
        The statement. Its result has the column that identifies rows, where the model knows one, and otherwise the
        columns that it reads; and ``score``.
    """
    scorer = as_model(model)
    _input.check_choice("dialect", dialect, tuple(SECONDS))
    columns = SqlColumns(scorer, dialect, _SOURCE).expressions()
    taken = {one.casefold() for one in scorer.kinds}
    names = [f"podium_{'x' * any(c.startswith('podium_') for c in taken)}{j}" for j in range(len(columns))]
    score = score_of(scorer.ranker, names)
    shown = list(scorer.kinds) if scorer.id_column is None else [scorer.id_column]
    encoded = [f"{expression} AS {one}" for expression, one in zip(columns, names, strict=True)]
    kept = [f"{_SOURCE}.{name(one)}" for one in shown]
    about = " ".join(f"{scorer.label} = {scorer.positive}".split())
    rows = [
        "  SELECT " + ",\n    ".join([*kept, *encoded]),
        f"  FROM {'.'.join(map(name, table.split('.')))} AS {_SOURCE}",
    ]
    # SQLite would put the expression of a column wherever it is used, again and again.
    before, inner = ([f"WITH {_ENCODED} AS MATERIALIZED (", *rows, ")"], []) if dialect == "sqlite" else ([], rows)
    return "\n".join(
        [
            f"-- Scores for {about}: larger is more likely. Made by podium {__version__}.",
            *before,
            f"SELECT {', '.join(name(one) for one in shown)},",
            f"  {score} AS score",
            *(["FROM (", *inner, f") AS {_ENCODED}"] if inner else [f"FROM {_ENCODED}"]),
        ]
    )
