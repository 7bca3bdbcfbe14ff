"""``podium fit``: from a table to a model, a report and a ranked list."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from podium import persist, report, tables
from podium.cli import options
from podium.cli.progress import Steps
from podium.cli.render import plain, say, show_json, show_table, talk
from podium.phi import Phi, resolve
from podium.report.wording import phi_in_words
from podium.tables.listing import Listing, to_csv
from podium.workflow import outputs
from podium.workflow.candidates import MODELS
from podium.workflow.training import Task, Trained, train

HELP = """Learn from a table which rows belong on top, and judge the result on rows never used before.

Writes model.podium, report.html, metrics.json and scores.csv (the rows held out, best first).

Example: podium fit loans.csv --label defaulted --budget 100 --out loans
"""
FILES = ("model.podium", "report.html", "metrics.json", "scores.csv")


def run(
    data: options.Data,
    label: options.Label,
    positive: options.Positive = None,
    budget: options.Budget = None,
    population: Annotated[int | None, typer.Option(help="Out of how many; default: all here.", metavar="N")] = None,
    fraction: Annotated[float | None, typer.Option(help="The share of the list that matters.", metavar="F")] = None,
    phi: Annotated[
        str | None, typer.Option(help="Which part matters: auc, power:3, smooth-top:0.95, …", metavar="SPEC")
    ] = None,
    model: Annotated[str, typer.Option(help=f"One of {', '.join(MODELS)}.", metavar="NAME")] = "auto",
    criterion: Annotated[
        str | None, typer.Option(help="What training maximises: auc, push:4, logloss, …", metavar="SPEC")
    ] = None,
    holdout: Annotated[float, typer.Option(help="Share of the rows kept to judge by.", metavar="SHARE")] = 0.3,
    test: Annotated[Path | None, typer.Option(help="Judge by the rows of this file instead.", metavar="FILE")] = None,
    id_column: Annotated[
        str | None, typer.Option("--id", help="The column that identifies rows.", metavar="COL")
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(help="A column not to learn from; repeatable.", metavar="COL")
    ] = None,
    seed: options.Seed = 0,
    time_limit: Annotated[
        float,
        typer.Option(
            help="Seconds to choose a model in, about, and as many to train it on all rows.", metavar="SECONDS"
        ),
    ] = 120.0,
    out: Annotated[Path, typer.Option(help="The folder to write into.", metavar="DIR")] = Path("podium-out"),
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Parse, train, write, print."""
    outputs.refuse_existing([out / name for name in FILES], force)

    def emphasis(n_rows: int) -> tuple[Phi, int | None]:
        return options.emphasis(phi, budget, population, fraction, n_rows)

    options.one_of("--model", model, MODELS)
    task = Task(
        label, positive, lambda n: emphasis(n)[0], model, criterion, holdout, id_column, exclude or (), seed, time_limit
    )
    with Steps("reading") as steps:
        judged = None if test is None else tables.read(test)
        trained = train(tables.read(data), judged, task, steps.begin)
        steps.begin("writing the report")
        page = report.build(
            trained.is_positive,
            trained.scores,
            phi=trained.model.phi,
            budget=emphasis(trained.model.facts["rows"])[1],
            population=population or trained.model.facts["rows"],
            title=f"{data.name}: {label} = {trained.model.positive}",
            candidates=trained.candidates,
            effects=trained.effects,
            data_notes=[*trained.warnings, *trained.notes],
            provenance={"command": shlex.join(["podium", *sys.argv[1:]]), "seed": seed, "versions": persist.versions()},
        )
        summary = plain({**page.summary, "chosen": trained.choice.name, "validation": trained.choice.validation})
        listing = Listing()
        listing.add(trained.ids, trained.scores, label=trained.is_positive.astype(int))
        contents = (persist.dumps(trained.model), page.html, json.dumps(summary, indent=2), to_csv(listing.frame()))
        outputs.write(out, dict(zip(FILES, contents, strict=True)))
    talk(*trained.warnings)
    if as_json:
        show_json(summary)
    else:
        _show(trained, page.headline, out)


def _show(trained: Trained, headline: str, out: Path) -> None:
    say(headline)
    if trained.choice.validation:
        rows = [
            (name + (" ← chosen" if name == trained.choice.name else ""), value)
            for name, value in sorted(trained.choice.validation.items(), key=lambda item: -item[1])
        ]
        show_table(f"Tried on validation rows, by ω ({phi_in_words(resolve(trained.model.phi))})", ("model", "ω"), rows)
    strongest = [(e.name, f"{e.effect:+.1f}", f"{e.low:+.1f} to {e.high:+.1f}") for e in trained.effects[:5]]
    show_table("What moves rows up (+) or down (−), in percent of the list", ("change", "effect", "95 %"), strongest)
    say(*(f"{out / name}" for name in FILES))
