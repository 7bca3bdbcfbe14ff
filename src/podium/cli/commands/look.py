"""``podium look``: what a table holds, and what to settle before a model is fitted."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from podium import workflow
from podium._results.wording import percent
from podium.cli import options
from podium.cli.render import Steps, say, show_json, show_table, talk
from podium.cli.spelling import on_command_line

HELP = """Nothing is fitted. Ends with the podium fit command to run.

Example: podium look loans.csv --label defaulted --out look.html
"""


def run(
    data: options.Data,
    label: Annotated[
        str | None,
        typer.Option(help="The column that says which rows belong on top; default: one of two values.", metavar="COL"),
    ] = None,
    positive: options.Positive = None,
    out: Annotated[Path | None, typer.Option(help="A page to write.", metavar="FILE")] = None,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Parse, call, render."""
    options.refuse_existing([out] if out else [], force)
    with Steps("reading") as steps:
        result = workflow.look(data, label, positive=positive, command=options.command(), on_step=steps.begin)
    if out:
        result.report.save(out)
    if as_json:
        show_json(result.to_dict())
        return
    say(*(on_command_line(f"Doubt: {doubt}") for doubt in result.doubts))
    say(f"{result.report.headline}.", f"{result.labels}.")
    possible = [(one.column, one.values) for one in result.candidates]
    show_table("Columns of two values", ("column", "rows with each"), possible, words=True)
    rows = [(c.name, c.becomes, c.written or "–", percent(c.missing) if c.missing else "–") for c in result.columns]
    show_table("What each column becomes", ("column", "becomes", "written like", "missing"), rows, words=True)
    talk(*result.notes)
    say("", "The next step:", result.command, *([str(out)] if out else []))
