"""What an experiment is: independent trials, a conclusion from them beside what the paper prints, and a picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Settings = dict[str, Any]  # of one trial: what JSON knows
Finding = dict[str, Any]  # of one trial: what JSON knows
Columns = Mapping[str, Sequence[Any]]  # by name, all of one length
Verdict = Literal["agrees", "agrees in part", "differs", "undecided", "extends"]


@dataclass(frozen=True)
class Outcome:
    """What the trials say.

    Parameters
    ----------
    paper, ours : dict
        What the paper prints and what we get, under the same names; ``ours`` may have more.
    columns : mapping
        The data behind the picture.
    verdict : {"agrees", "agrees in part", "differs", "undecided", "extends"}
        ``"undecided"`` where noise leaves open what the paper says; ``"extends"`` where it prints nothing to compare
        with.
    sentence : str
        What agrees, what does not, and why.
    errata : sequence of str
        Errors of the paper that show here.
    """

    paper: Mapping[str, Any]
    ours: Mapping[str, Any]
    columns: Columns
    verdict: Verdict
    sentence: str
    errata: Sequence[str] = field(default=())


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


def once(quick: bool) -> Sequence[Settings]:
    """The trials of what is computed, not simulated: a single one without settings."""
    return [{}]
