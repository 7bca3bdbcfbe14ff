"""``podium export``: a model for other systems."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from podium import workflow
from podium._files import write_file
from podium.cli import options
from podium.cli.render import say, show_list
from podium.exceptions import InputError

HELP = """SQL is written to standard output, or to a file; lines, boosted trees and ranking trees can be SQL.

Example: podium export loans/model.podium --sql --table new_loans --out score.sql
"""


def run(
    model: options.Model,
    sql: Annotated[bool, typer.Option("--sql", help="One SELECT statement that scores a table.")] = False,
    table: Annotated[str, typer.Option(help="The table in the database.", metavar="NAME")] = "new_rows",
    dialect: Annotated[str, typer.Option(help="ansi (PostgreSQL, DuckDB, …) or sqlite.", metavar="NAME")] = "ansi",
    out: Annotated[Path | None, typer.Option(help="The file to write; default: standard output.")] = None,
    force: options.Force = False,
) -> None:
    """Parse, call, render."""
    options.refuse_existing([out] if out else [], force)
    options.one_of("--dialect", dialect, ("ansi", "sqlite"))
    if not sql:
        raise InputError("An export needs its form.", "--sql makes one SELECT statement.")
    statement = workflow.export_sql(model, table=table, dialect=dialect) + ";\n"
    if out is None:
        show_list(statement)
    else:
        write_file(out, statement)
        say(str(out))
