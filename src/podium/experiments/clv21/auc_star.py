r"""The largest AUC of every design, twice: by formula or characteristic function, and by simulation.

With η the probability of a positive at z when both classes are equally frequent, AUC* = ½ + E|η(Z) − η(Z')| for two
independent rows of the pooled population: no indicator is left, so rows from scrambled Sobol points do far better than
random ones. It needs the densities alone, neither distributions of scores nor eigenvalues.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, ndtri
from scipy.stats import qmc

from podium._types import FloatArray
from podium.datasets import LocationModel, ScaleModel
from podium.experiments.clv21.designs import DESIGNS
from podium.experiments.experiment import Columns, Experiment, Finding, Outcome, Settings
from podium.plots.canvas import COLORS, FAINT, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FOUR_DIGITS = 5e-5


def trials(quick: bool) -> list[Settings]:
    """Independent scramblings of 2^20 points."""
    return [
        {"design": design, "log2_points": 15 if quick else 20, "scrambling": i}
        for design in DESIGNS
        for i in range(8 if quick else 16)
    ]


def simulated(settings: Settings, rng: np.random.Generator) -> Finding:
    """½ + the mean difference of η over all pairs of rows."""
    model = DESIGNS[settings["design"]]
    uniform = qmc.Sobol(model.dimension, rng=rng).random_base2(settings["log2_points"])
    # Sobol points are multiples of 2^−30 and 0 may be one of them.
    normal = ndtri(np.clip(uniform, 2**-31, 1 - 2**-31))
    eta = np.sort(expit(np.concatenate(_log_ratios(model, normal))))
    n = len(eta)
    return {"auc": 0.5 + 2 * float((2 * np.arange(1, n + 1) - n - 1) @ eta) / n**2}


def _log_ratios(model: LocationModel | ScaleModel, normal: FloatArray) -> tuple[FloatArray, FloatArray]:
    """ln(dG/dH) at positive and negative rows that are made of the same normal ones."""
    root = np.linalg.cholesky(model.covariance).T
    if isinstance(model, LocationModel):
        positive, negative = model.means
        noise, center = normal @ root @ model.theta, float(model.theta @ (positive + negative)) / 2
        return noise + positive @ model.theta - center, noise + negative @ model.theta - center
    constant = float(np.linalg.slogdet(model.covariance)[1]) / 2
    return model.optimal_scores(normal @ root) / 2 - constant, model.optimal_scores(normal) / 2 - constant


def conclude(settings: Sequence[Settings], findings: Sequence[Finding]) -> Outcome:
    """Exact values, simulated ones with their standard error, and whether four digits are the same."""
    values: dict[str, list[float]] = {}
    for trial, finding in zip(settings, findings, strict=True):
        values.setdefault(trial["design"], []).append(finding["auc"])
    exact = [DESIGNS[design].auc for design in values]
    mean = [float(np.mean(v)) for v in values.values()]
    error = [float(np.std(v, ddof=1) / np.sqrt(len(v))) for v in values.values()]
    gaps = [m - e for m, e in zip(mean, exact, strict=True)]
    same = sum(abs(g) < FOUR_DIGITS for g in gaps)
    by_chance = sum(abs(g) < 3 * s for g, s in zip(gaps, error, strict=True))
    ours = {
        design: {"exact": round(e, 6), "simulated": round(m, 6), "standard error": float(f"{s:.1e}")}
        for design, e, m, s in zip(values, exact, mean, error, strict=True)
    }
    listed = ", ".join(f"{e:.4f} ({design})" for design, e in zip(values, exact, strict=True))
    worst = max(abs(g) for g in gaps)
    return Outcome(
        paper={},
        ours=ours,
        columns={
            "design": list(values),
            "exact": exact,
            "simulated": mean,
            "standard error": error,
        },
        claims=(),
        sentence=(
            f"AUC* is {listed} by formula or characteristic function. {same} of {len(gaps)} simulations are within "
            f"{FOUR_DIGITS:.0e}, half a unit of the fourth digit, and {by_chance} within three standard errors; the "
            f"largest difference is {worst:.1e}, the largest standard error {max(error):.1e}. The paper draws ROC* but "
            "prints no area."
        ),
    )


def draw(figure: Figure, columns: Columns) -> None:
    """Simulated less exact, with two standard errors, and the limits within which four digits are the same.

    A point per design: simulated less exact AUC*, with bars of two standard errors, inside a gray band in which four
    digits are the same.
    """
    ax = figure.subplots()
    gap = np.array(columns["simulated"]) - np.array(columns["exact"])
    at = np.arange(len(gap))
    ax.axhspan(-FOUR_DIGITS, FOUR_DIGITS, color=FAINT, alpha=0.15, linewidth=0, label="four digits are the same")
    ax.axhline(0, color=FAINT, linewidth=0.8)
    ax.errorbar(at, gap, 2 * np.array(columns["standard error"]), fmt="o", color=COLORS[0], label="± 2 standard errors")
    names = [f"{d}\n{e:.4f}" for d, e in zip(columns["design"], columns["exact"], strict=True)]
    ax.set_xticks(at, [name.replace(", ", "\n") for name in names], fontsize=7)
    ax.set_ylabel("simulated AUC* less exact AUC*")
    ax.legend(frameon=False, loc="lower left")
    plain(ax)


AUC_STAR = Experiment(
    "clv21-auc-star", "CLV21, §5.2", "The largest AUC of every design, twice", trials, simulated, conclude, draw
)
