"""CLV21, Figures 6 and 9: the criterion on the training rows along Algorithm 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from podium._types import FloatArray
from podium.experiments.clv21.designs import ALGORITHM_1, CONVERGED, PHIS
from podium.experiments.clv21.replicates import STUDY, Runs, replicate, replicates
from podium.experiments.clv21.statements import SETTINGS, judged, unknown
from podium.experiments.experiment import Columns, Experiment, Finding, Outcome, Settings
from podium.plots.canvas import COLORS, plain

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
    claims = judged(runs, lambda resampled, solver: _claims(designs, _mean_paths(resampled, solver)))
    ours: dict[str, Any] = {}
    sentences = unknown(claims)
    lines: dict[str, list[float]] = {}
    for solver in SETTINGS:
        paths = _mean_paths(runs, solver)
        for d in designs:
            for n, phi in PHIS.items():
                ours[f"{d}, {n}, {solver}"] = {
                    "steps to 90 % of the rise": steps_to_most(paths[d][n]),
                    "criterion at start and end": [round(float(paths[d][n][i]), 4) for i in (0, -1)],
                    "Ŵ/n of the result": round(float(runs.get("train", d, solver, phi).mean()), 4),
                    "Ŵ/n of the result, converged": round(float(runs.get("train", d, CONVERGED, phi).mean()), 4),
                }
        steps = "; ".join(f"{d}: {'/'.join(str(steps_to_most(paths[d][n])) for n in PHIS)}" for d in paths)
        falls = {
            n: float(np.mean([(np.diff(runs.get("path", d, solver, phi)) < 0).mean() for d in designs]))
            for n, phi in PHIS.items()
        }
        sentences.append(
            f"With {solver}, steps to 90 % of the rise of the averages for {'/'.join(PHIS)}: {steps}; in single runs "
            f"{'/'.join(f'{falls[n]:.0%}' for n in PHIS)} of the steps lower the criterion."
        )
        lines |= {f"{solver} | {d} | {n}": path.round(6).tolist() for d in designs for n, path in paths[d].items()}
    longest = max(map(len, lines.values()))
    columns: dict[str, list[Any]] = {"step": list(range(longest))}
    columns |= {name: [*line, *[None] * (longest - len(line))] for name, line in lines.items()}
    return Outcome({}, ours, claims, columns, " ".join(sentences), errata)


def _mean_paths(runs: Runs, solver: str) -> dict[str, dict[str, FloatArray]]:
    """Smoothed Ŵ/n along Algorithm 1, that of the ranks along the script: each is what its author follows."""
    return {d: {n: runs.get("path", d, solver, phi).mean(axis=0) for n, phi in PHIS.items()} for d in runs.designs}


def _claims(designs: Sequence[str], paths: Mapping[str, Mapping[str, FloatArray]]) -> dict[str, bool | Sequence[bool]]:
    """What the text says, by φ; the designs come in order of ε."""
    claims: dict[str, bool | Sequence[bool]] = {}
    others = [d for d in paths if d not in designs]
    for n in PHIS:
        ends = [float(paths[d][n][-1]) for d in designs]
        claims[f"{n}: the average rises at every step"] = [bool((np.diff(paths[d][n]) > 0).all()) for d in designs]
        claims[f"{n}: it ends higher as ε grows"] = [bool(step > 0) for step in np.diff(ends)]
        if others:
            own, other = (float(np.mean([steps_to_most(paths[d][n]) for d in group])) for group in (designs, others))
            claims[f"{n}: it rises faster than for the location models"] = own < other
    return claims


def draw(figure: Figure, columns: Columns) -> None:
    """A row per setting, a panel per φ, a line per design.

    The averaged criterion over the iterations, a row per setting, a panel per φ, a line per design: steep at first,
    then level.
    """
    figure.set_size_inches(7.0, 5.0)
    names = [name.split(" | ") for name in columns if " | " in name]
    designs = list(dict.fromkeys(design for _, design, _ in names))
    panels = figure.subplots(len(SETTINGS), len(PHIS), sharex=True)
    for row, solver in zip(panels, SETTINGS, strict=True):
        for ax, name in zip(row, PHIS, strict=True):
            for i, design in enumerate(designs):
                style = ("-", "--", "-.", ":")[i]
                line = np.array(columns[f"{solver} | {design} | {name}"], dtype=np.float64)
                ax.plot(columns["step"], line, style, color=COLORS[i], label=design)
            ax.set_title(f"{name}, {solver}", fontsize=8)
            ax.locator_params(axis="y", nbins=5)
            plain(ax)
        row[0].set_ylabel(
            "averaged " + ("smoothed " if solver == ALGORITHM_1 else "") + r"$\widehat{W}_\phi/n$", fontsize=8
        )
    for ax in panels[-1]:
        ax.set_xlabel("iteration")
    handles, labels = panels[0, 0].get_legend_handles_labels()
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


FIG6: Experiment = _figure(
    "clv21-fig6",
    "CLV21, Figure 6",
    "The criterion along the iterations, location models",
    LOCATION,
    (),
)
FIG9: Experiment = _figure(
    "clv21-fig9",
    "CLV21, Figure 9",
    "The criterion along the iterations, scale models",
    SCALE,
    LOCATION,
    ["The caption of Figure 9 speaks of the location models; the text says that it shows the scale models."],
)
