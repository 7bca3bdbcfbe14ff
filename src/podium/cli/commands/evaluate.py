"""``podium evaluate``: how good is a list of scores, and how sure is that."""

from __future__ import annotations

from typing import Annotated

import typer

from podium import _input, inference, tables
from podium.cli import options
from podium.cli.progress import Steps
from podium.cli.render import say, show_json, show_table, talk
from podium.tables.columns import by_name

HELP = """Judge scores by labels: ω for every φ asked for with its interval, hits within a budget, and a guarantee.

Example: podium evaluate loans/scores.csv --label label --score score --phi auc --phi power:3 --budget 100
"""


def run(
    scores: options.Scores,
    label: options.Label,
    score: Annotated[str, typer.Option(help="The column of scores; larger is more positive.", show_default=False)],
    positive: options.Positive = None,
    phi: Annotated[list[str] | None, typer.Option(help="Which part of the list matters; repeatable.")] = None,
    budget: options.Budget = None,
    confidence: options.Confidence = 0.95,
    as_json: options.Json = False,
) -> None:
    """Parse, judge, print."""
    with Steps("reading") as steps:
        frame, notes = by_name.labelled(tables.read(scores), label)
        by_name.require(frame, [score], "score")
        y, _ = tables.positives(frame[label], positive)
        s = _input.check_scores(frame[score], f"the column {score!r}")
        steps.begin("judging")
        intervals = [inference.interval(y, s, spec, confidence_level=confidence) for spec in phi or ("auc", "power:3")]
        promise = inference.certificate(y, s, (phi or ["auc"])[0], confidence_level=confidence)
        hits = None if budget is None else inference.precision_at_interval(y, s, k=budget, confidence_level=confidence)
    talk(*notes)
    if as_json:
        found = {"intervals": [i.to_dict() for i in intervals], "certificate": promise.to_dict()}
        show_json({**found, "hits": None if hits is None else hits.to_dict()})
        return
    title = f"{len(y):,} rows, {int(y.sum()):,} positive"
    rows = [(i.phi, i.estimate, f"{i.low:.4f} to {i.high:.4f}", i.method) for i in intervals]
    show_table(title, ("φ", "ω", f"{confidence:.0%} interval", "method"), rows)
    say(*(f"Note: {i.note}." for i in intervals if i.note))
    if hits is not None:
        say(f"Among the first {hits.k}: {hits.estimate:g} hits; in the next list expect {hits.low} to {hits.high}.")
    say(str(promise))
