"""``podium explain``: why a row stands where it does."""

from __future__ import annotations

from typing import Annotated

import typer

from podium import workflow
from podium.cli import options
from podium.cli.progress import Steps
from podium.cli.render import effect_rows, say, show_json, show_table, talk

HELP = """Say which values of a row move it up or down the list of its table, against the values other rows have.

Example: podium explain loans/model.podium loans.csv --row 4711
"""


def run(
    model: options.Model,
    data: options.Data,
    row: Annotated[str, typer.Option(help="The row's identifier, or its number from 1 on.", show_default=False)],
    seed: options.Seed = 0,
    as_json: options.Json = False,
) -> None:
    """Parse, call, render."""
    with Steps("reading") as steps:
        result = workflow.explain(model, data, row, random_state=seed, on_step=steps.begin)
    talk(*result.notes)
    if as_json:
        show_json(result)
        return
    say(repr(result))
    title = "What its values add, in percent of the list"
    show_table(title, ("value", "effect", "95 %"), effect_rows(result.effects[:10]))
