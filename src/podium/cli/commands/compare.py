"""``podium compare``: is one score better than another."""

from __future__ import annotations

from typing import Annotated

import typer

from podium import _input, inference, tables
from podium.cli import options
from podium.cli.progress import Steps
from podium.cli.render import say, show_json, show_table, talk
from podium.inference import Comparisons
from podium.tables.columns import by_name

HELP = """Compare two or more columns of scores of the same rows; many comparisons are corrected by Holm's method.

Example: podium compare both.csv --label y --score old --score new --phi power:3
"""


def run(
    scores: options.Scores,
    label: options.Label,
    score: Annotated[list[str], typer.Option(help="A column of scores; at least two.", show_default=False)],
    positive: options.Positive = None,
    phi: options.Spec = "auc",
    confidence: options.Confidence = 0.95,
    as_json: options.Json = False,
) -> None:
    """Parse, compare, print."""
    with Steps("reading") as steps:
        frame, notes = by_name.labelled(tables.read(scores), label)
        by_name.require(frame, score, "score")
        y, _ = tables.positives(frame[label], positive)
        columns = {name: _input.check_scores(frame[name], f"the column {name!r}") for name in score}
        steps.begin("comparing")
        found = inference.compare(y, columns, phi=phi, confidence_level=confidence)
    talk(*notes)
    if as_json:
        show_json(found.to_dict())
        return
    pairs = found.pairs if isinstance(found, Comparisons) else (found,)
    rows = [
        (" − ".join(p.names), f"{p.difference:+.4f}", f"{p.low:+.4f} to {p.high:+.4f}", f"{p.adjusted_pvalue:.3g}")
        for p in pairs
    ]
    show_table(f"Differences of ω[{pairs[0].phi}]", ("scores", "difference", f"{confidence:.0%} interval", "p"), rows)
    say(*dict.fromkeys(f"Note: {p.note}." for p in pairs if p.note))
