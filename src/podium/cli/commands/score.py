"""``podium score``: rank the rows of a table, which may be larger than memory."""

from __future__ import annotations

from typing import Annotated

import typer

from podium import workflow
from podium.cli import options
from podium.cli.render import Steps, say, show_json, show_list, talk

HELP = """Written as CSV to standard output, or to a file (.csv, .parquet, .xlsx) with a page about the list beside it.

Example: podium score loans/model.podium new_loans.csv --top 100 --out first_100.csv
"""


def run(
    model: options.Model,
    data: options.Rows,
    top: Annotated[int | None, typer.Option(help="Only the first K rows of the list.", metavar="K")] = None,
    id_column: Annotated[
        str | None,
        typer.Option("--id", help="The column that identifies rows; default: the one used in training.", metavar="COL"),
    ] = None,
    keep: Annotated[
        list[str] | None, typer.Option(help="A column to copy into the list; repeatable.", metavar="COL")
    ] = None,
    reasons: Annotated[
        int,
        typer.Option(help="For each row, name the N columns that contribute most to its score.", metavar="N", min=0),
    ] = 0,
    explore: options.Explore = 0,
    explore_for: options.ExploreFor = "recall",
    seed: options.Seed = 0,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse a table that does not resemble the training rows.")
    ] = False,
    out: options.OutFile = None,
    force: options.Force = False,
    memory: options.Memory = None,
    as_json: options.Json = False,
) -> None:
    """Parse, call, render."""
    from podium.tables.files.csv import to_csv  # here: --help does not need them
    from podium.workflow.score import list_files

    options.refuse_existing(list_files(out) if out else [], force)
    with Steps("scoring"):
        result = workflow.score(
            model,
            data,
            top=top,
            id_column=id_column,
            keep=keep or (),
            reasons=reasons,
            explore=explore,
            explore_for=explore_for,
            random_state=seed,
            strict=strict,
            memory=options.bytes_of(memory),
            command=options.command(),
        )
    talk(*(f"Warning: {warning}" for warning in result.warnings), *result.notes)
    talk(f"{result.report.headline}.")
    if out:
        say(*map(str, result.save(out)))
    elif as_json:
        show_json(result.scores.to_dict("records"))
    else:
        show_list(to_csv(result.scores))
