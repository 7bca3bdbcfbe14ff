"""What an experiment is: independent trials, a conclusion from them beside what the paper prints, and a picture."""

from __future__ import annotations

import json
import re
import signal
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

from podium import __version__
from podium._files import write_file
from podium.experiments.claims import Claim, Verdict, counted, verdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Settings = dict[str, Any]  # of one trial: what JSON knows
Finding = dict[str, Any]  # of one trial: what JSON knows
Columns = Mapping[str, Sequence[Any]]  # by name, all of one length


@dataclass(frozen=True)
class Outcome:
    """What the trials say.

    Parameters
    ----------
    paper, ours : dict
        The numbers that the paper prints and those that we get, under the same names; ``ours`` may have more.
    claims : sequence of Claim
        Every sentence of the paper that the trials can decide, by setting, and every printed number that they check.
    columns : mapping
        The data behind the picture.
    sentence : str
        What agrees, what does not, and why.
    errata : sequence of str
        Errors of the paper that show here.
    """

    paper: Mapping[str, Any]
    ours: Mapping[str, Any]
    claims: Sequence[Claim]
    columns: Columns
    sentence: str
    errata: Sequence[str] = field(default=())

    @property
    def verdict(self) -> Verdict:
        """``"agrees"``, ``"agrees in part"``, ``"differs"``, ``"undecided"`` where noise leaves all open.

        ``"extends"`` where the paper says nothing to compare with.
        """
        return verdict(self.claims)

    @property
    def counts(self) -> str:
        """How many of the claims hold, fail and are open: "2 of 18 hold, 7 fail, 9 open"."""
        return counted([claim.found for claim in self.claims])


@dataclass(frozen=True)
class Experiment:
    """A table or figure of a paper.

    Parameters
    ----------
    name : str
        As in ``podium reproduce NAME``.
    source : str
        Where it is printed: "CLV21, Figure 4".
    title : str
        What it shows.
    trials : callable
        ``trials(quick)``: the settings of every trial.
    trial : callable
        ``trial(settings, rng)``: one trial, its generator a function of seed, study and settings alone. Defined at the
        top of a module, so that other processes find it.
    conclude : callable
        ``conclude(settings, findings)``: the outcome.
    draw : callable
        ``draw(figure, columns)``: the picture, from the data that are written beside it and nothing else.
    study : str
        Experiments of one study share their trials; by default the name.
    table : str
        The table of :func:`podium.datasets.load_table` that the trials need, if any.
    """

    name: str
    source: str
    title: str
    trials: Callable[[bool], Sequence[Settings]]
    trial: Callable[[Settings, np.random.Generator], Finding]
    conclude: Callable[[Sequence[Settings], Sequence[Finding]], Outcome]
    draw: Callable[[Figure, Columns], None]
    study: str = ""
    table: str = ""

    def __post_init__(self) -> None:
        if not self.study:
            object.__setattr__(self, "study", self.name)

    @property
    def revision(self) -> str:
        """Where the later revision of CLV21 (HAL 004) has it, which drops Figure 10; empty for the other papers."""
        figure = re.fullmatch(r"CLV21, Figure (\d+)", self.source)
        if figure is None:
            return self.source.removeprefix("CLV21, ") if self.source.startswith("CLV21, ") else ""
        number = int(figure[1])
        return "dropped" if number == 10 else f"Figure {number - (number > 10)}"

    @property
    def where(self) -> str:
        """Where it is printed, with its place in the later revision if that is another."""
        return self.source if self.source.endswith(self.revision) else f"{self.source} (revision 004: {self.revision})"


def once(quick: bool) -> Sequence[Settings]:
    """The trials of what is computed, not simulated: a single one without settings."""
    return [{}]


class TrialStore:
    """The findings of one study at one seed by one version: a file with one JSON line per trial."""

    def __init__(self, folder: Path, study: str, seed: int) -> None:
        self.path = folder / "trials" / f"{study}-seed{seed}-podium{__version__}.jsonl"
        self._findings: dict[str, Finding] = {}
        if self.path.exists():
            stored = self.path.read_text(encoding="utf-8", errors="replace")
            whole = "".join(f"{line}\n" for line in stored.splitlines() if self._takes(line))
            if whole != stored:  # a broken line, such as the last one of an interrupted run: its trial is done again
                write_file(self.path, whole)

    def _takes(self, line: str) -> bool:
        """Take over the finding of a line; false if it is none."""
        try:
            record = json.loads(line)
            self._findings[key(record["settings"])] = dict(record["finding"])
        except (ValueError, KeyError, TypeError):
            return False
        return True

    def __contains__(self, settings: Settings) -> bool:
        return key(settings) in self._findings

    def __getitem__(self, settings: Settings) -> Finding:
        return self._findings[key(settings)]

    def add(self, settings: Settings, finding: Finding) -> None:
        """Keep a finding, in memory and in the file."""
        line = json.dumps({"settings": settings, "finding": finding})
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")
        # As read back: a number must not depend on whether the run was interrupted.
        self._findings[key(settings)] = json.loads(line)["finding"]


def run_trials(
    experiment: Experiment,
    settings: Sequence[Settings],
    store: TrialStore,
    *,
    seed: int,
    jobs: int,
    on_done: Callable[[], None],
) -> list[Finding]:
    """The findings of all trials, in their order; those in the store are not repeated."""
    from joblib import Parallel, delayed

    missing = [s for s in settings if s not in store]
    for _ in range(len(settings) - len(missing)):
        on_done()
    jobs = min(jobs, max(len(missing), 1))
    perform = delayed(_perform_aside if jobs > 1 else _perform)
    workers = Parallel(n_jobs=jobs, return_as="generator_unordered")
    for done, finding in workers(perform(experiment.trial, experiment.study, s, seed) for s in missing):
        store.add(done, finding)
        on_done()
    return [store[s] for s in settings]


def key(settings: Settings) -> str:
    """The settings as text, the same for the same settings."""
    return json.dumps(settings, sort_keys=True)


def _perform(
    trial: Callable[[Settings, np.random.Generator], Finding], study: str, settings: Settings, seed: int
) -> tuple[Settings, Finding]:
    rng = np.random.default_rng([seed, zlib.crc32(study.encode()), zlib.crc32(key(settings).encode())])
    with threadpool_limits(1):  # sums depend on the number of threads to the last bit, and an optimum on sums
        return settings, trial(settings, rng)


def _perform_aside(
    trial: Callable[[Settings, np.random.Generator], Finding], study: str, settings: Settings, seed: int
) -> tuple[Settings, Finding]:
    """In a process of its own: Ctrl-C reaches all of them, but only the one that waits for the others is to answer."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return _perform(trial, study, settings, seed)
