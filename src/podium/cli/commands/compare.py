"""``podium compare``: is one score better than another."""

from __future__ import annotations

from typing import Annotated

import typer

from podium import workflow
from podium._results.wording import level
from podium.cli import options
from podium.cli.progress import Steps
from podium.cli.render import say, show_json, show_table, talk

HELP = """Example: podium compare both.csv --label y --score old --score new --phi power:3
"""


def run(
    scores: options.Scores,
    label: options.Label,
    score: Annotated[list[str], typer.Option(help="A column of scores; at least two.", show_default=False)],
    positive: options.Positive = None,
    phi: options.Spec = "auc",
    confidence: options.Confidence = 0.95,
    memory: options.Memory = None,
    as_json: options.Json = False,
) -> None:
    """Parse, call, render."""
    with Steps("reading") as steps:
        result = workflow.compare(
            scores,
            label=label,
            scores=score,
            positive=positive,
            phi=phi,
            confidence_level=confidence,
            memory=options.bytes_of(memory),
            on_step=steps.begin,
        )
    talk(*result.notes)
    if as_json:
        show_json(result.comparisons)
        return
    rows = [
        (" − ".join(p.names), f"{p.difference:+.4f}", f"{p.low:+.4f} to {p.high:+.4f}", f"{p.adjusted_pvalue:.3g}")
        for p in result.pairs
    ]
    title = f"Differences of ω[{result.pairs[0].phi}]"
    show_table(title, ("scores", "difference", f"{level(confidence)} interval", "p"), rows)
    say(*dict.fromkeys(f"Note: {p.note}." for p in result.pairs if p.note))
