"""ROC curves in one picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from podium._types import FloatArray
from podium.exceptions import InputError
from podium.plots.canvas import COLORS, axes_or_new, finish_roc_square
from podium.roc import RocCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass
class RocDisplay:
    """ROC curves by name, each with its area in the legend.

    Attributes
    ----------
    curves : mapping of str to RocCurve
        The curves by name.
    ax_ : matplotlib.axes.Axes
        The axes last drawn on.

    Examples
    --------
    >>> from podium.plots import RocDisplay
    >>> display = RocDisplay.from_scores([0, 0, 1, 1], {"first": [1, 3, 2, 4], "second": [1, 2, 3, 4]})
    >>> sorted(display.curves)
    ['first', 'second']
    >>> display.frame()["first"]["tpr"]
    array([0. , 0.5, 0.5, 1. , 1. ])
    """

    curves: Mapping[str, RocCurve]
    ax_: Axes | None = None

    @classmethod
    def from_scores(
        cls, y_true: npt.ArrayLike, scores: npt.ArrayLike | Mapping[str, npt.ArrayLike], pos_label: Any = None
    ) -> RocDisplay:
        """The empirical curves of one scorer, or of several by name, on the same rows.

        Parameters
        ----------
        y_true : array-like
            The labels, one per row.
        scores : array-like or mapping of str to array-like
            The scores by one scorer, or by several by name.
        pos_label : object, optional
            The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

        Returns
        -------
        RocDisplay
            The display; call ``plot`` to draw it.
        """
        named = scores if isinstance(scores, Mapping) else {"ROC curve": scores}
        if not named:
            raise InputError("A display of ROC curves needs at least one; got an empty mapping.")
        return cls({name: RocCurve.from_scores(y_true, s, pos_label=pos_label) for name, s in named.items()})

    def frame(self) -> dict[str, dict[str, FloatArray]]:
        """By name: the breakpoints fpr and tpr, and the thresholds."""
        return {
            name: {"fpr": curve.fpr, "tpr": curve.tpr, "thresholds": curve.thresholds}
            for name, curve in self.curves.items()
        }

    def plot(self, ax: Axes | None = None, *, title: str | None = None) -> RocDisplay:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw on; new ones by default.
        title : str, optional
            A title above the axes.

        Returns
        -------
        RocDisplay
            The display itself.
        """
        self.ax_ = axes_or_new(ax, (5.0, 5.0))
        for i, (name, curve) in enumerate(self.curves.items()):
            # Solid, dashed, dotted: more than one way to tell curves apart.
            style = ("-", "--", "-.", ":")[i % 4]
            label = f"{name} (AUC {curve.auc():.3f})"
            self.ax_.plot(curve.fpr, curve.tpr, style, color=COLORS[i % len(COLORS)], linewidth=1.6, label=label)
        finish_roc_square(self.ax_, title)
        return self
