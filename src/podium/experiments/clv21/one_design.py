"""CLV21, Figures 4, 7 and 11 to 14: all replicates of one design, for the three score-generating functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from podium.experiments.clv21.designs import (
    ALGORITHM_1,
    ALL_DESIGNS,
    BEGINNING,
    CONVERGED,
    NO_PULL,
    OPTIMAL,
    PHIS,
    SCRIPT,
    grid_of_panels,
    legend_below,
    magnified,
)
from podium.experiments.clv21.replicates import FPR, STUDY, Runs, optimal, replicate, replicates, solvers
from podium.experiments.clv21.statements import judged, unknown
from podium.experiments.experiment import Columns, Experiment, Finding, Outcome, Settings
from podium.plots.canvas import COLORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHOWN = (ALGORITHM_1, SCRIPT, CONVERGED)
LOCATION = ("MWW is best on average", "RTB spreads widest")
SCALE = ("RTB is best on average", "the averages are closer than the curves spread")
BELOW = "some RTB curves are below the diagonal"


def conclude(
    said: Sequence[str], errata: Sequence[str], settings: Sequence[Settings], findings: Sequence[Finding]
) -> Outcome:
    """Means, spreads, best and worst of every design; what the text says of the first is held against both settings."""
    runs = Runs(settings, findings)

    def claims_of(resampled: Runs, solver: str) -> dict[str, bool]:
        measured = _measured(resampled, runs.designs[0], solver)
        return {claim: measured[claim] for claim in said}

    claims = judged(runs, claims_of)
    ours: dict[str, Any] = {}
    for design in runs.designs:
        ours |= {f"{design}, {name}": value for name, value in _areas(runs, design).items()}
    return Outcome(
        paper={},
        ours=ours,
        columns=_columns(runs),
        claims=claims,
        sentence=" ".join([*unknown(claims), *(_told_of(runs, design) for design in runs.designs)]),
        errata=errata,
    )


def _measured(runs: Runs, design: str, solver: str) -> dict[str, bool]:
    areas = {name: runs.get("auc", design, solver, phi) for name, phi in PHIS.items()}
    means = {name: float(area.mean()) for name, area in areas.items()}
    spreads = {name: float(area.std()) for name, area in areas.items()}
    return {
        "MWW is best on average": means["MWW"] == max(means.values()),
        "RTB is best on average": means["RTB"] == max(means.values()),
        "RTB spreads widest": spreads["RTB"] == max(spreads.values()),
        "the averages are closer than the curves spread": max(means.values()) - min(means.values())
        < max(spreads.values()),
        BELOW: runs.n_below(design, solver, PHIS["RTB"]) > 0,
    }


def _areas(runs: Runs, design: str) -> dict[str, Any]:
    areas: dict[str, Any] = {"AUC*": round(ALL_DESIGNS[design].auc, 4)}
    for solver in solvers(design):
        for name, phi in PHIS.items():
            area = runs.get("auc", design, solver, phi)
            areas[f"{solver}, {name}"] = {
                "mean AUC": round(float(area.mean()), 4),
                "standard error": round(float(area.std(ddof=1) / np.sqrt(len(area))), 4),
                "standard deviation": round(float(area.std(ddof=1)), 4),
                "best": round(float(area.max()), 4),
                "worst": round(float(area.min()), 4),
                "below the diagonal": runs.n_below(design, solver, phi),
            }
    return areas


def _told_of(runs: Runs, design: str) -> str:
    def means(solver: str) -> str:
        areas = [runs.get("auc", design, solver, phi) for phi in PHIS.values()]
        return "/".join(f"{area.mean():.3f}" for area in areas)

    paths = runs.get("path", design, ALGORITHM_1, PHIS["RTB"])
    falls = float((np.diff(paths, axis=1) < 0).mean())
    below = {solver: runs.n_below(design, solver, PHIS["RTB"]) for solver in (ALGORITHM_1, SCRIPT)}
    left_out = ", left out here as in the paper" if design == "Loc1" else ""
    text = (
        f"{design}: of AUC* {ALL_DESIGNS[design].auc:.4f}, Algorithm 1 reaches {means(ALGORITHM_1)} in the mean for "
        f"{'/'.join(PHIS)} ({below[ALGORITHM_1]} of {len(paths)} RTB curves below the diagonal{left_out}), the "
        f"authors' script {means(SCRIPT)} ({below[SCRIPT]} below), our converged solver {means(CONVERGED)}"
    )
    if NO_PULL in solvers(design):
        text += f", without its pull towards the plug-in direction {means(NO_PULL)}"
    return f"{text}; {falls:.0%} of Algorithm 1's steps for RTB lower the criterion that they should raise."


def _columns(runs: Runs) -> dict[str, list[float]]:
    columns = {"fpr": FPR.tolist()}
    for design in runs.designs:
        columns[f"{design} | optimal"] = optimal(design).round(6).tolist()
        for solver in SHOWN:
            for name, phi in PHIS.items():
                curves = runs.get("tpr", design, solver, phi)
                deficit = runs.deficit(design, solver, phi)
                lines = {
                    "mean": curves.mean(axis=0),
                    "deviation": curves.std(axis=0, ddof=1),
                    "best": curves[np.argmin(deficit)],
                    "worst": curves[np.argmax(deficit)],
                } | {f"replicate {i + 1}": curve for i, curve in enumerate(curves)}
                for kind, line in lines.items():
                    columns[f"{design} | {solver} | {name} | {kind}"] = line.round(6).tolist()
    return columns


def draw(figure: Figure, columns: Columns) -> None:
    """A row per design and solver, a column per φ: all curves, their mean ± one deviation, best, worst, ROC*.

    Panels of ROC curves, a row per design and solver and a column per φ: a bundle of all replicates, their mean with
    one standard deviation, the best and the worst of them, and ROC* above all; an inset magnifies the beginning.
    """
    designs = [name.split(" | ")[0] for name in columns if name.endswith(" | optimal")]
    rows = [(design, solver) for design in designs for solver in SHOWN]
    panels = grid_of_panels(figure, len(rows), len(PHIS))
    fpr = np.array(columns["fpr"])
    for row, (design, solver) in zip(panels, rows, strict=True):
        best = np.array(columns[f"{design} | optimal"])
        top = float(np.ceil(10 * np.interp(BEGINNING, fpr, best)) / 10)
        for ax, name in zip(row, PHIS, strict=True):
            lines = {
                key.split(" | ")[3]: np.array(line)
                for key, line in columns.items()
                if key.startswith(f"{design} | {solver} | {name} | ")
            }
            for place in (ax, magnified(ax, top)):
                _curves(place, fpr, lines, best)
            ax.set_title(f"{name}, {solver}" + (f"\n{design}" if len(designs) > 1 else ""), fontsize=8)
    legend_below(figure, panels[0, 0])


def _curves(ax: Axes, fpr: np.ndarray, lines: Mapping[str, np.ndarray], best: np.ndarray) -> None:
    each = [line for kind, line in lines.items() if kind.startswith("replicate")]
    for i, line in enumerate(each):  # a picture inside the SVG: hundreds of lines would weigh megabytes
        label = f"the {len(each)} replicates" if i == 0 else None
        ax.plot(fpr, line, color=COLORS[4], linewidth=0.5, alpha=0.45, label=label, rasterized=True)
    mean, deviation = lines["mean"], lines["deviation"]
    ax.plot(fpr, mean, color=COLORS[2], linewidth=1.4, label="mean")
    for side in (-1, 1):
        label = "± one standard deviation" if side > 0 else None
        ax.plot(fpr, mean + side * deviation, color=COLORS[2], linewidth=0.8, linestyle="--", label=label)
    ax.plot(fpr, lines["best"], color=COLORS[0], linewidth=0.9, label="best")
    ax.plot(fpr, lines["worst"], color=COLORS[3], linewidth=0.9, label="worst")
    ax.plot(fpr, best, color=OPTIMAL, linewidth=1.2, label="ROC*")


def of_designs(
    name: str, source: str, title: str, designs: Sequence[str], said: Sequence[str], errata: Sequence[str] = ()
) -> Experiment:
    """The figure of a design; further designs stand below it."""
    return Experiment(
        name, source, title, replicates(designs), replicate, partial(conclude, said, errata), draw, study=STUDY
    )


LOC1: Experiment = of_designs("clv21-loc1", "CLV21, Figure 11", "Location model, ε = 0.1", ["Loc1"], (*LOCATION, BELOW))
LOC2: Experiment = of_designs("clv21-loc2", "CLV21, Figure 4", "Location model, ε = 0.2", ["Loc2"], LOCATION)
LOC3: Experiment = of_designs("clv21-loc3", "CLV21, Figure 12", "Location model, ε = 0.3", ["Loc3"], LOCATION)
ILL_CONDITIONED: Experiment = of_designs(
    "clv21-ill-conditioned",
    "CLV21, the authors' published script",
    "Location model with an ill-conditioned covariance, ε = 0.2",
    ["ill-conditioned"],
    (),
)
SCALE1: Experiment = of_designs("clv21-scale1", "CLV21, Figure 7", "Scale model, ε = 0.7", ["Scale, ε = 0.7"], SCALE)
SCALE2: Experiment = of_designs(
    "clv21-scale2",
    "CLV21, Figure 13",
    "Scale model, ε = 0.8 and 0.9",
    ["Scale, ε = 0.8", "Scale, ε = 0.9"],
    SCALE,
    ["Scale2 has ε = 0.8 in the text and 0.9 in the caption of Figure 13."],
)
SCALE3: Experiment = of_designs(
    "clv21-scale3",
    "CLV21, Figure 14",
    "Scale model, ε = 0.9 and 1.1",
    ["Scale, ε = 0.9", "Scale, ε = 1.1"],
    SCALE,
    ["Scale3 has ε = 0.9 in the text and 1.1 in the caption of Figure 14."],
)
