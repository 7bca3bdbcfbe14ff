"""CLV21, Algorithm 1: how far apart two runs come that start a billionth apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from podium import Objective
from podium._types import FloatArray
from podium.datasets import LocationModel
from podium.experiments.clv21.designs import ALGORITHM_1, DESIGNS, N_PER_CLASS, N_STEPS, PHIS, exact_curve, ranker
from podium.experiments.clv21.replicates import FPR
from podium.experiments.experiment import Columns, Experiment, Finding, Outcome, Settings
from podium.models import LinearModel, Model, QuadraticModel
from podium.plots.canvas import COLORS, plain
from podium.solvers import GradientAscent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = ("Loc2", "Scale, ε = 0.8")
APART = 1e-9  # by which factor the second start is longer
READ_AT = (0, 10, 20, 30, 50)


def trials(quick: bool) -> list[Settings]:
    """Samples, each with a start of its own."""
    return [{"design": design, "replicate": i} for design in SHOWN for i in range(2 if quick else 20)]


def distances(settings: Settings, rng: np.random.Generator) -> Finding:
    """By φ: ‖θ − θ′‖/‖θ‖ at every step, and by how much the areas in the population differ at the end."""
    design = DESIGNS[settings["design"]]
    X, y = design.sample(N_PER_CLASS, N_PER_CLASS, rng)
    is_linear = isinstance(design, LocationModel)
    model: Model = LinearModel() if is_linear else QuadraticModel(linear_term=False)
    start = rng.standard_normal(model.n_features(X.shape[1]))
    found = {}
    for name, phi in PHIS.items():
        objective = Objective(ranker(design, phi, ALGORITHM_1, N_STEPS, 0).criterion, model, X, y)
        runs = [iterates(objective, begin) for begin in (start, start * (1 + APART))]
        apart = np.linalg.norm(runs[0] - runs[1], axis=1) / np.linalg.norm(runs[0], axis=1)
        ends = [run[-1] if is_linear else QuadraticModel(False).unpack(run[-1], X.shape[1])[0] for run in runs]
        areas = [exact_curve(design, end, FPR)[1] for end in ends]
        found[name] = {"apart": apart.tolist(), "areas": areas}
    return found


def iterates(objective: Objective, start: FloatArray) -> FloatArray:
    """θ⁽⁰⁾, …, θ⁽ᵀ⁾."""
    seen: list[FloatArray] = []

    def of_the_sum(theta: FloatArray) -> tuple[float, FloatArray]:
        seen.append(theta.copy())
        value, gradient = objective(theta)
        return N_PER_CLASS * value, N_PER_CLASS * gradient

    GradientAscent(N_STEPS).maximize(of_the_sum, start)
    return np.array(seen)


def conclude(settings: Sequence[Settings], findings: Sequence[Finding]) -> Outcome:
    """Medians over the samples, and the largest gap of areas."""
    columns: dict[str, list[float]] = {"step": [float(i) for i in range(N_STEPS + 1)]}
    ours: dict[str, Any] = {}
    told = []
    told_of = ("distance after 20 steps", f"distance after {N_STEPS} steps", "largest difference of AUC")
    for design in SHOWN:
        mine = [f for s, f in zip(settings, findings, strict=True) if s["design"] == design]
        for name in PHIS:
            apart = np.array([f[name]["apart"] for f in mine])
            gaps = np.abs(np.diff([f[name]["areas"] for f in mine], axis=1))
            low, middle, high = np.quantile(apart, (0.1, 0.5, 0.9), axis=0)
            for kind, line in (("median", middle), ("low", low), ("high", high)):
                columns[f"{design} | {name} | {kind}"] = [float(f"{value:.4g}") for value in line]
            ours[f"{design}, {name}"] = {
                **{f"distance after {step} steps": float(f"{middle[step]:.2g}") for step in READ_AT},
                "largest difference of AUC": float(f"{gaps.max():.2g}"),
            }
        at = {key: "/".join(format(ours[f"{design}, {name}"][key], ".0e") for name in PHIS) for key in told_of}
        told.append(f"{design}: {', '.join(f'{key} {values}' for key, values in at.items())}")
    return Outcome(
        paper={},
        ours=ours,
        claims=(),
        columns=columns,
        sentence=(
            f"Two runs whose starts differ by a factor 1 + {APART:g}, median relative distance for {'/'.join(PHIS)}. "
            f"{'. '.join(told)}. Where runs part, rounding decides where a single run ends: its curve cannot be "
            "reproduced, on another machine or in another order of summation, but the distribution of many can. What "
            "stays near its start, MWW and Pol of the location models, can be reproduced curve by curve."
        ),
    )


def draw(figure: Figure, columns: Columns) -> None:
    """A panel per design, a line per φ.

    The distance of two runs over the steps, on a logarithmic scale, a panel per design and a line per φ with a band
    of the middle four fifths: level near a billionth, or rising by eight powers of ten.
    """
    figure.set_size_inches(7.0, 3.6)
    panels = figure.subplots(1, len(SHOWN), sharey=True)
    for ax, design in zip(panels, SHOWN, strict=True):
        for color, style, name in zip(COLORS, ("-", "--", "-."), PHIS, strict=False):
            low, middle, high = (columns[f"{design} | {name} | {kind}"] for kind in ("low", "median", "high"))
            ax.plot(columns["step"], middle, style, color=color, label=name)
            ax.fill_between(columns["step"], low, high, color=color, alpha=0.15, linewidth=0)
        ax.set(yscale="log", xlabel="step")
        ax.set_title(design, fontsize=9)
        plain(ax)
    panels[0].set_ylabel("relative distance of two runs")
    panels[0].legend(frameon=False)


INSTABILITY: Experiment = Experiment(
    "clv21-instability",
    "CLV21, Algorithm 1",
    "Two runs that start a billionth apart",
    trials,
    distances,
    conclude,
    draw,
)
