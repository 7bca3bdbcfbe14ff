"""``podium test``: whether two groups of rows differ."""

from __future__ import annotations

from typing import Annotated

import typer

from podium import workflow
from podium.cli import options
from podium.cli.render import Steps, say, show_json, talk

HELP = """With one column of numbers, a rank test. With several columns, a score is learned on one half of the rows and
tested on the other.

Example: podium test trial.csv --label treated --column outcome --phi power:3
"""


def run(
    data: options.Data,
    label: Annotated[
        str, typer.Option(help="The column that defines the two groups.", show_default=False, metavar="COL")
    ],
    column: Annotated[
        list[str] | None, typer.Option(help="A column to test; repeatable; default: all.", metavar="COL")
    ] = None,
    positive: Annotated[
        list[str] | None,
        typer.Option(help="The value of the first group, if not 1 or true; repeatable.", metavar="VALUE"),
    ] = None,
    phi: options.Spec = "auc",
    alternative: Annotated[
        str, typer.Option(help="For one column: two-sided, greater or less.", metavar="NAME")
    ] = "two-sided",
    seed: options.Seed = 0,
    as_json: options.Json = False,
) -> None:
    """Parse, call, render."""
    with Steps("reading") as steps:
        result = workflow.two_sample_test(
            data,
            label=label,
            columns=column or (),
            positive=positive,
            phi=phi,
            alternative=alternative,
            random_state=seed,
            on_step=steps.begin,
        )
    talk(*result.notes)
    if as_json:
        show_json(result.test)
    else:
        say(repr(result.test))
