"""R09, Table 1: what a swap costs at the bottom and at the top of a list of eight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from podium import metrics
from podium.experiments.experiment import Columns, Experiment, Finding, Outcome, Settings, once
from podium.plots.canvas import COLOURS, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LABELS = (-1, 1, -1, 1, -1, -1, 1, 1)
LISTS = {
    "as given": (1, 2, 3, 4, 5, 6, 7, 8),
    "swap on the bottom": (2, 1, 3, 4, 5, 6, 7, 8),
    "swap on the top": (1, 2, 3, 4, 5, 7, 6, 8),
}
PAPER = {
    "zero_one": (33.0, 34.0, 98.0),
    "exponential": (17160.17, 72289.39, 130515.09),
    "logistic": (430.79, 670.20, 1212.23),
}


def risks(settings: Settings, rng: np.random.Generator) -> Finding:
    """R_{4,ℓ} of the three lists, with half the stated scores."""
    return {
        loss: [metrics.push_risk(LABELS, np.array(scores) / 2, p=4, loss=loss) for scores in LISTS.values()]
        for loss in PAPER
    }


def conclude(settings: Sequence[Settings], findings: Sequence[Finding]) -> Outcome:
    """All nine cells."""
    ours = findings[0]
    right = sum(round(a, 2) == b for loss in PAPER for a, b in zip(ours[loss], PAPER[loss], strict=True))
    cells = [(loss, name) for loss in PAPER for name in LISTS]
    return Outcome(
        paper={f"{loss}, {name}": value for (loss, name), value in zip(cells, sum(PAPER.values(), ()), strict=True)},
        ours={
            f"{loss}, {name}": round(value, 2) for loss in PAPER for name, value in zip(LISTS, ours[loss], strict=True)
        },
        columns={
            "loss": [loss for loss, _ in cells],
            "list": [name for _, name in cells],
            "paper": [value for loss in PAPER for value in PAPER[loss]],
            "ours": [value for loss in PAPER for value in ours[loss]],
        },
        verdict="agrees" if right == 9 else "differs",
        sentence=f"{right} of 9 values agree to the last digit, with half the stated scores.",
        errata=["Table 1 was computed with f/2 instead of the stated f."],
    )


def draw(figure: Figure, columns: Columns) -> None:
    """How many times the risk of the list as given."""
    ax = figure.subplots()
    width = 0.26
    for i, loss in enumerate(PAPER):
        ours = [o for o, at in zip(columns["ours"], columns["loss"], strict=True) if at == loss]
        ax.bar(np.arange(3) + (i - 1) * width, np.array(ours) / ours[0], width, color=COLOURS[i], label=loss)
    ax.set_xticks(range(3), list(LISTS))
    ax.set_ylabel("$R_4$ relative to the list as given")
    ax.legend(frameon=False)
    plain(ax)


TABLE1 = Experiment(
    "r09-table1", "R09, Table 1", "The price of a swap at the bottom and at the top", once, risks, conclude, draw
)
