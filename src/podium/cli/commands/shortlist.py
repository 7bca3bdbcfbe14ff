"""``podium shortlist``: select rows of a table with a guarantee."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from podium import workflow
from podium.cli import options
from podium.cli.render import Steps, say, show_json, show_list, talk
from podium.exceptions import InputError

HELP = """With --out, a page beside the list says what was asked and what is guaranteed.

One question at a time: --fdr (default 0.1), --recall, --fpr, --precision, --rows, or --gain with --cost.

Example: podium shortlist loans/model.podium new_loans.csv --recall 0.95 --out to_check.csv
"""

_Rate = float | None


def run(
    model: options.Model,
    data: options.Data,
    fdr: Annotated[
        _Rate, typer.Option(help="Largest expected share of negatives among the selected rows.", metavar="SHARE")
    ] = None,
    recall: Annotated[_Rate, typer.Option(help="Smallest share of all positives to select.", metavar="SHARE")] = None,
    fpr: Annotated[_Rate, typer.Option(help="Largest share of all negatives to select.", metavar="SHARE")] = None,
    precision: Annotated[
        _Rate, typer.Option(help="Smallest share of positives among the selected rows.", metavar="SHARE")
    ] = None,
    rows: Annotated[
        int | None,
        typer.Option(help="Most rows to select; may be chosen after looking, by the slider of the page.", metavar="K"),
    ] = None,
    gain: Annotated[_Rate, typer.Option(help="Gain of a selected positive; with --cost.", metavar="VALUE")] = None,
    cost: Annotated[_Rate, typer.Option(help="Cost of every selected row; with --gain.", metavar="VALUE")] = None,
    confidence: Annotated[
        _Rate,
        typer.Option(help="Confidence of the guarantee; default: 0.95. Not for --fdr and --rows.", metavar="LEVEL"),
    ] = None,
    calibration: Annotated[
        Path | None,
        typer.Option(help="Other labeled rows for calibration; default: those held out in fit.", metavar="FILE"),
    ] = None,
    tie_break: Annotated[
        str | None,
        typer.Option(help="Column that orders rows of equal score; with --fdr and --calibration.", metavar="COL"),
    ] = None,
    randomize: Annotated[
        bool, typer.Option("--randomize", help="Break ties, or reach the rate exactly, at random (--seed).")
    ] = False,
    explore: options.Explore = 0,
    explore_for: options.ExploreFor = "recall",
    seed: options.Seed = 0,
    out: options.OutFile = None,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Parse, call, render."""
    from podium.tables.files.csv import to_csv  # here: --help does not need them
    from podium.workflow.score import list_files

    options.refuse_existing(list_files(out) if out else [], force)
    rates = {"fdr": fdr, "recall": recall, "fpr": fpr, "precision": precision, "rows": rows}
    asked = [name for name, rate in rates.items() if rate is not None]
    if gain is not None or cost is not None:
        asked.append("cost")
    if len(asked) > 1:
        raise InputError(f"A shortlist takes one criterion; got {', '.join(f'--{name}' for name in asked)}.")
    by = asked[0] if asked else "fdr"
    with Steps("reading") as steps:
        result = workflow.shortlist(
            model,
            data,
            by=by,
            rate=rates.get(by),
            gain=gain,
            cost=cost,
            confidence_level=confidence,
            calibration=calibration,
            tie_break=tie_break,
            randomize=randomize,
            explore=explore,
            explore_for=explore_for,
            random_state=seed,
            command=options.command(),
            on_step=steps.begin,
        )
    talk(*(f"Warning: {warning}" for warning in result.warnings), *result.notes)
    files = result.save(out) if out else ()
    if as_json:
        show_json(result.to_dict())
        return
    if not out:
        show_list(to_csv(result.scores))
    (say if out else talk)(*map(str, files), *str(result.shortlist).splitlines())
    if result.shortlist.n_chosen == 0:
        talk("No cut reaches this with certainty: the page of --out shows what can be stated of other cuts (--rows).")
