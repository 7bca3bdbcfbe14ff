"""ROC curves in one picture, and operating points with the limits of their rates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from podium._types import FloatArray
from podium.exceptions import InputError
from podium.plots.canvas import (
    COLORS,
    FAINT,
    RocSquareDisplay,
    roc_square,
)
from podium.roc import RocCurve, RocPoint

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass
class RocDisplay(RocSquareDisplay):
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

    def _draw(self, ax: Axes) -> None:
        for i, (name, curve) in enumerate(self.curves.items()):
            # Solid, dashed, dotted: more than one way to tell curves apart.
            style = ("-", "--", "-.", ":")[i % 4]
            label = f"{name} (AUC {curve.auc():.3f})"
            ax.plot(curve.fpr, curve.tpr, style, color=COLORS[i % len(COLORS)], linewidth=1.6, label=label)
        roc_square(ax)


@dataclass
class PointsDisplay(RocSquareDisplay):
    """Points of an ROC curve with crosses that are as wide as the limits of both rates.

    Attributes
    ----------
    curve : RocCurve
        The curve on which the points lie.
    points : mapping of str to RocPoint
        The points by the names that the legend gives them.
    ax_ : matplotlib.axes.Axes
        The axes last drawn on.

    Examples
    --------
    >>> from podium.plots import PointsDisplay
    >>> display = PointsDisplay.from_scores([0, 0, 1, 1], [1, 3, 2, 4], thresholds=[2.5])
    >>> list(display.points)
    ['Threshold 2.5']
    >>> display.frame()["sensitivity"]
    [0.5]
    """

    curve: RocCurve
    points: Mapping[str, RocPoint]

    @classmethod
    def from_scores(
        cls,
        y_true: npt.ArrayLike,
        y_score: npt.ArrayLike,
        thresholds: npt.ArrayLike | None = None,
        pos_label: Any = None,
        **options: Any,
    ) -> PointsDisplay:
        """The curve with its points at thresholds fixed in advance, or else with the best point by Youden's index.

        Parameters
        ----------
        y_true, y_score : array-like
            Labels and scores, one of each per row; larger scores are more positive.
        thresholds : array-like, optional
            Thresholds fixed in advance.
        pos_label : object, optional
            The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.
        **options : dict
            The options of :func:`podium.roc.points`, such as ``confidence_level``.

        Returns
        -------
        PointsDisplay
            The display; call ``plot`` to draw it.
        """
        curve = RocCurve.from_scores(y_true, y_score, pos_label=pos_label)
        points = curve.points(thresholds, **options)
        if thresholds is not None:
            return cls(curve, {_named("Threshold", point): point for point in points})
        best = points.best(rng=0)
        return cls(curve, {_named("Best by Youden, threshold", best): best})

    def frame(self) -> dict[str, Any]:
        """Names, thresholds and rates of the points, with the limits of the rates."""
        points = list(self.points.values())
        rates = {
            f"{rate}{suffix}": [getattr(getattr(point, rate), name) for point in points]
            for rate in ("sensitivity", "specificity", "ppv", "npv")
            for suffix, name in (("", "estimate"), ("_low", "low"), ("_high", "high"))
        }
        return {"name": list(self.points), "threshold": [point.threshold for point in points], **rates}

    def _draw(self, ax: Axes) -> None:
        ax.plot(
            self.curve.fpr, self.curve.tpr, color=FAINT, linewidth=1.6, label=f"ROC curve (AUC {self.curve.auc():.3f})"
        )
        for i, (name, point) in enumerate(self.points.items()):
            color, se, sp = COLORS[i % len(COLORS)], point.sensitivity, point.specificity
            x, y = 1 - sp.estimate, se.estimate
            reach = np.abs([[sp.high - sp.estimate], [sp.estimate - sp.low]]), np.abs([[y - se.low], [se.high - y]])
            marker = "osD^v"[i % 5]
            ax.errorbar(
                x, y, xerr=reach[0], yerr=reach[1], fmt=marker, color=color, capsize=3, linewidth=1.4, label=name
            )
        roc_square(ax)


def _named(what: str, point: RocPoint) -> str:
    return f"{what} {point.threshold:.4g}".replace("-", "−")
