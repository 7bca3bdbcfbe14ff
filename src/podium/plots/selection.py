"""Classes of scorers with what they reach on the sample, what they pay, and which was selected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from podium._types import FloatArray
from podium.plots.canvas import (
    COLORS,
    Display,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from podium.selection import PenalizedSelection


@dataclass
class SelectionDisplay(Display):
    """The table of a :class:`~podium.selection.PenalizedSelection`; the legend says if its penalty is an estimate.

    Attributes
    ----------
    names : array-like of str
        The names of the classes.
    empirical, penalty : ndarray
        What each class reaches on the sample, and what it pays.
    selected : int
        The position of the selected class.
    guaranteed : bool
        Whether the penalty is a bound rather than an estimate.
    ax_ : matplotlib.axes.Axes
        The axes last drawn on.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.plots import SelectionDisplay
    >>> display = SelectionDisplay(["linear", "quadratic"], np.array([0.6, 0.7]), np.array([0.1, 0.3]), 0, False)
    >>> display.frame()["penalized"]
    array([0.5, 0.4])
    """

    names: npt.ArrayLike
    empirical: FloatArray
    penalty: FloatArray
    selected: int
    guaranteed: bool

    _legend: ClassVar[dict[str, Any] | None] = {"fontsize": "small"}

    @classmethod
    def of(cls, selection: PenalizedSelection) -> SelectionDisplay:
        """From a fitted selection.

        Parameters
        ----------
        selection : PenalizedSelection
            A fitted selection.

        Returns
        -------
        SelectionDisplay
            The display; call ``plot`` to draw it.
        """
        table = selection.table_
        return cls(table["name"], table["empirical"], table["penalty"], selection.selected_, selection.guaranteed_)

    def frame(self) -> dict[str, Any]:
        """Names, values on the sample, penalties and their differences."""
        return {
            "name": list(self.names),  # type: ignore[arg-type]
            "empirical": self.empirical,
            "penalty": self.penalty,
            "penalized": self.empirical - self.penalty,
        }

    def _draw(self, ax: Axes) -> None:
        frame = self.frame()
        place = np.arange(len(frame["name"]))
        kind = "Penalty (guaranteed)" if self.guaranteed else "Penalty (an estimate or a guess)"
        ax.vlines(place, frame["penalized"], self.empirical, color=COLORS[0], linestyle=":", label=kind)
        ax.plot(place, self.empirical, "o", color=COLORS[0], label="On the sample")
        ax.plot(place, frame["penalized"], "s", color=COLORS[1], label="Less the penalty")
        chosen = frame["penalized"][self.selected]
        ring: dict[str, Any] = {"markersize": 15, "markerfacecolor": "none", "markeredgecolor": COLORS[6]}
        ax.plot([self.selected], [chosen], "o", linestyle="", label="Selected", **ring)
        ax.set_xticks(place, frame["name"])
        ax.set(xlim=(-0.5, len(place) - 0.5), xlabel="Class", ylabel="W/n")

    def _size(self) -> tuple[float, float]:
        return 1.5 + max(4.0, 0.8 * len(self.empirical)), 4.0
