"""What all displays share: the axes to draw on, the frame around the picture, colors, the square of the ROC curve."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy.typing as npt

from podium import _optional

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Of Okabe and Ito (2008): told apart by people with any of the common color deficiencies, and in gray.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
POSITIVE, NEGATIVE = COLORS[1], COLORS[0]
FAINT = "#808080"


@dataclass
class Display(ABC):
    """Something that was computed elsewhere and can be drawn; a subclass draws itself on axes by ``_draw``."""

    ax_: Axes | None = field(default=None, kw_only=True)

    _legend: ClassVar[dict[str, Any] | None] = {}  # None: there is none
    _title_size: ClassVar[str | None] = None

    def plot(self, ax: Axes | None = None, *, title: str | None = None) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw on; new ones by default.
        title : str, optional
            A title above the axes; by default what there is to say, if anything.

        Returns
        -------
        Display
            The display itself, with the axes in ``ax_``.
        """
        if ax is None:
            pyplot = _optional.load("matplotlib.pyplot", "podium.plots")
            ax = pyplot.subplots(figsize=self._size(), layout="constrained")[1]
        assert ax is not None
        self.ax_ = ax
        self._draw(ax)
        if title := title or self._title():
            ax.set_title(title, fontsize=self._title_size)
        plain(ax)
        if self._legend is not None:
            ax.legend(**{"frameon": False} | self._legend)
        return self

    @abstractmethod
    def _draw(self, ax: Axes) -> None:
        """All but title, frame and legend."""

    def _size(self) -> tuple[float, float]:
        """Width and height of a new figure in inches."""
        return 6.0, 4.0

    def _title(self) -> str | None:
        return None


@dataclass
class RocSquareDisplay(Display):
    """A display in the square of the ROC curve."""

    _legend: ClassVar[dict[str, Any] | None] = {"loc": "lower right"}  # the empty corner

    def _size(self) -> tuple[float, float]:
        return 5.0, 5.0


def roc_square(ax: Axes) -> None:
    """Both rates from 0 to 1 at one scale, and the line of random order."""
    ax.plot([0, 1], [0, 1], color=FAINT, linewidth=0.8, linestyle=(0, (4, 4)), zorder=1)
    # A little room: a curve along the edge must not hide under the frame.
    ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), xlabel="False positive rate", ylabel="True positive rate")
    ax.set_aspect("equal")


def level_line(ax: Axes, height: float, label: str | None = None) -> None:
    """A faint dashed line to compare with."""
    ax.axhline(height, color=FAINT, linewidth=0.8, linestyle=(0, (4, 4)), label=label)


def shade(ax: Axes, x: npt.ArrayLike, low: npt.ArrayLike, high: npt.ArrayLike, label: str) -> None:
    """A band of limits in the first color."""
    ax.fill_between(x, low, high, facecolor=COLORS[0], alpha=0.2, linewidth=0, label=label)


def plain(ax: Axes) -> None:
    """Two sides of the frame are enough."""
    ax.spines[["top", "right"]].set_visible(False)
