"""Runs an experiment and writes its picture, its data, and a record with the paper's figures beside ours."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from podium import _files, _input, _optional
from podium._results.result import to_json
from podium.exceptions import InputError
from podium.experiments.experiment import Columns, Experiment, Outcome, TrialStore, run_trials
from podium.persist import versions

ENDINGS = (".png", ".svg", ".csv", ".json")


@dataclass(frozen=True)
class Reproduction:
    """An experiment as it came out, and where it was written.

    Attributes
    ----------
    experiment : Experiment
        What was run.
    outcome : Outcome
        What came out, with the verdict.
    folder : Path
        Where picture, data and record were written.
    """

    experiment: Experiment
    outcome: Outcome
    folder: Path

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that it wrote: pictures, data and the record."""
        return tuple(self.folder / f"{self.experiment.name}{ending}" for ending in ENDINGS)


def reproduce(
    experiment: Experiment,
    folder: str | os.PathLike[str] = "reproduction",
    *,
    quick: bool = False,
    seed: int = 0,
    jobs: int = 1,
    force: bool = False,
    on_trial: Callable[[int, int], None] | None = None,
) -> Reproduction:
    """Run an experiment, or what an interrupted run left of it.

    Writes NAME.png, NAME.svg, NAME.csv and NAME.json into the folder, and the trials into its folder ``trials``. The
    files are a function of the seed alone, whatever the number of jobs and interruptions.

    Parameters
    ----------
    experiment : Experiment
        One of ``EXPERIMENTS``.
    folder : str or path
        Where to write; trials that an earlier run left there are used.
    quick : bool
        Fewer and smaller trials: seconds instead of minutes.
    seed : int
        The seed of all random numbers.
    jobs : int
        The number of processes.
    force : bool
        Overwrite the record of another seed or size.
    on_trial : callable, optional
        Called after each trial with the number done and their total.

    Returns
    -------
    Reproduction
        What came out, whether it agrees with the paper, and the files that were written.
    """
    _optional.require("podium.experiments", "matplotlib")
    _input.check_integer("seed", seed, 0)
    _input.check_integer("jobs", jobs, 1)
    place = Path(folder)
    record = place / f"{experiment.name}.json"
    if not force:
        _refuse_other(record, quick, seed)
    with _files.claim(place):
        return _run(experiment, place, quick, seed, jobs, on_trial)


def _run(
    experiment: Experiment, place: Path, quick: bool, seed: int, jobs: int, on_trial: Callable[[int, int], None] | None
) -> Reproduction:
    settings = experiment.trials(quick)
    done = 0

    def count() -> None:
        nonlocal done
        done += 1
        if on_trial is not None:
            on_trial(done, len(settings))

    store = TrialStore(place, experiment.study, seed)
    findings = run_trials(experiment, settings, store, seed=seed, jobs=jobs, on_done=count)
    outcome = experiment.conclude(settings, findings)
    reproduction = Reproduction(experiment, outcome, place)
    contents = (*_pictures(experiment, outcome.columns), _as_csv(outcome.columns), _as_json(reproduction, quick, seed))
    _files.write(place, {path.name: content for path, content in zip(reproduction.files, contents, strict=True)})
    return reproduction


def _refuse_other(record: Path, quick: bool, seed: int) -> None:
    if not record.exists():
        return
    try:
        found = json.loads(record.read_text(encoding="utf-8"))
        kept = found["quick"], found["seed"]
    except (ValueError, KeyError, TypeError):
        raise InputError(f"{record} must be a record of a run; it cannot be read.", "--force overwrites it.") from None
    if kept != (quick, seed):
        kind = "a quick" if kept[0] else "a full"
        raise InputError(
            f"{record} is of {kind} run with seed {kept[1]}; it is kept.",
            "--force overwrites it, --out names another folder.",
        )


def _pictures(experiment: Experiment, columns: Columns) -> tuple[bytes, bytes]:
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with mpl.rc_context(
        {"svg.hashsalt": experiment.name, "svg.fonttype": "none", "font.size": 9}
    ):  # ids in the SVG would be random
        figure = Figure(figsize=(6.4, 4.2), layout="constrained")
        FigureCanvasAgg(figure)
        experiment.draw(figure, columns)
        png, svg = io.BytesIO(), io.BytesIO()
        figure.savefig(png, format="png", dpi=110, metadata={"Software": None})
        figure.set_layout_engine("none")  # keeps the places found: to find them again takes as long as to draw
        figure.savefig(svg, format="svg", metadata={"Date": None})
    return png.getvalue(), svg.getvalue()


def _as_csv(columns: Columns) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue().encode()


def _as_json(reproduction: Reproduction, quick: bool, seed: int) -> bytes:
    experiment, outcome = reproduction.experiment, reproduction.outcome
    record = {
        "name": experiment.name,
        "source": experiment.source,
        "title": experiment.title,
        "quick": quick,
        "seed": seed,
        "versions": versions(),
        "verdict": outcome.verdict,
        "claims": [{"says": c.says, "setting": c.setting, "found": c.found, "share": c.share} for c in outcome.claims],
        "sentence": outcome.sentence,
        "errata": list(outcome.errata),
        "paper": outcome.paper,
        "ours": outcome.ours,
    }
    return (to_json(record, indent=1) + "\n").encode()
