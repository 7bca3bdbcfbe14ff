"""Bands: of an ROC curve and of a precision–recall curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from podium._types import FloatArray
from podium.inference import PrBand, RocBand, pr_band, roc_band
from podium.plots.canvas import (
    COLORS,
    Display,
    RocSquareDisplay,
    level_line,
    roc_square,
    shade,
)
from podium.roc import RocCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass
class BandDisplay(RocSquareDisplay):
    """A band, with the curve it belongs to; the legend says whether the band is simultaneous or pointwise.

    Attributes
    ----------
    band : RocBand
        The band to draw.
    curve : RocCurve, optional
        The curve in it.
    ax_ : matplotlib.axes.Axes
        The axes last drawn on.

    Examples
    --------
    >>> from podium.plots import BandDisplay
    >>> display = BandDisplay.from_scores([0, 0, 1, 1], [1, 3, 2, 4], method="pointwise")
    >>> display.band.label
    '95 % pointwise limits'
    >>> list(display.frame())
    ['fpr', 'low', 'high']
    """

    band: RocBand
    curve: RocCurve | None = None

    @classmethod
    def from_scores(
        cls, y_true: npt.ArrayLike, y_score: npt.ArrayLike, pos_label: Any = None, **options: Any
    ) -> BandDisplay:
        """The empirical curve and its band; the options are those of :func:`podium.inference.roc_band`.

        Parameters
        ----------
        y_true, y_score : array-like
            Labels and scores, one of each per row; larger scores are more positive.
        pos_label : object, optional
            The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.
        **options : dict
            The options of :func:`podium.inference.roc_band`, such as ``method``.

        Returns
        -------
        BandDisplay
            The display; call ``plot`` to draw it.
        """
        return cls(
            roc_band(y_true, y_score, pos_label=pos_label, **options),
            RocCurve.from_scores(y_true, y_score, pos_label=pos_label),
        )

    def frame(self) -> dict[str, FloatArray]:
        """The corners of the band."""
        return {"fpr": self.band.fpr, "low": self.band.low, "high": self.band.high}

    def _draw(self, ax: Axes) -> None:
        band, color = self.band, COLORS[0]
        # A band for the whole curve is filled; one for single points is hatched, so that nobody takes it for the other.
        look: dict[str, Any] = {"facecolor": color, "alpha": 0.2, "linewidth": 0}
        if not band.simultaneous:
            look = {"facecolor": "none", "edgecolor": color, "hatch": "||||", "linewidth": 0, "alpha": 0.5}
        ax.fill_between(band.fpr, band.low, band.high, label=band.label, **look)
        if self.curve is not None:
            label = f"ROC curve (AUC {self.curve.auc():.3f})"
            ax.plot(self.curve.fpr, self.curve.tpr, color=color, linewidth=1.6, label=label)
        roc_square(ax)


@dataclass
class PrDisplay(Display):
    """A band for the whole precision–recall curve, with the curve in it.

    Attributes
    ----------
    band : PrBand
        The band to draw.
    recall, precision : ndarray
        The curve, one point for each distinct score.
    prevalence : float
        The share of positives, which is the precision of random order.
    ax_ : matplotlib.axes.Axes
        The axes last drawn on.

    Examples
    --------
    >>> from podium.plots import PrDisplay
    >>> display = PrDisplay.from_scores([0, 0, 1, 1], [1, 3, 2, 4])
    >>> list(display.frame())
    ['recall', 'low', 'high']
    """

    band: PrBand
    recall: FloatArray
    precision: FloatArray
    prevalence: float

    @classmethod
    def from_scores(
        cls, y_true: npt.ArrayLike, y_score: npt.ArrayLike, pos_label: Any = None, **options: Any
    ) -> PrDisplay:
        """The empirical curve and its band.

        Parameters
        ----------
        y_true, y_score : array-like
            Labels and scores, one of each per row; larger scores are more positive.
        pos_label : object, optional
            The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.
        **options : dict
            The options of :func:`podium.inference.pr_band`, such as ``prevalence``.

        Returns
        -------
        PrDisplay
            The display; call ``plot`` to draw it.
        """
        band = pr_band(y_true, y_score, pos_label=pos_label, **options)
        curve = RocCurve.from_scores(y_true, y_score, pos_label=pos_label)
        share = options.get("prevalence") or band.roc.n_pos / (band.roc.n_pos + band.roc.n_neg)
        hits, others = share * curve.tpr[1:], (1 - share) * curve.fpr[1:]
        return cls(band, curve.tpr[1:], hits / (hits + others), share)

    def frame(self) -> dict[str, FloatArray]:
        """The band."""
        return {"recall": self.band.recall, "low": self.band.low, "high": self.band.high}

    def _draw(self, ax: Axes) -> None:
        band = self.band
        shade(ax, band.recall, band.low, band.high, band.label)
        ax.plot(self.recall, self.precision, color=COLORS[0], linewidth=1.6, label="Precision–recall curve")
        level_line(ax, self.prevalence)
        ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), xlabel="Recall", ylabel="Precision")

    def _size(self) -> tuple[float, float]:
        return 5.0, 5.0
