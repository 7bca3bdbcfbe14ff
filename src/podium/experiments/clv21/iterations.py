"""CLV21, Figures 6 and 9: the criterion on the training rows along Algorithm 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from podium._types import FloatArray
from podium.experiments.claims import found, stated, verdict
from podium.experiments.clv21.designs import ALGORITHM_1, CONVERGED, PHIS
from podium.experiments.clv21.replicates import STUDY, Runs, replicate, replicates
from podium.experiments.clv21.statements import told
from podium.experiments.experiment import Columns, Experiment, Finding, Outcome, Settings
from podium.plots.canvas import COLOURS, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LOCATION = ("Loc1", "Loc2", "Loc3")
SCALE = ("Scale, ε = 0.7", "Scale, ε = 0.8", "Scale, ε = 0.9", "Scale, ε = 1.1")


def steps_to_most(path: FloatArray) -> int:
    """Steps until the averaged criterion has made 90 % of the way to its largest value."""
    return int(np.argmax(path >= path[0] + 0.9 * (path.max() - path[0])))


def conclude(
    designs: Sequence[str], errata: Sequence[str], settings: Sequence[Settings], findings: Sequence[Finding]
) -> Outcome:
    """Whether the averages rise, and how soon they have risen; other designs than those shown are to compare with."""
    runs = Runs(settings, findings)
    paths = {
        d: {n: runs.get("path", d, ALGORITHM_1, phi).mean(axis=0) for n, phi in PHIS.items()} for d in runs.designs
    }
    needed = {d: {n: steps_to_most(path) for n, path in of_phi.items()} for d, of_phi in paths.items()}
    falls = {
        n: float(np.mean([(np.diff(runs.get("path", d, ALGORITHM_1, phi)) < 0).mean() for d in designs]))
        for n, phi in PHIS.items()
    }
    claims = _claims(designs, paths, needed)
    ours: dict[str, Any] = found(claims)
    for d in designs:
        for n, phi in PHIS.items():
            ours[f"{d}, {n}"] = {
                "steps to 90 % of the rise": needed[d][n],
                "smoothed criterion at start and end": [round(float(paths[d][n][i]), 4) for i in (0, -1)],
                "Ŵ/n of the result, Algorithm 1": round(float(runs.get("train", d, ALGORITHM_1, phi).mean()), 4),
                "Ŵ/n of the result, converged": round(float(runs.get("train", d, CONVERGED, phi).mean()), 4),
            }
    steps = "; ".join(f"{d}: {'/'.join(str(needed[d][n]) for n in PHIS)}" for d in needed)
    reason = ": a fixed step of 1/√T is too long where φ' is steep" if falls["RTB"] > falls["MWW"] else ""
    sentences = [
        *told(claims),
        f"Steps to 90 % of the rise of the averages for {'/'.join(PHIS)}: {steps}.",
        f"In single runs {'/'.join(f'{falls[n]:.0%}' for n in PHIS)} of the steps lower the criterion{reason}.",
    ]
    columns: dict[str, list[float]] = {"step": list(range(len(paths[designs[0]]["MWW"])))}
    columns |= {f"{d} | {n}": path.round(6).tolist() for d in designs for n, path in paths[d].items()}
    return Outcome(stated(claims), ours, columns, verdict(claims), " ".join(sentences), errata)


def _claims(
    designs: Sequence[str], paths: Mapping[str, Mapping[str, FloatArray]], needed: Mapping[str, Mapping[str, int]]
) -> dict[str, bool]:
    """What the text says, by φ; the designs come in order of ε."""
    claims = {}
    others = [d for d in paths if d not in designs]
    for n in PHIS:
        ends = [float(paths[d][n][-1]) for d in designs]
        claims[f"{n}: the average rises at every step"] = all(bool((np.diff(paths[d][n]) > 0).all()) for d in designs)
        claims[f"{n}: it ends higher as ε grows"] = bool(np.all(np.diff(ends) > 0))
        if others:
            own, other = (float(np.mean([needed[d][n] for d in group])) for group in (designs, others))
            claims[f"{n}: it rises faster than for the location models"] = own < other
    return claims


def draw(figure: Figure, columns: Columns) -> None:
    """A panel per φ, a line per design."""
    figure.set_size_inches(7.0, 3.0)
    designs = list(dict.fromkeys(name.split(" | ")[0] for name in columns if " | " in name))
    panels = figure.subplots(1, len(PHIS))
    for ax, name in zip(panels, PHIS, strict=True):
        for i, design in enumerate(designs):
            style = ("-", "--", "-.", ":")[i]
            ax.plot(columns["step"], columns[f"{design} | {name}"], style, color=COLOURS[i], label=design)
        ax.set_title(name, fontsize=9)
        ax.set_xlabel("iteration of Algorithm 1")
        plain(ax)
    panels[0].set_ylabel("smoothed $\\widehat{W}_\\phi/n$, averaged")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)


def _figure(
    name: str,
    source: str,
    title: str,
    designs: Sequence[str],
    beside: Sequence[str],
    errata: Sequence[str] = (),
) -> Experiment:
    return Experiment(
        name,
        source,
        title,
        replicates([*designs, *beside]),
        replicate,
        partial(conclude, tuple(designs), errata),
        draw,
        study=STUDY,
    )


FIG6 = _figure(
    "clv21-fig6",
    "CLV21, Figure 6",
    "The criterion along the iterations, location models",
    LOCATION,
    (),
)
FIG9 = _figure(
    "clv21-fig9",
    "CLV21, Figure 9",
    "The criterion along the iterations, scale models",
    SCALE,
    LOCATION,
    ["The caption of Figure 9 speaks of the location models; the text says that it shows the scale models."],
)
