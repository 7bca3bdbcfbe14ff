"""R09, Table 2: the larger p, the more the list that is right at the top is preferred to the one right below it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from podium import metrics
from podium.experiments.claims import ledger, same
from podium.experiments.experiment import Columns, Experiment, Finding, Outcome, Settings, once
from podium.experiments.r09.push_tables import agreement
from podium.plots.canvas import COLORS, FAINT, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LABELS = (1, 1, -1, -1, -1, -1, -1, 1, 1, 1, 1, 1, -1, -1)
F1 = np.arange(14, 0, -1) / 14
SCALE = 0.5  # the table was computed with half the stated scores
SCORES = {"f1": SCALE * F1, "f2": -SCALE * F1}
POWERS = range(1, 11)
# The columns f1 and f2 of each loss, with their powers of ten multiplied out.
PRINTED = {
    "zero_one": {
        "f1": ["25", "125", "625", "3.13e3", "1.56e4", "7.81e4", "3.91e5", "1.95e6", "9.77e6", "4.88e7"],
        "f2": ["24", "118", "726", "4.88e3", "3.38e4", "23.56e4", "16.48e5", "11.53e6", "80.71e6", "56.50e7"],
    },
    "exponential": {
        "f1": ["50.25", "367.39", "2.73e3", "2.056e4", "1.56e5", "1.20e6", "9.34e6", "7.29e7", "5.72e8", "4.50e9"],
        "f2": ["49.80", "362.35", "2.70e3", "2.057e4", "1.60e5", "1.28e6", "10.36e6", "8.53e7", "7.13e8", "6.02e9"],
    },
    "logistic": {
        "f1": ["34.34", "170.18", "851.09", "4.29e3", "2.18e4", "1.114e5", "5.72e5", "2.96e6", "1.53e7", "7.98e7"],
        "f2": ["34.09", "167.90", "836.46", "4.22e3", "2.15e4", "1.110e5", "5.79e5", "3.05e6", "1.63e7", "8.74e7"],
    },
}
# The first p at which the column "argmin" says f1; below it says f2, from there on f1.
PRINTED_TURN = {"zero_one": 3, "exponential": 4, "logistic": 7}


def risks(settings: Settings, rng: np.random.Generator) -> Finding:
    """R_{p,ℓ} of both lists, by loss, list and p."""
    return {
        loss: {
            name: [metrics.push_risk(LABELS, scores, p=p, loss=loss) for p in POWERS] for name, scores in SCORES.items()
        }
        for loss in PRINTED
    }


def conclude(settings: Sequence[Settings], findings: Sequence[Finding]) -> Outcome:
    """Sixty values and thirty preferences."""
    ours = findings[0]
    cells = [(loss, name, p) for loss in PRINTED for name in SCORES for p in POWERS]
    values = [ours[loss][name][p - 1] for loss, name, p in cells]
    printed = [PRINTED[loss][name][p - 1] for loss, name, p in cells]
    agreements = [agreement(value, text) for value, text in zip(values, printed, strict=True)]
    names = [f"{loss}, {name}, p={p}" for loss, name, p in cells]
    preferred = {
        f"{loss}, argmin, p={p}": "f1" if ours[loss]["f1"][p - 1] < ours[loss]["f2"][p - 1] else "f2"
        for loss in PRINTED
        for p in POWERS
    }
    printed_preferred = {
        f"{loss}, argmin, p={p}": "f1" if p >= turn else "f2" for loss, turn in PRINTED_TURN.items() for p in POWERS
    }
    preferences = sum(preferred[cell] == printed_preferred[cell] for cell in preferred)
    cut = [
        f"{name} ({value:.6g}, printed {text})"
        for name, value, text, how in zip(names, values, printed, agreements, strict=True)
        if how == "truncated"
    ]
    total = len(values) + len(preferred)
    right = agreements.count("rounded") + preferences
    return Outcome(
        paper={**{n: float(text) for n, text in zip(names, printed, strict=True)}, **printed_preferred},
        ours={**{n: float(f"{value:.12g}") for n, value in zip(names, values, strict=True)}, **preferred},
        columns={
            "loss": [loss for loss, _, _ in cells],
            "list": [name for _, name, _ in cells],
            "p": [p for _, _, p in cells],
            "paper": [float(text) for text in printed],
            "ours": values,
            "agreement": agreements,
        },
        claims=(
            *ledger({name: how == "rounded" for name, how in zip(names, agreements, strict=True)}),
            *same(printed_preferred, preferred),
        ),
        sentence=(
            f"With half the stated scores {right} of {total} cells agree to the last digit ({preferences} of "
            f"{len(preferred)} preferences among them); cut off instead of rounded: {', '.join(cut) or 'none'}; "
            f"{agreements.count('no') + len(preferred) - preferences} differ."
        ),
        errata=[
            "Table 2 was computed with f/2 instead of the stated f.",
            *(f"Truncated, not rounded: {cell}." for cell in cut),
        ],
    )


def draw(figure: Figure, columns: Columns) -> None:
    """The p-th root of R_p(f2) / R_p(f1): above one, the list that is right at the top is preferred.

    A line per loss over p: the p-th root of R_p(f2) / R_p(f1), rising above one, where the list that is right at the
    top is preferred; circles of the printed values lie on the lines.
    """
    ax = figure.subplots()
    for i, loss in enumerate(dict.fromkeys(columns["loss"])):
        rows = [j for j, at in enumerate(columns["loss"]) if at == loss]
        first, second = ([j for j in rows if columns["list"][j] == name] for name in ("f1", "f2"))
        p = [columns["p"][j] for j in first]
        for kind, style in (("ours", "-"), ("paper", "o")):
            ratio = np.array([columns[kind][j] for j in second]) / [columns[kind][j] for j in first]
            ax.plot(
                p,
                ratio ** (1 / np.array(p)),
                style,
                color=COLORS[i],
                markerfacecolor="none",
                label=loss if kind == "ours" else None,
            )
    ax.plot([], [], "o", color=FAINT, markerfacecolor="none", label="printed")
    ax.axhline(1, color=FAINT, linewidth=0.8, linestyle=(0, (4, 4)))
    ax.set(xlabel="p", ylabel="$(R_p(f_2)\\,/\\,R_p(f_1))^{1/p}$", xticks=list(POWERS))
    ax.text(10, 0.96, "above the line $f_1$, right at the top, is preferred", ha="right", color=FAINT)
    ax.legend(frameon=False, loc="upper left")
    plain(ax)


TABLE2 = Experiment(
    "r09-table2",
    "R09, Table 2",
    "From which p on the right top is preferred",
    once,
    risks,
    conclude,
    draw,
)
