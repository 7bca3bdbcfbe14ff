"""Power of a study against its size."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from podium._types import Array, FloatArray
from podium.plots.canvas import (
    COLORS,
    Display,
    level_line,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass
class PowerDisplay(Display):
    """The power of studies against their number of positives, by name.

    Attributes
    ----------
    n_pos : ndarray
        The numbers of positives.
    power : mapping of str to ndarray
        The powers there, by the names that the legend gives them.
    negatives_per_positive : float
        Number of negatives per positive.
    wanted : float
        The target power, drawn as a line.
    ax_ : matplotlib.axes.Axes
        The axes last drawn on.

    Examples
    --------
    >>> from podium.inference import power_one_auc
    >>> from podium.plots import PowerDisplay
    >>> display = PowerDisplay.of({"AUC 0.7": lambda n, m: power_one_auc(0.7, n, m)}, n_pos=[20, 40])
    >>> display.power["AUC 0.7"].round(2)
    array([0.57, 0.86])
    """

    n_pos: Array
    power: Mapping[str, FloatArray]
    negatives_per_positive: float = 1.0
    wanted: float = 0.9

    _legend: ClassVar[dict[str, Any] | None] = {"loc": "lower right"}

    @classmethod
    def of(
        cls,
        power: Mapping[str, Callable[[int, int], float]],
        n_pos: npt.ArrayLike,
        *,
        negatives_per_positive: float = 1.0,
        wanted: float = 0.9,
    ) -> PowerDisplay:
        """From functions of the numbers of positives and negatives, such as those of `podium.inference`.

        Parameters
        ----------
        power : mapping of str to callable
            By name: a function of the numbers of positives and of negatives that returns the power.
        n_pos : array-like
            The numbers of positives at which to compute it.
        negatives_per_positive : float
            Number of negatives per positive.
        wanted : float
            The target power.

        Returns
        -------
        PowerDisplay
            The display; call ``plot`` to draw it.
        """
        sizes = np.asarray(n_pos, dtype=int)
        computed = {
            name: np.array([one(int(n), max(1, round(negatives_per_positive * n))) for n in sizes])
            for name, one in power.items()
        }
        return cls(sizes, computed, negatives_per_positive, wanted)

    def frame(self) -> dict[str, Any]:
        """The numbers of positives and the powers by name."""
        return {"n_pos": self.n_pos, **self.power}

    def _draw(self, ax: Axes) -> None:
        level_line(ax, self.wanted, f"Power {self.wanted:g}")
        for i, (name, power) in enumerate(self.power.items()):
            style = ("-", "--", "-.", ":")[i % 4]
            ax.plot(self.n_pos, power, style, color=COLORS[i % len(COLORS)], linewidth=1.6, label=name)
        each = f"{self.negatives_per_positive:g} negative{'s' * (self.negatives_per_positive != 1)} for each"
        ax.set(ylim=(0, 1.02), xlabel=f"Positives ({each})", ylabel="Power")
