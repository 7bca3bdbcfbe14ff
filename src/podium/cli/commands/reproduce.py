"""``podium reproduce``: the tables and figures of the papers."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

import podium  # whose parts are loaded when they are asked for
from podium._progress import listening
from podium.cli import options
from podium.cli.errors import echo_error
from podium.cli.render import Steps, say, show_json, show_table, talk
from podium.exceptions import InputError

HELP = """Writes NAME.png, NAME.svg, NAME.csv and NAME.json. An interrupted run continues where it stopped.

Example: podium reproduce r09-table1 a05-fig4 --quick
"""
INTERRUPTED = 130  # as shells do: 128 + SIGINT


def complete(incomplete: str) -> list[str]:
    """Names with this prefix, for shell completion."""
    return [name for name in podium.experiments.EXPERIMENTS if name.startswith(incomplete)]


def run(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAMES", help="The experiments to run.", autocompletion=complete)
    ] = None,
    listing: Annotated[bool, typer.Option("--list", help="Show the names and stop.")] = False,
    every: Annotated[bool, typer.Option("--all", help="Run all experiments.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Run fewer and smaller trials, seconds each.")] = False,
    seed: options.Seed = 0,
    out: Annotated[Path, typer.Option(help="The folder to write into.", metavar="DIR")] = Path("reproduction"),
    jobs: Annotated[int, typer.Option(help="Number of processes.", metavar="J", min=1)] = 1,
    force: Annotated[bool, typer.Option("--force", help="Overwrite results of another size or seed.")] = False,
    as_json: options.Json = False,
) -> None:
    """Parse, run, print."""
    if listing:
        _list(as_json)
        return
    if not names and not every:
        raise InputError("Name the experiments to run, or pass --all.", "podium reproduce --list shows them.")
    for name in names or ():
        options.one_of("The experiment", name, tuple(podium.experiments.EXPERIMENTS))
    chosen = tuple(podium.experiments.EXPERIMENTS if every else dict.fromkeys(names or ()))
    done: list[podium.experiments.Reproduction] = []
    failed: list[str] = []
    for place, name in enumerate(chosen, start=1):
        label, start = f"[{place}/{len(chosen)}] {name}", time.monotonic()
        try:
            done.append(_one(name, label, out, quick, seed, jobs, force))
        except KeyboardInterrupt:
            talk(f"{label}: interrupted; run the same command again to continue.")
            raise typer.Exit(INTERRUPTED) from None
        except (InputError, OSError) as error:  # a missing table must not stop the other experiments
            echo_error(f"{label}: {error}")
            failed.append(name)
            continue
        talk(f"{label}: {time.monotonic() - start:.1f} s")
        if not as_json:
            outcome = done[-1].outcome
            say(f"{name} {outcome.verdict}{f' ({outcome.counts})' if outcome.claims else ''}: {outcome.sentence}")
    _summarize(done, out, as_json)
    if failed:
        echo_error(f"{len(failed)} of {len(chosen)} could not be run: {', '.join(failed)}.")
        raise typer.Exit(1 if done else 2)


def _list(as_json: bool) -> None:
    every = podium.experiments.EXPERIMENTS.values()
    if as_json:
        show_json([{key: getattr(e, key) for key in ("name", "source", "revision", "title", "table")} for e in every])
    else:
        rows = [(e.name, e.where, e.title, e.table) for e in every]
        show_table("Experiments", ("name", "where", "what it shows", "table"), rows, words=True)


def _one(
    name: str, label: str, out: Path, quick: bool, seed: int, jobs: int, force: bool
) -> podium.experiments.Reproduction:
    with Steps(label) as steps, listening(None):  # what trials tell of themselves is not about the whole
        return podium.experiments.reproduce(
            podium.experiments.EXPERIMENTS[name],
            out,
            quick=quick,
            seed=seed,
            jobs=jobs,
            force=force,
            on_trial=lambda done, total: steps.show(done / total),
        )


def _summarize(done: Sequence[podium.experiments.Reproduction], out: Path, as_json: bool) -> None:
    if as_json:
        show_json(
            [
                {
                    "name": r.experiment.name,
                    "verdict": r.outcome.verdict,
                    "claims": r.outcome.counts,
                    "sentence": r.outcome.sentence,
                    "errata": list(r.outcome.errata),
                    "files": [str(path) for path in r.files],
                }
                for r in done
            ]
        )
    elif done:
        verdicts = Counter(r.outcome.verdict for r in done)
        say(f"{len(done)} written to {out} ({', '.join(f'{verdict}: {n}' for verdict, n in verdicts.items())})")
