"""``podium plan``: how many rows below the top to look at."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from podium import workflow
from podium._results.wording import level
from podium.cli import options
from podium.cli.render import Steps, say, show_json, show_table

HELP = """Example: podium plan loans/model.podium new_loans.csv --top 100 --width 0.2 --out plan.html
"""


def run(
    model: options.Model,
    data: options.Data,
    top: Annotated[int, typer.Option(help="Rows inspected from the top in any case.", show_default=False, metavar="K")],
    width: Annotated[
        float, typer.Option(help="Wanted width of the interval: 0.2 is ± 10 percentage points.", metavar="WIDTH")
    ] = 0.2,
    explore_for: options.ExploreFor = "recall",
    confidence: options.Confidence = 0.95,
    out: Annotated[Path | None, typer.Option(help="A page with a picture to write.", metavar="FILE")] = None,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Parse, call, render."""
    options.refuse_existing([out] if out else [], force)
    with Steps("scoring"):
        result = workflow.plan(
            model,
            data,
            top=top,
            width=width,
            explore_for=explore_for,
            confidence_level=confidence,
            command=options.command(),
        )
        if out:
            result.report.save(out)
    if as_json:
        show_json(result)
        return
    rows = [(f"{one.looks:,}", f"{one.low:.4f} to {one.high:.4f}", one.width) for one in result.course]
    title = f"{result.figure[0].upper()}{result.figure[1:]} of all {result.n_rows:,} rows: what looks buy"
    show_table(title, ("rows drawn", f"{level(confidence)} interval to expect", "width"), rows)
    say(f"{result.report.headline}.", *([str(out)] if out else []))
