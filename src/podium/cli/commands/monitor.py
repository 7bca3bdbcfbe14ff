"""``podium monitor``: has anything changed since the model was trained."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from podium import workflow
from podium.cli import options
from podium.cli.progress import Steps
from podium.cli.render import say, show_json, talk

HELP = """May be run after every batch, for ever, without more false alarms. A small JSON file beside the model keeps
what is needed to go on; a page beside that shows the curves over time. A batch whose labels come later is given again.

Example: podium monitor loans/model.podium loans_of_march.csv --reference loans.csv
"""

_Number = float | None


def run(
    model: options.Model,
    data: options.Data,
    state: Annotated[
        Path | None, typer.Option(help="The file to go on from; default: model.monitor.json beside the model.")
    ] = None,
    reference: Annotated[
        Path | None, typer.Option(help="Rows such as those of the training, to compare columns with.")
    ] = None,
    phi: Annotated[
        str | None, typer.Option(help="Which part of the list matters; default: as the model was trained for.")
    ] = None,
    tolerance: Annotated[_Number, typer.Option(help="Fall of performance that is not worth an alarm.")] = None,
    threshold: Annotated[_Number, typer.Option(help="Watch the precision of rows with this score or more.")] = None,
    confidence: Annotated[
        _Number, typer.Option(help="Probability that no false alarm is ever raised; default: 0.95.", metavar="LEVEL")
    ] = None,
    average_run_length: Annotated[
        _Number, typer.Option(help="Scores between false alarms of drift, on average, instead.", metavar="N")
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Parse, call, render."""
    with Steps("reading") as steps:
        result = workflow.monitor(
            model,
            data,
            state=state,
            reference=reference,
            phi=phi,
            tolerance=tolerance,
            threshold=threshold,
            confidence_level=confidence,
            average_run_length=average_run_length,
            on_step=steps.begin,
        )
    talk(*result.notes)
    if as_json:
        show_json(result)
        return
    say(*str(result).splitlines(), result.state, str(Path(result.state).with_suffix(".html")))
