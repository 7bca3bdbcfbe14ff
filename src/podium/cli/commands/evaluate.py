"""``podium evaluate``: how well a column of scores ranks, with uncertainty."""

from __future__ import annotations

from typing import Annotated

import typer

from podium import workflow
from podium._results.wording import level, statistic
from podium.cli import options
from podium.cli.render import Steps, say, show_bounds, show_json, show_table, talk

HELP = """Example: podium evaluate loans/scores.csv --label label --score score --phi auc --phi power:3 --budget 100
"""


def run(
    scores: options.Scores,
    label: options.Label,
    score: Annotated[
        str, typer.Option(help="The column of scores; larger means more positive.", metavar="COL")
    ] = "score",
    positive: options.Positive = None,
    phi: Annotated[
        list[str] | None,
        typer.Option(help="Which part of the list matters; repeatable; default: auc, power:3.", metavar="SPEC"),
    ] = None,
    budget: options.Budget = None,
    population: Annotated[
        int | None, typer.Option(help="Length of the list the budget applies to; default: these rows.", metavar="N")
    ] = None,
    prevalence: Annotated[
        float | None,
        typer.Option(help="Share of positives in that list; default: that of these rows.", metavar="SHARE"),
    ] = None,
    time: options.Time = None,
    every: options.Every = None,
    per: options.Per = None,
    unlabeled: options.Unlabeled = None,
    confidence: options.Confidence = 0.95,
    memory: options.Memory = None,
    as_json: options.Json = False,
) -> None:
    """Parse, call, render."""
    with Steps("reading") as steps:
        result = workflow.evaluate(
            scores,
            label=label,
            score=score,
            positive=positive,
            phi=phi or ("auc", "power:3"),
            budget=budget,
            population=population,
            prevalence=prevalence,
            time=time,
            every=every,
            per=per,
            unlabeled=unlabeled,
            confidence_level=confidence,
            memory=options.bytes_of(memory),
            on_step=steps.begin,
        )
    talk(*(f"Warning: {warning}" for warning in result.warnings), *result.notes)
    if as_json:
        show_json(result)
        return
    title = f"{result.n_rows:,} rows, {result.n_pos:,} positive"
    from podium.inference import Interval  # here: --help does not need them
    from podium.inference.observed import Bounds

    known = [i for i in result.intervals if isinstance(i, Interval)]
    if known:
        rows = [(i.phi, i.estimate, f"{i.low:.4f} to {i.high:.4f}", i.method) for i in known]
        show_table(title, ("φ", "ω", f"{level(confidence)} interval", "method"), rows)
        say(*dict.fromkeys(f"Note: {i.note}." for i in known if i.note))
    else:
        show_bounds(title, {statistic(i.phi): i for i in result.intervals if isinstance(i, Bounds)})
    if (hits := result.hits) is not None:
        say(f"{hits}.")
    if least := result.hits_guaranteed:  # that at least none is a hit need not be said
        say(f"Guaranteed with probability {level(confidence)}: at least {least:,} hits in the first {budget:,}.")
    if result.calibration is not None:
        say(f"As probabilities: {result.calibration}.")
    if result.certificate is not None:
        say(str(result.certificate))
