"""A decision curve with its band."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from podium._types import FloatArray
from podium.inference import DecisionCurve, decision_curve
from podium.plots.canvas import COLORS, FAINT, axes_or_new, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass
class DecisionDisplay:
    """Net benefit against the threshold probability, with acting on all and on none.

    Attributes
    ----------
    curve : DecisionCurve
        The curve and its band.
    ax_ : matplotlib.axes.Axes
        The axes last drawn on.

    Examples
    --------
    >>> from podium.plots import DecisionDisplay
    >>> display = DecisionDisplay.from_scores([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9])
    >>> list(display.frame())
    ['threshold', 'net_benefit', 'low', 'high', 'act_on_all']
    """

    curve: DecisionCurve
    ax_: Axes | None = None

    @classmethod
    def from_scores(
        cls, y_true: npt.ArrayLike, y_prob: npt.ArrayLike, pos_label: Any = None, **options: Any
    ) -> DecisionDisplay:
        """The decision curve of probabilities.

        Parameters
        ----------
        y_true, y_prob : array-like
            Labels and probabilities of the positive class, one of each per row.
        pos_label : object, optional
            The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.
        **options : dict
            The options of :func:`podium.inference.decision_curve`, such as ``thresholds``.

        Returns
        -------
        DecisionDisplay
            The display; call ``plot`` to draw it.
        """
        return cls(decision_curve(y_true, y_prob, pos_label=pos_label, **options))

    def frame(self) -> dict[str, FloatArray]:
        """The curve, its band, and acting on all."""
        return {name: getattr(self.curve, name) for name in ("threshold", "net_benefit", "low", "high", "act_on_all")}

    def plot(self, ax: Axes | None = None, *, title: str | None = None) -> DecisionDisplay:
        """Draw the curve, its band, and what acting on all or on none is worth.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw on; new ones by default.
        title : str, optional
            A title above the axes.

        Returns
        -------
        DecisionDisplay
            The display itself.
        """
        self.ax_ = axes_or_new(ax, (6.0, 4.0))
        curve, color = self.curve, COLORS[0]
        self.ax_.fill_between(
            curve.threshold, curve.low, curve.high, facecolor=color, alpha=0.2, linewidth=0, label=curve.label
        )
        self.ax_.plot(curve.threshold, curve.net_benefit, color=color, linewidth=1.6, label="Act on rows above")
        self.ax_.plot(curve.threshold, curve.act_on_all, color=COLORS[1], linewidth=1.0, label="Act on all")
        self.ax_.axhline(0.0, color=FAINT, linewidth=0.8, linestyle=(0, (4, 4)), label="Act on none")
        # Acting on all is worth minus infinity towards a threshold of 1: what is below the useful range is left out.
        top = max(curve.prevalence, float(curve.high.max()))
        self.ax_.set(ylim=(-0.5 * top, 1.1 * top), xlabel="Threshold probability", ylabel="Net benefit per row")
        if title:
            self.ax_.set_title(title)
        plain(self.ax_)
        self.ax_.legend(frameon=False)
        return self
