"""The curve of a ranking tree, with the points between its segments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from podium._types import FloatArray
from podium.plots.canvas import COLOURS, axes_or_new, finish_roc_square
from podium.rankers import Segments

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass
class SegmentsDisplay:
    """The polygonal line from segment to segment, best first, with a cross of limits at every point.

    Attributes
    ----------
    segments : Segments
        The segments; those of rows that the tree was not grown on have limits.
    ax_ : matplotlib.axes.Axes
        The axes that were drawn on last.

    Examples
    --------
    >>> from podium import TreeRanker
    >>> from podium.datasets import LocationModel
    >>> from podium.plots import SegmentsDisplay
    >>> X, y = LocationModel(0.5, dimension=3).sample(300, 300, rng=0)
    >>> display = SegmentsDisplay(TreeRanker().fit(X[::2], y[::2]).segments(X[1::2], y[1::2]))
    >>> sorted(display.frame())
    ['fpr', 'fpr_high', 'fpr_low', 'tpr', 'tpr_high', 'tpr_low']
    """

    segments: Segments
    ax_: Axes | None = None

    def frame(self) -> dict[str, FloatArray]:
        """True and false positive rate after every segment, with their limits."""
        names = (f"{rate}{end}" for rate in ("fpr", "tpr") for end in ("", "_low", "_high"))
        return {name: getattr(self.segments, name) for name in names}

    def plot(self, ax: Axes | None = None, *, title: str | None = None) -> SegmentsDisplay:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw on; new ones by default.
        title : str, optional
            A title above the axes.

        Returns
        -------
        SegmentsDisplay
            The display itself.
        """
        self.ax_ = axes_or_new(ax, (5.0, 5.0))
        at = self.segments
        fpr, tpr = np.append(0.0, at.fpr), np.append(0.0, at.tpr)
        label = f"{len(at.rules)} segments (AUC {np.trapezoid(tpr, fpr):.3f})"
        self.ax_.plot(fpr, tpr, "o-", color=COLOURS[0], markersize=4, linewidth=1.6, label=label)
        if at.confidence_level is not None:
            style: dict[str, Any] = {"color": COLOURS[0], "alpha": 0.4, "linewidth": 1.0}
            self.ax_.hlines(at.tpr[:-1], at.fpr_low[:-1], at.fpr_high[:-1], **style)
            limits = f"{100 * at.confidence_level:.12g} % limits of each rate by itself"
            self.ax_.vlines(at.fpr[:-1], at.tpr_low[:-1], at.tpr_high[:-1], label=limits, **style)
        finish_roc_square(self.ax_, title)
        return self
