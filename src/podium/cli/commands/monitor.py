"""``podium monitor``: has anything changed since the model was trained."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from podium import workflow
from podium.cli import options
from podium.cli.render import Steps, say, show_json, talk
from podium.exceptions import InputError

HELP = """Anytime-valid: run it after every batch without inflating the false-alarm rate. A small JSON file beside the
model keeps the state; a page beside it shows the curves over time. Pass a batch again when labels arrive, as often as
you like: each counts once. Columns inclusion (how likely each row was to be labeled) and when (the label came) are read
by themselves. With --exit-code an alarm ends with 3.

Example: podium monitor loans/model.podium loans_of_march.csv --reference loans.csv
"""

_Number = float | None
_ALARM = 3


def run(
    model: options.Model,
    data: options.Data,
    state: Annotated[
        Path | None,
        typer.Option(help="The state to continue from; default: model.monitor.json by the model.", metavar="FILE"),
    ] = None,
    reference: Annotated[
        Path | None, typer.Option(help="Rows like the training rows, to compare columns with.", metavar="FILE")
    ] = None,
    phi: Annotated[
        str | None, typer.Option(help="Which part of the list matters; default: as in training.", metavar="SPEC")
    ] = None,
    tolerance: Annotated[
        _Number, typer.Option(help="Decline of the standing or precision that may pass; default: 0.", metavar="SHARE")
    ] = None,
    threshold: Annotated[
        _Number, typer.Option(help="Watch the precision of rows with at least this score.", metavar="SCORE")
    ] = None,
    confidence: Annotated[
        _Number, typer.Option(help="Probability that no false alarm is ever raised; default: 0.95.", metavar="LEVEL")
    ] = None,
    average_run_length: Annotated[
        _Number,
        typer.Option(help="In place of --confidence: mean number of scores between false drift alarms.", metavar="N"),
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(help="What is exchangeable: batches, which may differ (default), or rows.", metavar="batch|row"),
    ] = None,
    as_json: options.Json = False,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit with 3 if there is an alarm.")] = False,
) -> None:
    """Parse, call, render."""
    with _named_by_options(), Steps("reading") as steps:
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
            unit=unit,
            on_step=steps.begin,
        )
    talk(*result.notes)
    if as_json:
        show_json(result)
    else:
        say(*str(result).splitlines(), result.state, str(Path(result.state).with_suffix(".html")))
    if exit_code and result.alarm:
        raise typer.Exit(_ALARM)


@contextmanager
def _named_by_options() -> Iterator[None]:
    """Errors name options of the command line, not arguments of Python."""
    try:
        yield
    except InputError as error:
        message = str(error)
        for name in ("average_run_length", "confidence_level", "tolerance", "threshold", "phi", "unit"):
            option = "--" + name.removesuffix("_level").replace("_", "-")
            message = re.sub(rf'\b{name}="(\w+)"', rf"{option} \1", message)
            message = re.sub(rf"\b{name}\b" if "_" in name else rf"^{name}(?= must)", option, message)
        raise type(error)(message) from None
