"""Bounds against the sample size at four shares of positives: the frame that Figures 1 and 3 have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from podium.experiments.experiment import Columns
from podium.plots.canvas import COLORS, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHARES = {"1/2": 1 / 2, "1/10": 1 / 10, "1/100": 1 / 100, "1/1000": 1 / 1000}
DELTA = 0.01
Bound = Callable[[int, int], float]  # of the numbers of positives and of negatives


def tabulate(sizes: Mapping[str, Sequence[float]], bounds: Mapping[str, Bound]) -> dict[str, list[Any]]:
    """Every bound at every size, by share."""
    columns: dict[str, list[Any]] = {"share": [], "size": [], **{name: [] for name in bounds}}
    for share, totals in sizes.items():
        for total in totals:
            n_pos = round(SHARES[share] * total)
            columns["share"].append(share)
            columns["size"].append(int(total))
            for name, bound in bounds.items():
                columns[name].append(bound(n_pos, int(total) - n_pos))
    return columns


def draw_panels(figure: Figure, columns: Columns, finish: Callable[[Axes], None]) -> None:
    """A panel for each share, a line for each bound."""
    shares, sizes = np.array(columns["share"]), np.array(columns["size"])
    names = [name for name in columns if name not in ("share", "size")]
    styles = ("-", "--", "-.", ":")
    panels = figure.subplots(2, 2).ravel()
    for ax, share in zip(panels, SHARES, strict=True):
        here = shares == share
        for i, name in enumerate(names):
            ax.plot(sizes[here], np.array(columns[name])[here], styles[i], color=COLORS[i], label=name)
        ax.set_title(f"share of positives {share}", fontsize=9)
        finish(ax)
        plain(ax)
    for ax in panels[2:]:
        ax.set_xlabel("sample size")
    for ax in panels[::2]:
        ax.set_ylabel("deviation $\\varepsilon$")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False)
