"""R09, Table 1: what a swap costs at the bottom and at the top of a list of eight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from podium import metrics
from podium.experiments.claims import ledger
from podium.experiments.experiment import Columns, Experiment, Finding, Outcome, Settings, once
from podium.experiments.r09.push_tables import agreement
from podium.plots.canvas import COLORS, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LABELS = (-1, 1, -1, 1, -1, -1, 1, 1)
LISTS = {
    "as given": (1, 2, 3, 4, 5, 6, 7, 8),
    "swap on the bottom": (2, 1, 3, 4, 5, 6, 7, 8),
    "swap on the top": (1, 2, 3, 4, 5, 7, 6, 8),
}
PRINTED = {
    "zero_one": ("33", "34", "98"),
    "exponential": ("17160.17", "72289.39", "130515.09"),
    "logistic": ("430.79", "670.20", "1212.23"),
}
SCALE = 0.5  # the table was computed with half the stated scores
CELLS = [(loss, name) for loss in PRINTED for name in LISTS]


def risks(settings: Settings, rng: np.random.Generator) -> Finding:
    """R_{4,ℓ} of the three lists."""
    return {"risks": [metrics.push_risk(LABELS, SCALE * np.array(LISTS[name]), p=4, loss=loss) for loss, name in CELLS]}


def conclude(settings: Sequence[Settings], findings: Sequence[Finding]) -> Outcome:
    """All nine cells."""
    ours = findings[0]["risks"]
    printed = [text for column in PRINTED.values() for text in column]
    names = [f"{loss}, {name}" for loss, name in CELLS]
    right = {name: agreement(value, text) == "rounded" for name, value, text in zip(names, ours, printed, strict=True)}
    return Outcome(
        paper=dict(zip(names, map(float, printed), strict=True)),
        ours={name: round(value, 2) for name, value in zip(names, ours, strict=True)},
        columns={
            "loss": [loss for loss, _ in CELLS],
            "list": [name for _, name in CELLS],
            "paper": [float(text) for text in printed],
            "ours": ours,
        },
        claims=ledger(right),
        sentence=f"{sum(right.values())} of {len(CELLS)} values agree to the last digit, with half the stated scores.",
        errata=["Table 1 was computed with f/2 instead of the stated f."],
    )


def draw(figure: Figure, columns: Columns) -> None:
    """How many times the risk of the list as given.

    Bars, three losses by three lists: how many times the risk of the list as given; highest for the swap at the top.
    """
    ax = figure.subplots()
    width = 0.26
    for i, loss in enumerate(dict.fromkeys(columns["loss"])):
        ours = [value for value, at in zip(columns["ours"], columns["loss"], strict=True) if at == loss]
        ax.bar(np.arange(3) + (i - 1) * width, np.array(ours) / ours[0], width, color=COLORS[i], label=loss)
    ax.set_xticks(range(3), list(dict.fromkeys(columns["list"])))
    ax.set_ylabel("$R_4$ relative to the list as given")
    ax.legend(frameon=False)
    plain(ax)


TABLE1 = Experiment(
    "r09-table1", "R09, Table 1", "The price of a swap at the bottom and at the top", once, risks, conclude, draw
)
