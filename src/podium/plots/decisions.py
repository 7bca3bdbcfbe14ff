"""What to do: decision curves, the cutoff of a shortlist, and the profit of every cutoff."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from podium._results import wording
from podium._types import FloatArray
from podium.inference import DecisionCurve, decision_curve
from podium.plots.canvas import (
    COLORS,
    Display,
    level_line,
    shade,
)
from podium.plots.scores import ScoreDisplay
from podium.shortlist import ProfitShortlist, Shortlist, ShortlistPath

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass
class DecisionDisplay(Display):
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

    def _draw(self, ax: Axes) -> None:
        curve, color = self.curve, COLORS[0]
        shade(ax, curve.threshold, curve.low, curve.high, curve.label)
        ax.plot(curve.threshold, curve.net_benefit, color=color, linewidth=1.6, label="Act on rows above")
        ax.plot(curve.threshold, curve.act_on_all, color=COLORS[1], linewidth=1.0, label="Act on all")
        level_line(ax, 0.0, "Act on none")
        # Acting on all is worth minus infinity towards a threshold of 1: what is below the useful range is left out.
        top = max(curve.prevalence, float(curve.high.max()))
        ax.set(ylim=(-0.5 * top, 1.1 * top), xlabel="Threshold probability", ylabel="Net benefit per row")


@dataclass
class ShortlistDisplay(Display):
    """Scores of both classes of the calibration rows, and the cut.

    Attributes
    ----------
    shortlist : Shortlist
        The cutoff and its guarantee.
    scores : ScoreDisplay
        The scores of the calibration rows.
    ax_ : matplotlib.axes.Axes
        The axes last drawn on.

    Examples
    --------
    >>> import numpy as np
    >>> from podium import shortlist
    >>> from podium.plots import ShortlistDisplay
    >>> y, s = np.arange(100) % 2, np.arange(100.0)
    >>> ShortlistDisplay.from_scores(y, s, shortlist.by_recall(y, s, recall=0.9)).frame()["threshold"]
    3.0
    """

    shortlist: Shortlist
    scores: ScoreDisplay

    _legend: ClassVar[dict[str, Any] | None] = {"loc": "upper left"}
    _title_size: ClassVar[str | None] = "medium"

    @classmethod
    def from_scores(
        cls, y_cal: npt.ArrayLike, s_cal: npt.ArrayLike, shortlist: Shortlist, *, pos_label: Any = None
    ) -> ShortlistDisplay:
        """The cutoff among the calibration rows it was computed from.

        Parameters
        ----------
        y_cal, s_cal : array-like
            Labels and scores of the calibration rows.
        shortlist : Shortlist
            The result of a function of `podium.shortlist` for them.
        pos_label : object, optional
            The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

        Returns
        -------
        ShortlistDisplay
            The display; call ``plot`` to draw it.
        """
        return cls(shortlist, ScoreDisplay.from_scores(y_cal, s_cal, pos_label=pos_label))

    def frame(self) -> dict[str, Any]:
        """The bins of the scores, and the threshold."""
        return {**self.scores.frame(), "threshold": self.shortlist.threshold}

    def _draw(self, ax: Axes) -> None:
        self.scores._draw(ax)
        threshold = self.shortlist.threshold
        if threshold is not None and np.isfinite(threshold):
            name = wording.minus(f"Chosen from {threshold:.4g} on")
            ax.axvline(threshold, color="black", linewidth=1.2, linestyle=(0, (2, 2)), label=name)

    def _size(self) -> tuple[float, float]:
        return self.scores._size()

    def _title(self) -> str:
        return fill(self.shortlist.guarantee, 70)


@dataclass
class ProfitDisplay(Display):
    """Profit per row of the list at every cutoff, with simultaneous limits.

    Attributes
    ----------
    shortlist : ProfitShortlist
        What `podium.shortlist.by_cost` returned.
    ax_ : matplotlib.axes.Axes
        The axes last drawn on.

    Examples
    --------
    >>> import numpy as np
    >>> from podium import shortlist
    >>> from podium.plots import ProfitDisplay
    >>> y, s = np.arange(100) > 60, np.arange(100.0)
    >>> list(ProfitDisplay(shortlist.by_cost(y, s, gain=5, cost=1)).frame())
    ['threshold', 'profit', 'low', 'high']
    """

    shortlist: ProfitShortlist

    def frame(self) -> dict[str, FloatArray]:
        """Cuts from all chosen to one group of rows chosen, what they pay, and the limits of that."""
        shortlist = self.shortlist
        columns = {
            "threshold": shortlist.thresholds,
            "profit": shortlist.profits,
            "low": shortlist.lows,
            "high": shortlist.highs,
        }
        return {name: values[:0:-1] for name, values in columns.items()}  # the first chooses none

    def _draw(self, ax: Axes) -> None:
        frame, color, shortlist = self.frame(), COLORS[0], self.shortlist
        assert shortlist.confidence_level is not None
        limits = f"{wording.level(shortlist.confidence_level)} limits, simultaneous"
        shade(ax, frame["threshold"], frame["low"], frame["high"], limits)
        ax.plot(frame["threshold"], frame["profit"], color=color, linewidth=1.6, label="Profit")
        level_line(ax, 0.0, "Choose none")
        if shortlist.threshold is not None and np.isfinite(shortlist.threshold):
            ax.axvline(shortlist.threshold, color="black", linewidth=1.2, linestyle=(0, (2, 2)), label="Pays best")
        ax.set(xlabel="Rows are chosen from this score on", ylabel="Profit per row of the list")


@dataclass
class PathDisplay(Display):
    """The stated share of negatives at every cut of a path.

    Attributes
    ----------
    path : ShortlistPath
        What `podium.shortlist.path` returned.
    ax_ : matplotlib.axes.Axes
        The axes last drawn on.

    Examples
    --------
    >>> import numpy as np
    >>> from podium import shortlist
    >>> from podium.plots import PathDisplay
    >>> y, s = np.arange(100) > 60, np.arange(100.0)
    >>> list(PathDisplay(shortlist.path(y, s, s)).frame())
    ['rows', 'threshold', 'share']
    """

    path: ShortlistPath

    _legend: ClassVar[dict[str, Any] | None] = None
    _title_size: ClassVar[str | None] = "medium"

    def frame(self) -> dict[str, FloatArray]:
        """Cuts from the highest down: rows selected, threshold, stated share of negatives."""
        path = self.path
        return {"rows": path.n_rows.astype(np.float64), "threshold": path.thresholds, "share": path.shares}

    def _draw(self, ax: Axes) -> None:
        frame = self.frame()
        ax.plot(frame["rows"], frame["share"], color=COLORS[0], linewidth=1.6, drawstyle="steps-pre")
        ax.set(xlabel="Rows chosen", ylabel="Stated share of negatives", ylim=(0, 1))

    def _title(self) -> str:
        return "Choose after looking: true over stated share is at most 1 on average"
