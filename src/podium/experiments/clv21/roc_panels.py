"""Panels of ROC curves: the square, a magnified beginning, one legend below all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from podium.plots.canvas import FAINT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

OPTIMAL = "#D55E00"
BEGINNING = 0.1  # false positive rate up to which the inset goes


def grid_of_panels(figure: Figure, n_rows: int, n_columns: int) -> np.ndarray:
    """Square panels; the figure grows with their rows."""
    side = min(7.0 / n_columns, 2.8)
    figure.set_size_inches(7.0, (side + 0.35) * n_rows + 0.7)  # room for titles of two lines, and for the legend
    panels = figure.subplots(n_rows, n_columns, sharex=True, sharey=True, squeeze=False)
    for row in panels:
        for ax in row:
            ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), xticks=(0, 0.5, 1), yticks=(0, 0.5, 1))
            ax.set_aspect("equal")
            ax.plot([0, 1], [0, 1], color=FAINT, linewidth=0.6, linestyle=(0, (4, 4)), zorder=1)
        row[0].set_ylabel("True positive rate", fontsize=8)
    for ax in panels[-1]:
        ax.set_xlabel("False positive rate", fontsize=8)
    return np.asarray(panels)


def magnified(ax: Axes, top: float) -> Axes:
    """An inset in the empty corner with the beginning of the curves, up to this true positive rate."""
    inset = ax.inset_axes((0.56, 0.07, 0.41, 0.41))
    inset.set(xlim=(0, BEGINNING), ylim=(0, top), xticks=(), yticks=())
    # How far it goes stands inside it, clear of the curves: ticks would lie on those of the panel.
    x, y, across, up = (0.04, 0.95, "left", "top") if top < 0.8 else (0.96, 0.5, "right", "center")
    label = f"to {BEGINNING:g}\nand {top:g}"
    inset.text(x, y, label, transform=inset.transAxes, fontsize=5.5, ha=across, va=up)
    inset.plot([0, 1], [0, 1], color=FAINT, linewidth=0.6, linestyle=(0, (4, 4)), zorder=1)
    return inset


def legend_below(figure: Figure, ax: Axes) -> None:
    """What the lines of one panel are, below all panels."""
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False, fontsize=8)
