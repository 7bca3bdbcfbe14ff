"""CLV21, Figures 5, 8, 15 and 16: average and best curves of several designs, a line per score-generating function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from podium.experiments.clv21.designs import (
    ALGORITHM_1,
    ALL_DESIGNS,
    BEGINNING,
    CONVERGED,
    N_STEPS,
    PHIS,
    SCRIPT,
    SCRIPT_LOCATION,
    SCRIPT_SCALE,
    grid_of_panels,
    legend_below,
    magnified,
)
from podium.experiments.clv21.replicates import FPR, STUDY, TOP_SHARES, Runs, beginning, optimal, replicate, replicates
from podium.experiments.clv21.statements import judged, unknown
from podium.experiments.experiment import Columns, Experiment, Finding, Outcome, Settings
from podium.plots.canvas import COLORS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SOLVERS = (ALGORITHM_1, SCRIPT, CONVERGED)
Phis = Mapping[str, str]
Judge = Callable[[Runs, Phis, str], dict[str, bool | Sequence[bool]]]


def best_curve(runs: Runs, design: str, solver: str, phi: str) -> np.ndarray:
    """That of the replicate with the smallest deficit of W_φ."""
    return runs.get("tpr", design, solver, phi)[np.argmin(runs.deficit(design, solver, phi))]


def best_beginning(runs: Runs, design: str, solver: str, phi: str) -> float:
    """The mean height of that curve over the first tenth of the negatives."""
    return float(runs.beginning(design, solver, phi)[np.argmin(runs.deficit(design, solver, phi))])


def closer_with_epsilon(winner: str, runs: Runs, phis: Phis, solver: str) -> dict[str, bool | Sequence[bool]]:
    """What the text says of Figures 5 and 8, where this φ wins."""
    means = {
        name: [float(runs.get("auc", design, solver, phi).mean()) for design in runs.designs]
        for name, phi in phis.items()
    }
    optima = [ALL_DESIGNS[design].auc for design in runs.designs]
    # As a share of what there is to gain over random order: AUC* itself grows with ε.
    reached = {name: [(m - 0.5) / (o - 0.5) for m, o in zip(mean, optima, strict=True)] for name, mean in means.items()}
    names = list(phis)
    first = [names[int(np.argmax(of_design))] for of_design in zip(*means.values(), strict=True)]
    heights = [[best_beginning(runs, design, solver, phi) for phi in phis.values()] for design in runs.designs]
    heads = [names[int(np.argmax(of_design))] for of_design in heights]
    return {
        "closer to ROC* as ε grows": [bool(step > 0) for share in reached.values() for step in np.diff(share)],
        f"{winner} is best on average": [name == winner for name in first],
        "RTB has the best of the best curves at the beginning in most designs": heads.count("RTB") > len(heads) / 2,
    }


def top_shares(runs: Runs, phis: Phis, solver: str) -> dict[str, bool | Sequence[bool]]:
    """What the text says of Figures 15 and 16; the φ come in order of u₀."""
    last, first = list(phis.values())[-1], next(iter(phis.values()))
    heads = [best_beginning(runs, d, solver, last) > best_beginning(runs, d, solver, first) for d in runs.designs]
    means = [runs.get("auc", d, solver, last).mean() < runs.get("auc", d, solver, first).mean() for d in runs.designs]
    return {
        "the beginning of the best curve gains as u₀ grows": heads,
        "the average suffers as u₀ grows": [bool(worse) for worse in means],
    }


def conclude(
    phis: Phis,
    judge: Judge,
    errata: Sequence[str],
    settings: Sequence[Settings],
    findings: Sequence[Finding],
) -> Outcome:
    """Areas of average and best curves, their beginnings, and the statements of the text."""
    runs = Runs(settings, findings)
    claims = judged(runs, lambda resampled, solver: judge(resampled, phis, solver))
    ours: dict[str, dict[str, float]] = {}
    sentences = unknown(claims)
    for solver in SOLVERS:
        parts = []
        for design in runs.designs:
            areas = [float(runs.get("auc", design, solver, phi).mean()) for phi in phis.values()]
            parts.append(f"{'/'.join(f'{a:.3f}' for a in areas)} of {ALL_DESIGNS[design].auc:.3f} ({design})")
            for name, phi in phis.items():
                ours[f"{design}, {solver}, {name}"] = _summary(runs, design, solver, phi)
        sentences.append(f"Mean AUC for {'/'.join(phis)}, {solver}: {', '.join(parts)}.")
    return Outcome({}, ours, claims, _columns(runs, phis), " ".join(sentences), errata)


def _summary(runs: Runs, design: str, solver: str, phi: str) -> dict[str, float]:
    areas = runs.get("auc", design, solver, phi)
    return {
        "mean AUC": round(float(areas.mean()), 4),
        "its standard error": round(float(areas.std(ddof=1) / np.sqrt(len(areas))), 4),
        "mean TPR over FPR ≤ 0.1": round(float(runs.beginning(design, solver, phi).mean()), 4),
        "the same of the best curve": round(best_beginning(runs, design, solver, phi), 4),
        "the same of ROC*": round(beginning(optimal(design)), 4),
    }


def _columns(runs: Runs, phis: Phis) -> dict[str, list[float]]:
    columns = {"fpr": FPR.tolist()}
    for design in runs.designs:
        columns[f"{design} | optimal"] = optimal(design).round(6).tolist()
        for solver in SOLVERS:
            for name, phi in phis.items():
                lines = {
                    "mean": runs.get("tpr", design, solver, phi).mean(axis=0),
                    "best": best_curve(runs, design, solver, phi),
                }
                for kind, line in lines.items():
                    columns[f"{design} | {solver} | {name} | {kind}"] = line.round(6).tolist()
    return columns


def draw(figure: Figure, columns: Columns) -> None:
    """A row per solver, a column per design.

    Panels of ROC curves, a row per solver and a column per design: for each φ the average curve (solid) and the best
    one (dashed), thinner from φ to φ so that lines which coincide show, below a dotted ROC*; an inset magnifies the
    beginning.
    """
    designs = [name.split(" | ")[0] for name in columns if name.endswith(" | optimal")]
    names = list(dict.fromkeys(name.split(" | ")[2] for name in columns if name.endswith(" | mean")))
    panels = grid_of_panels(figure, len(SOLVERS), len(designs))
    fpr = np.array(columns["fpr"])
    for row, solver in zip(panels, SOLVERS, strict=True):
        for ax, design in zip(row, designs, strict=True):
            best = np.array(columns[f"{design} | optimal"])
            for place in (ax, magnified(ax, float(np.ceil(10 * np.interp(BEGINNING, fpr, best)) / 10))):
                for i, name in enumerate(names):
                    for kind, style in (("mean", "-"), ("best", "--")):
                        line = columns[f"{design} | {solver} | {name} | {kind}"]
                        label, width = (
                            f"{name}, {_KINDS[kind]}",
                            2.4 - 0.8 * i,
                        )  # lines that coincide show below each other
                        place.plot(fpr, line, style, color=_COLORS[i], linewidth=width, label=label)
                place.plot(fpr, best, color=_OPTIMAL, linewidth=1.1, linestyle=":", label="ROC*")
            ax.set_title(f"{design}\n{solver}", fontsize=8)
    legend_below(figure, panels[0, 0])


_COLORS = (COLORS[0], COLORS[5], COLORS[2])  # blue, orange, green as in the paper
_OPTIMAL = COLORS[6]
_KINDS = {"mean": "average", "best": "best"}


def of_designs(
    name: str,
    source: str,
    title: str,
    designs: Sequence[str],
    judge: Judge,
    *,
    phis: Phis = PHIS,
    own_phis: bool = False,
    n_steps: int = N_STEPS,
    errata: Sequence[str] = (),
) -> Experiment:
    """A figure of averages; with ``own_phis`` its trials train these φ alone."""
    trials = replicates(designs, tuple(phis.values()) if own_phis else None, n_steps)
    return Experiment(name, source, title, trials, replicate, partial(conclude, phis, judge, errata), draw, study=STUDY)


FIG5: Experiment = of_designs(
    "clv21-fig5",
    "CLV21, Figure 5",
    "Average and best ROC curves of the location models",
    ["Loc1", "Loc2", "Loc3"],
    partial(closer_with_epsilon, "MWW"),
)
FIG8: Experiment = of_designs(
    "clv21-fig8",
    "CLV21, Figure 8",
    "Average and best ROC curves of the scale models",
    ["Scale, ε = 0.7", "Scale, ε = 0.8", "Scale, ε = 0.9", "Scale, ε = 1.1"],
    partial(closer_with_epsilon, "RTB"),
    errata=["Scale2 and Scale3 have ε = 0.8 and 0.9 in the text, 0.9 and 1.1 in the captions of Figures 13 and 14."],
)
FIG15: Experiment = of_designs(
    "clv21-fig15",
    "CLV21, Figure 15",
    "Three top shares u₀ for the location models",
    ["Loc2", "Loc3"],
    top_shares,
    phis=TOP_SHARES,
)
FIG16: Experiment = of_designs(
    "clv21-fig16",
    "CLV21, Figure 16",
    "Three top shares u₀ for the scale model, 70 steps",
    ["Scale, ε = 0.8", "Scale, ε = 0.9"],
    top_shares,
    phis={f"u₀ = {u0}": f"smooth-top:{u0}" for u0 in (0.6, 0.7, 0.8)},
    own_phis=True,
    n_steps=70,
    errata=[
        "The caption of Figure 16 names green twice, for u₀ = 0.80 and 0.60.",
        "Scale2 has ε = 0.8 in the text and 0.9 in the caption of Figure 13.",
    ],
)
# The linear script has u₀ = 0.7.
SCRIPT_AVERAGES: tuple[Experiment, ...] = tuple(
    of_designs(
        f"clv21-script-{kind}",
        "CLV21, the authors' published script",
        f"Average and best ROC curves in the {kind} designs of the script",
        list(designs),
        partial(closer_with_epsilon, winner),
        phis=PHIS | {"RTB": f"smooth-top:{u0}"},
        own_phis=True,
    )
    for kind, designs, winner, u0 in (
        ("location", SCRIPT_LOCATION, "MWW", 0.7),
        ("scale", SCRIPT_SCALE, "RTB", 0.9),
    )
)
