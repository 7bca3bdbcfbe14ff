"""A05, Figure 2: how many more test rows the AUC needs than the error rate."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from podium import bounds
from podium.experiments import claims
from podium.experiments.experiment import Columns, Experiment, Finding, Outcome, Settings, once
from podium.plots.canvas import COLORS, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EPSILON, DELTA = 0.1, 0.01  # the factor depends on neither


def factors(settings: Settings, rng: np.random.Generator) -> Finding:
    """Sample sizes for the AUC over that for the error rate, ln(2/δ)/(2ε²), by the share of positives."""
    error_rate = np.log(2 / DELTA) / (2 * EPSILON**2)
    size = partial(bounds.auc_sample_size, confidence_level=1 - DELTA)
    skews = np.linspace(0.01, 0.99, 99).round(2).tolist()
    return {
        "skew": skews,
        "paper": [size(EPSILON, skew) / error_rate for skew in skews],
        "ours": [size(EPSILON, skew, method="hoeffding") / error_rate for skew in skews],
    }


def conclude(settings: Sequence[Settings], findings: Sequence[Finding]) -> Outcome:
    """The printed factor 1/(ρ(1 − ρ)), and ours, 1/min(ρ, 1 − ρ)."""
    (found,) = findings
    skew, paper, ours = (np.array(found[name]) for name in ("skew", "paper", "ours"))
    even = int(np.argmin(np.abs(skew - 0.5)))
    off = float(np.abs(paper * skew * (1 - skew) - 1).max())
    agrees = off < 1e-12 and abs(paper[even] - 4) < 1e-12
    return Outcome(
        paper={"factor at equal classes": 4.0, "factor at a share of 0.01": round(1 / (0.01 * 0.99), 9)},
        ours={
            "factor at equal classes": round(float(paper[even]), 9),
            "factor at a share of 0.01": round(float(paper[0]), 9),
            "at equal classes, by disjoint pairs": round(float(ours[even]), 9),
            "at a share of 0.01, by disjoint pairs": round(float(ours[0]), 9),
        },
        columns={"share of positives": skew.tolist(), "paper": paper.tolist(), "ours": ours.tolist()},
        claims=claims.ledger({"the factor is 1/(ρ(1 − ρ)), 4 at equal classes": agrees}),
        sentence=(
            f"The factor 1/(ρ(1 − ρ)) comes out to within {max(off, 1e-12):.0e}, {paper[even]:.3g} at equal classes; "
            f"by disjoint pairs {ours[even]:.3g} is enough there, and {ours[0]:.4g} instead of {paper[0]:.4g} at a "
            "share of 0.01."
        ),
    )


def draw(figure: Figure, columns: Columns) -> None:
    """Two curves over the share of positives.

    Two curves over the share of positives, lowest in the middle and steep at both ends, the paper's above ours.
    """
    ax = figure.subplots()
    ax.plot(columns["share of positives"], columns["paper"], color=COLORS[1], label="paper: 1/(ρ(1 − ρ))")
    ax.plot(columns["share of positives"], columns["ours"], "--", color=COLORS[0], label="ours: 1/min(ρ, 1 − ρ)")
    ax.set(xlabel="share of positives ρ", ylabel="test rows, relative to the error rate", ylim=(0, 60), xlim=(0, 1))
    ax.legend(frameon=False, loc="upper center")
    plain(ax)


FIG2 = Experiment(
    "a05-fig2", "A05, Figure 2", "Test rows for the AUC, relative to the error rate", once, factors, conclude, draw
)
