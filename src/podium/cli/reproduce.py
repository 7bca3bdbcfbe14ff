"""``podium reproduce``: the tables and figures of the papers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from podium.cli import options
from podium.cli.render import complain, progress_bar, say, show_json, show_table
from podium.exceptions import InputError
from podium.experiments import EXPERIMENTS, Reproduction, reproduce

HELP = """Compute tables and figures of the papers again, beside the printed numbers.

Writes NAME.png, NAME.svg, NAME.csv and NAME.json. An interrupted run continues where it was.

Example: podium reproduce r09-table1 clv21-loc2 --quick
"""


def complete(incomplete: str) -> list[str]:
    """Names that begin so, for the shell."""
    return [name for name in EXPERIMENTS if name.startswith(incomplete)]


def run(
    names: Annotated[list[str] | None, typer.Argument(help="Which ones.", autocompletion=complete)] = None,
    listing: Annotated[bool, typer.Option("--list", help="Show the names and stop.")] = False,
    every: Annotated[bool, typer.Option("--all", help="All of them.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer and smaller trials.")] = False,
    seed: options.Seed = 0,
    out: Annotated[Path, typer.Option(help="The folder to write into.")] = Path("reproduction"),
    jobs: Annotated[int, typer.Option(help="Processes.", metavar="J", min=1)] = 1,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Parse, run, print."""
    if listing:
        rows = [(e.name, e.source, e.title) for e in EXPERIMENTS.values()]
        show_json(
            [dict(zip(("name", "source", "title"), row, strict=True)) for row in rows]
        ) if as_json else show_table("Experiments", ("name", "source", "what it shows"), rows)
        return
    if not names and not every:
        raise InputError("Experiments are given by name, or by --all; got none.", "podium reproduce --list shows them.")
    for name in names or ():
        options.one_of("The experiment", name, tuple(EXPERIMENTS))
    failed, done = [], []
    for name in EXPERIMENTS if every else dict.fromkeys(names or ()):
        try:
            done.append(_one(name, out, quick, seed, jobs, force))
        except (InputError, OSError) as error:  # a table that cannot be had must not end the others
            complain(f"{name}: {error}")
            failed.append(name)
            continue
        if not as_json:
            say(f"{name} {done[-1].outcome.verdict}: {done[-1].outcome.sentence}")
    if as_json:
        show_json(
            [{"name": r.experiment.name, "verdict": r.outcome.verdict, "sentence": r.outcome.sentence} for r in done]
        )
    elif done:
        say(f"{len(done)} written to {out}")
    if failed:
        complain(f"{len(failed)} could not be run: {', '.join(failed)}.")
        raise typer.Exit(1 if done else 2)


def _one(name: str, out: Path, quick: bool, seed: int, jobs: int, force: bool) -> Reproduction:
    with progress_bar() as bar:
        step = bar.add_task(name, total=None)
        return reproduce(
            EXPERIMENTS[name],
            out,
            quick=quick,
            seed=seed,
            jobs=jobs,
            force=force,
            on_trial=lambda done, total: bar.update(step, completed=done, total=total),
        )
