"""CLV21, Figure 1: a negative distribution, three positive ones, and their ROC curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr
from scipy.stats import norm

from podium.experiments.claims import ledger
from podium.experiments.experiment import Columns, Experiment, Finding, Outcome, Settings, once
from podium.plots.canvas import COLORS, plain, roc_square
from podium.roc import RocCurve

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The paper prints no parameters. One shifted, one shifted and narrower, one that is only wider: not larger everywhere.
NEGATIVE = (0.0, 1.0)
POSITIVES = {"shifted": (1.0, 1.0), "shifted, narrower": (1.5, 0.7), "wider": (0.0, 2.0)}
_AT = np.linspace(-14.0, 14.0, 5_601)


def curves(settings: Settings, rng: np.random.Generator) -> Finding:
    """By name: the area under 1 − G∘H⁻¹(1 − α), P(Y < X) in closed form, and both sides of the equivalence of §2.1."""
    fpr = norm.sf(_AT[::-1], *NEGATIVE)
    pairs = {}
    for name, (mean, deviation) in POSITIVES.items():
        curve = RocCurve.from_points(fpr, norm.sf(_AT[::-1], mean, deviation))
        pairs[name] = {
            "area": curve.auc(),
            "probability": float(ndtr((mean - NEGATIVE[0]) / np.hypot(deviation, NEGATIVE[1]))),
            "above the diagonal": bool((curve.tpr >= curve.fpr - 1e-15).all()),
            "stochastically larger": bool((norm.cdf(_AT, mean, deviation) <= norm.cdf(_AT, *NEGATIVE) + 1e-15).all()),
        }
    return pairs


def conclude(settings: Sequence[Settings], findings: Sequence[Finding]) -> Outcome:
    """The area is P(Y < X), and the curve is above the diagonal where G is stochastically larger."""
    pairs = findings[0]
    gap = max(abs(f["area"] - f["probability"]) for f in pairs.values())
    same = sum(f["above the diagonal"] == f["stochastically larger"] for f in pairs.values())
    claims = {
        "the area under the curve is P(Y < X)": gap < 1e-4,
        "above the diagonal if and only if stochastically larger": same == len(pairs),
    }
    shown = np.linspace(-4, 6, 201)
    columns = {"score": shown.tolist(), "density, negatives": norm.pdf(shown, *NEGATIVE).round(6).tolist()}
    fpr = np.linspace(0, 1, 201)
    columns["fpr"] = fpr.tolist()
    for name, law in POSITIVES.items():
        columns[f"density, {name}"] = norm.pdf(shown, *law).round(6).tolist()
        columns[f"tpr, {name}"] = norm.sf(norm.isf(fpr, *NEGATIVE), *law).round(6).tolist()
    areas = ", ".join(f"{name} {f['area']:.4f}" for name, f in pairs.items())
    return Outcome(
        paper={},
        ours={f"area, {name}": round(f["area"], 5) for name, f in pairs.items()},
        columns=columns,
        claims=ledger(claims),
        sentence=(
            f"The areas ({areas}) are P(Y < X) within {gap:.0e}, and in {same} of {len(pairs)} cases the curve is "
            "above the diagonal exactly if G is stochastically larger; the paper names no parameters: these are ours."
        ),
        errata=[
            "§2.1: the curve is 1 − G∘H⁻¹(1 − α) at points where H∘H⁻¹(1 − α) = 1 − α; the paper prints G∘H⁻¹ there.",
        ],
    )


def draw(figure: Figure, columns: Columns) -> None:
    """Densities, and the curves in the same colors.

    Left, four bell-shaped densities: the negatives, and positives shifted, shifted and narrower, or wider; right, the
    three ROC curves, of which that of the wider one crosses the diagonal.
    """
    figure.set_size_inches(7.0, 3.4)
    left, right = figure.subplots(1, 2)
    left.plot(columns["score"], columns["density, negatives"], color=COLORS[0], label="negatives, H")
    for i, name in enumerate(POSITIVES):
        style, color = ("-", "--", "-.")[i], (COLORS[1], COLORS[5], COLORS[2])[i]
        left.plot(columns["score"], columns[f"density, {name}"], style, color=color, label=f"positives, {name}")
        right.plot(columns["fpr"], columns[f"tpr, {name}"], style, color=color, label=name)
    left.set(xlabel="score", ylabel="density", ylim=(0, 0.85))
    left.legend(frameon=False, fontsize=8)
    plain(left)
    roc_square(right)
    plain(right)
    right.legend(loc="lower right", frameon=False)


FIG1 = Experiment(
    "clv21-fig1", "CLV21, Figure 1", "Pairs of distributions and their ROC curves", once, curves, conclude, draw
)
