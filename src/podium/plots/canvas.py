"""What all displays share: the axes to draw on, the colors, the square of the ROC curve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podium import _optional

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Of Okabe and Ito (2008): told apart by people with any of the common color deficiencies, and in gray.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
POSITIVE, NEGATIVE = COLORS[1], COLORS[0]
FAINT = "#808080"


def axes_or_new(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """The given axes, or those of a new figure of this size in inches."""
    if ax is not None:
        return ax
    pyplot = _optional.load("matplotlib.pyplot", "podium.plots")
    return pyplot.subplots(figsize=size, layout="constrained")[1]


def finish_roc_square(ax: Axes, title: str | None) -> None:
    """Both rates from 0 to 1 at one scale, the line of random order, and the legend in the empty corner."""
    ax.plot([0, 1], [0, 1], color=FAINT, linewidth=0.8, linestyle=(0, (4, 4)), zorder=1)
    # A little room: a curve along the edge must not hide under the frame.
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), xlabel="False positive rate", ylabel="True positive rate")
    ax.set_aspect("equal")
    if title:
        ax.set_title(title)
    plain(ax)
    ax.legend(loc="lower right", frameon=False)


def plain(ax: Axes) -> None:
    """Two sides of the frame are enough."""
    ax.spines[["top", "right"]].set_visible(False)
