"""``podium compare``: whether one score ranks better than another."""

from __future__ import annotations

from typing import Annotated

import typer

from podium import workflow
from podium._results.wording import level, minus, pvalue, statistic
from podium.cli import options
from podium.cli.render import Steps, say, show_bounds, show_json, show_table, talk
from podium.exceptions import InputError

HELP = """Example: podium compare both.csv --label y --score old --score new --budget 100

With --margin the question is not whether scores differ, but whether they differ by less than what matters.
"""


def run(
    scores: options.Scores,
    label: options.Label,
    score: Annotated[
        list[str], typer.Option(help="A column of scores; give at least two.", show_default=False, metavar="COL")
    ],
    positive: options.Positive = None,
    phi: options.Spec = "auc",
    budget: options.Budget = None,
    margin: Annotated[
        float | None,
        typer.Option(help="Largest difference that does not matter, in φ's ω or in hits (--budget).", metavar="SIZE"),
    ] = None,
    not_worse: Annotated[
        bool,
        typer.Option("--not-worse", help="With --margin: whether the score named first is not worse than the others."),
    ] = False,
    unlabeled: options.Unlabeled = None,
    confidence: options.Confidence = 0.95,
    memory: options.Memory = None,
    as_json: options.Json = False,
) -> None:
    """Parse, call, render."""
    if not_worse and margin is None:
        raise InputError("--not-worse needs --margin, the largest difference that does not matter; got none.")
    with Steps("reading") as steps:
        result = workflow.compare(
            scores,
            label=label,
            scores=score,
            positive=positive,
            phi=phi,
            budget=budget,
            margin=margin,
            alternative="greater" if not_worse else "two-sided",
            unlabeled=unlabeled,
            confidence_level=confidence,
            memory=options.bytes_of(memory),
            on_step=steps.begin,
        )
    talk(*(f"Warning: {warning}" for warning in result.warnings), *result.notes)
    if as_json:
        show_json(result if result.comparisons is None else result.comparisons)
        return
    if result.bounds:
        show_bounds(statistic(next(iter(result.bounds.values())).phi), result.bounds)
        return
    times, digits = (1, 4) if budget is None else (budget, 1)
    rows = [
        (
            " − ".join(p.names),
            *(f"{times * value:.{digits}f}" for value in (p.estimate_a, p.estimate_b)),
            minus(f"{times * p.difference:+.{digits}f}"),
            minus(f"{times * p.low:+.{digits}f}" + ("" if not_worse else f" to {times * p.high:+.{digits}f}")),
            pvalue(p.adjusted_pvalue).removeprefix("p ").removeprefix("= "),
        )
        for p in result.pairs
    ]
    title = statistic(result.pairs[0].phi) if budget is None else f"Hits among the first {budget:,} rows"
    limits = f"at least, {level(confidence)} sure" if not_worse else f"{level(confidence)} interval"
    show_table(title, ("scores", "first", "second", "difference", limits, "p"), rows)
    say(*result.verdicts)
    say(*dict.fromkeys(f"Note: {p.note}." for p in result.pairs if p.note))
