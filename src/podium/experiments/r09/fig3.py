"""R09, Figure 3: three discounts of a rank."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from podium.experiments.claims import ledger
from podium.experiments.experiment import Columns, Experiment, Finding, Outcome, Settings, once
from podium.plots.canvas import COLORS, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CURVES: dict[str, Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]]] = {  # from above, by the caption
    "DCG, 1/ln(1 + z)": lambda z: 1 / np.log1p(z),
    "AveR, 1/z": np.reciprocal,
    "IR Push, −ln(1 + z)": lambda z: -np.log1p(z),
}


def discounts(settings: Settings, rng: np.random.Generator) -> Finding:
    """On a grid of ranks."""
    z = np.linspace(0.25, 20, 396)
    return {"z": z.tolist(), **{name: curve(z).tolist() for name, curve in CURVES.items()}}


def conclude(settings: Sequence[Settings], findings: Sequence[Finding]) -> Outcome:
    """Order and shape."""
    (finding,) = findings
    values = np.array([finding[name] for name in CURVES])
    checks = {
        "order from above: DCG, AveR, IR Push": bool(np.all(np.diff(values, axis=0) < 0)),
        "all decrease": bool(np.all(np.diff(values) < 0)),
        "all are convex": bool(np.all(np.diff(values, 2) > 0)),
    }
    return Outcome(
        paper={},
        ours={},
        columns=finding,
        claims=ledger(checks),
        sentence="; ".join(f"{claim}: {'yes' if holds else 'no'}" for claim, holds in checks.items()) + ".",
    )


def draw(figure: Figure, columns: Columns) -> None:
    """The three curves.

    Three falling curves over the rank z: the discounts of DCG and AveR, both positive, and of the IR Push, negative.
    """
    ax = figure.subplots()
    for color, name in zip(COLORS, CURVES, strict=False):
        ax.plot(columns["z"], columns[name], color=color, label=name)
    ax.set(xlabel="rank z", ylabel="discount")
    ax.legend(frameon=False)
    plain(ax)


FIG3 = Experiment("r09-fig3", "R09, Figure 3", "Discounts of a rank", once, discounts, conclude, draw)
