"""``podium explain``: why a row has its place in the list."""

from __future__ import annotations

from typing import Annotated

import typer

from podium import workflow
from podium.cli import options
from podium.cli.render import Steps, effect_rows, say, show_json, show_table, talk

HELP = """Example: podium explain loans/model.podium loans.csv --row 4711
"""


def run(
    model: options.Model,
    data: options.Data,
    row: Annotated[
        list[str],
        typer.Option(help="A row's identifier, or its number from 1; repeatable.", show_default=False, metavar="ID"),
    ],
    seed: options.Seed = 0,
    as_json: options.Json = False,
) -> None:
    """Parse, call, render."""
    with Steps("reading") as steps:
        results = [workflow.explain(model, data, one, random_state=seed, on_step=steps.begin) for one in row]
    talk(*dict.fromkeys(note for result in results for note in result.notes))
    if as_json:
        show_json(results[0] if len(results) == 1 else results)
        return
    for result in results:
        say(repr(result))
        title = "Effects of its values, in percent of the list"
        show_table(title, ("value", "effect", "95 % of this mean"), effect_rows(result.effects[:10]))
