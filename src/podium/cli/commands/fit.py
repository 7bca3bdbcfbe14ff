"""``podium fit``: from a table to a model, a report and a ranked list."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium import _optional, workflow
from podium._files import claim
from podium.cli import options
from podium.cli.render import Steps, effect_rows, say, show_json, show_table, talk
from podium.exceptions import InputError
from podium.phi import resolve
from podium.phi.spec import phi_in_words
from podium.selection.candidates import MODELS

if TYPE_CHECKING:
    from podium.workflow import FitResult

_LOCAL = "local"
_PATIENCE = 10  # seconds until a scheduler must have answered


@contextmanager
def connected(scheduler: str | None) -> Iterator[None]:
    """A Dask client for the time being, its dashboard named on standard error; none without a scheduler."""
    if scheduler is None:
        yield
        return
    from podium.distributed.cluster import local_client

    distributed = _optional.load("distributed", "--scheduler")
    try:
        client = local_client() if scheduler == _LOCAL else distributed.Client(scheduler, timeout=_PATIENCE)
    except (OSError, ValueError) as error:
        raise InputError(
            f"--scheduler is the address of a Dask scheduler, or local; {scheduler!r} does not answer "
            f"({type(error).__name__}).",
            "for instance --scheduler tcp://10.0.0.7:8786",
        ) from None
    with client:
        talk(f"{len(client.scheduler_info()['workers'])} workers; dashboard: {client.dashboard_link}")
        yield


HELP = """Writes model.podium, report.html, report.md, metrics.json and scores.csv (the rows that judge, best first).

Example: podium fit loans.csv --label defaulted --budget 100 --out loans
"""


def run(
    data: options.Rows,
    label: options.Label,
    positive: options.Positive = None,
    budget: Annotated[
        int | None, typer.Option(help="How many rows you can inspect; default: a tenth of the list.", metavar="K")
    ] = None,
    population: Annotated[
        int | None,
        typer.Option(help="Length of the list the budget applies to; default: the rows here.", metavar="N"),
    ] = None,
    fraction: Annotated[
        float | None, typer.Option(help="Share of the list that matters, instead of a budget.", metavar="F")
    ] = None,
    phi: Annotated[
        str | None,
        typer.Option(help="Which part of the list matters, by name: auc, power:3, smooth-top:0.95, …", metavar="SPEC"),
    ] = None,
    model: Annotated[str, typer.Option(help=f"One of auto, {', '.join(MODELS)}.", metavar="NAME")] = "auto",
    criterion: Annotated[
        str | None,
        typer.Option(help="What training maximizes: auc, push:4, logloss, …; default: by model.", metavar="SPEC"),
    ] = None,
    holdout: Annotated[
        float | None,
        typer.Option(help="Share of the rows that judge alone; by default all do, where they can.", metavar="SHARE"),
    ] = None,
    test: Annotated[
        Path | None, typer.Option(help="Evaluate on the labeled rows of this file.", metavar="FILE")
    ] = None,
    refit: Annotated[
        bool | None,
        typer.Option(
            "--refit/--no-refit",
            help="Retrain on all rows after the evaluation; default: with up to 200,000 rows.",
            show_default=False,
        ),
    ] = None,
    id_column: Annotated[
        str | None, typer.Option("--id", help="The column that identifies rows.", metavar="COL")
    ] = None,
    time: options.Time = None,
    group: Annotated[
        str | None,
        typer.Option(help="Column of the unit of each row, such as a patient: evaluate on new units.", metavar="COL"),
    ] = None,
    weight: Annotated[str | None, typer.Option(help="Column of row weights, as in a survey.", metavar="COL")] = None,
    label_delay: Annotated[
        str | None,
        typer.Option(help="How long a label takes: 12h, 30d, 6w. Only rows older than that are used.", metavar="SPAN"),
    ] = None,
    every: options.Every = None,
    per: options.Per = None,
    baseline: Annotated[
        str | None, typer.Option(help="The score in use today, to compare with.", metavar="COL")
    ] = None,
    slices: Annotated[
        list[str] | None, typer.Option(help="Show results by the values of this column; repeatable.", metavar="COL")
    ] = None,
    increasing: Annotated[
        list[str] | None,
        typer.Option(help="The score must not decrease in this column; repeatable.", metavar="COL"),
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(help="A column not to use as a feature; repeatable.", metavar="COL")
    ] = None,
    unlabeled: options.Unlabeled = None,
    seed: options.Seed = 0,
    time_limit: Annotated[
        float,
        typer.Option(help="Seconds for choosing a model, and again for training it on all rows.", metavar="SECONDS"),
    ] = 120.0,
    memory: options.Memory = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            help="If memory is too small, train on this Dask scheduler; local starts one here.", metavar="ADDRESS"
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="The folder to write into.", metavar="DIR")] = Path("podium-out"),
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Parse, call, render."""
    from podium.workflow.fit import FILES  # here: --help does not need it

    options.refuse_existing([out / name for name in FILES], force)
    options.one_of("--model", model, ("auto", *MODELS))
    train(
        shlex.join(["podium", *sys.argv[1:]]),
        data,
        out,
        as_json=as_json,
        scheduler=scheduler,
        label=label,
        positive=positive,
        budget=budget,
        population=population,
        fraction=fraction,
        phi=phi,
        model=model,
        criterion=criterion,
        holdout=holdout,
        test=test,
        refit=refit,
        id_column=id_column,
        time=time,
        group=group,
        weight=weight,
        label_delay=label_delay,
        every=every,
        per=per,
        baseline=baseline,
        slices=slices or (),
        increasing=increasing or (),
        exclude=exclude or (),
        unlabeled=unlabeled,
        time_limit=time_limit,
        memory=options.bytes_of(memory),
        random_state=seed,
    )


def train(
    command: str, data: Path, out: Path, *, as_json: bool = False, scheduler: str | None = None, **settings: Any
) -> None:
    """Fit with the settings of `podium.workflow.fit`, write the files, and show the results."""
    with claim(out), connected(scheduler), Steps("reading") as steps:
        result = workflow.fit(data, **settings, command=command, on_step=steps.begin)
        files = result.save(out)
    if scheduler is not None and "all_held_out" not in result.metrics:
        talk("The table fits into memory, so the scheduler was not used; see --memory.")
    talk(*(f"Warning: {warning}" for warning in result.warnings))
    talk(*(f"Remark: {remark}" for remark in result.metrics["remarks"]), *result.readings)
    if as_json:
        show_json(result.metrics)
        return
    _show(result)
    say(*map(str, files))


def _show(result: FitResult) -> None:
    say(result.report.headline, f"Labels: {result.metrics['labels']['sentence']}.")
    validation, chosen = result.metrics["validation"], result.metrics["chosen"]
    if validation:
        rows = [
            (name + (" ← chosen" if name == chosen else ""), value)
            for name, value in sorted(validation.items(), key=lambda item: -item[1])
        ]
        show_table("Candidates on validation rows, by ω", ("model", "ω"), rows)
        talk(f"{phi_in_words(resolve(result.model.phi))}.")
    title = "What moves rows up (+) or down (−) by this model, in percent of the list"
    show_table(title, ("change", "effect", "95 % of this mean"), effect_rows(result.effects[:5]))
