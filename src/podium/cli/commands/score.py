"""``podium score``: rank the rows of a table, which may be larger than memory."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from podium import workflow
from podium.cli import options
from podium.cli.progress import Steps
from podium.cli.render import say, show_json, talk
from podium.tables.listing import to_csv

HELP = """Rank the rows of a table by a model: id, score, rank and percentile as CSV, best first.

Example: podium score loans/model.podium new_loans.csv --top 100 --out first_100.csv
"""


def run(
    model: options.Model,
    data: options.Data,
    top: Annotated[int | None, typer.Option(help="Only the first K rows of the list.", metavar="K")] = None,
    out: Annotated[Path | None, typer.Option(help="The file to write; default: standard output.")] = None,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Parse, call, render."""
    options.refuse_existing([out] if out else [], force)
    with Steps("scoring"):
        result = workflow.score(model, data, top=top)
    talk(*result.notes)
    if out:
        say(str(result.save(out)))
    elif as_json:
        show_json(result.scores.to_dict("records"))
    else:
        say(to_csv(result.scores).rstrip("\n"))
