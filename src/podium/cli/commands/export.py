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

HELP = """Works for every model but stacks and networks. SQL goes to standard output or to a file.

Example: podium export loans/model.podium --sql --table new_loans --out score.sql

Example: podium export loans/model.podium --onnx loans.onnx
"""


def run(
    model: options.Model,
    sql: Annotated[bool, typer.Option("--sql", help="Write one SELECT statement that scores a table.")] = False,
    table: Annotated[str, typer.Option(help="The table in the database.", metavar="NAME")] = "new_rows",
    dialect: Annotated[str, typer.Option(help="ansi (PostgreSQL, DuckDB, …) or sqlite.", metavar="NAME")] = "ansi",
    out: Annotated[
        Path | None, typer.Option(help="The SQL file to write; default: standard output.", metavar="FILE")
    ] = None,
    onnx: Annotated[Path | None, typer.Option(help="The ONNX file to write.", metavar="FILE")] = None,
    force: options.Force = False,
) -> None:
    """Parse, call, render."""
    if sql == (onnx is not None):
        raise InputError("Choose one format to export.", "--sql writes a SELECT statement, --onnx FILE a graph.")
    path = onnx or out
    options.refuse_existing([path] if path else [], force)
    options.one_of("--dialect", dialect, ("ansi", "sqlite"))
    content = workflow.export_onnx(model) if onnx else workflow.export_sql(model, table=table, dialect=dialect) + ";\n"
    if path is not None:
        write_file(path, content)
        say(str(path))
    elif isinstance(content, str):
        show_list(content)
