"""Where the scores of the two classes lie, and at which pairs of them an objective looks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._types import Array, FloatArray
from podium.metrics.push_sums import pair_contributions
from podium.plots.canvas import (
    NEGATIVE,
    POSITIVE,
    Display,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass
class ScoreDisplay(Display):
    """Histograms of the two classes over the same bins, each of area one, so that a rare class is seen too.

    Attributes
    ----------
    edges : ndarray
        The edges of the bins.
    positives, negatives : ndarray
        The density of each class in every bin.
    n_pos, n_neg : int
        The number of rows of each class.
    ax_ : matplotlib.axes.Axes
        The axes last drawn on.

    Examples
    --------
    >>> from podium.plots import ScoreDisplay
    >>> display = ScoreDisplay.from_scores([0, 0, 1, 1], [1, 3, 2, 4])
    >>> display.n_pos, display.n_neg
    (2, 2)
    """

    edges: FloatArray
    positives: FloatArray
    negatives: FloatArray
    n_pos: int
    n_neg: int

    # above the bars
    _legend: ClassVar[dict[str, Any] | None] = {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0), "ncols": 2}

    @classmethod
    def from_scores(
        cls, y_true: npt.ArrayLike, y_score: npt.ArrayLike, *, n_bins: int | None = None, pos_label: Any = None
    ) -> ScoreDisplay:
        """Count scores per bin; how many bins there are is chosen from the data, at most 100.

        Parameters
        ----------
        y_true, y_score : array-like
            Labels and scores, one of each per row; larger scores are more positive.
        n_bins : int, optional
            How many bins there are; chosen from the data by default.
        pos_label : object, optional
            The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

        Returns
        -------
        ScoreDisplay
            The display; call ``plot`` to draw it.
        """
        sample = _input.check_sample(y_true, y_score, pos_label=pos_label)
        scores = sample.scores.astype(np.float64)
        if n_bins is None:
            n_bins = min(len(np.histogram_bin_edges(scores, "auto")) - 1, 100)
        edges = np.histogram_bin_edges(scores, _input.check_integer("n_bins", n_bins, 1))
        classes = scores[sample.is_positive], scores[~sample.is_positive]
        positives, negatives = (np.histogram(values, edges, density=True)[0] for values in classes)
        return cls(edges, positives, negatives, len(classes[0]), len(classes[1]))

    def frame(self) -> dict[str, FloatArray]:
        """Left and right edge of each bin, and both densities."""
        return {
            "left": self.edges[:-1],
            "right": self.edges[1:],
            "positives": self.positives,
            "negatives": self.negatives,
        }

    def _draw(self, ax: Axes) -> None:
        classes = (
            (self.negatives, NEGATIVE, "-", f"Negatives ({self.n_neg:,})"),
            (self.positives, POSITIVE, "--", f"Positives ({self.n_pos:,})"),
        )
        for density, color, style, label in classes:
            ax.stairs(density, self.edges, fill=True, color=color, alpha=0.25)
            ax.stairs(density, self.edges, color=color, linestyle=style, linewidth=1.6, label=label)
        ax.set(xlabel="Score", ylabel="Density", ylim=(0, None))

    def _size(self) -> tuple[float, float]:
        return 6.0, 3.5


@dataclass
class ContributionDisplay(Display):
    """The share of every pair in the P-Norm Push risk (R09, Figure 1); lighter is more.

    Attributes
    ----------
    shares : ndarray of shape (n_pos, n_neg)
        One share per pair, each class from the highest score on.
    p : float
        The power of the push.
    ax_ : matplotlib.axes.Axes
        The axes last drawn on.

    Examples
    --------
    >>> from podium.plots import ContributionDisplay
    >>> ContributionDisplay.from_scores([0, 0, 1, 1], [1, 3, 2, 4], p=4).shares.shape
    (2, 2)
    """

    shares: FloatArray
    p: float

    _legend: ClassVar[dict[str, Any] | None] = None

    @classmethod
    def from_scores(
        cls,
        y_true: npt.ArrayLike,
        y_score: npt.ArrayLike,
        *,
        p: float = 1.0,
        loss: str = "exponential",
        pos_label: Any = None,
    ) -> ContributionDisplay:
        """Compute the shares.

        Parameters
        ----------
        y_true, y_score : array-like
            Labels and scores, one of each per row; larger scores are more positive.
        p : float
            The power of the push, finite and at least 1.
        loss : {"zero_one", "exponential", "logistic", "hinge", "squared_hinge"}
            The loss of a margin, as in :func:`podium.metrics.push_risk`.
        pos_label : object, optional
            The label of the positive class, needed unless labels are 0/1, −1/1 or booleans.

        Returns
        -------
        ContributionDisplay
            The display; call ``plot`` to draw it.
        """
        return cls(pair_contributions(y_true, y_score, p, loss, pos_label=pos_label), float(p))

    def frame(self) -> dict[str, Array]:
        """Place of the positive and of the negative among its class, 1 the highest score, and the share of the pair."""
        positive, negative = np.indices(self.shares.shape) + 1
        return {"positive": positive.ravel(), "negative": negative.ravel(), "share": self.shares.ravel()}

    def _draw(self, ax: Axes) -> None:
        places = [np.arange(n + 1) + 0.5 for n in self.shares.shape]
        ax.pcolormesh(places[1], places[0], self.shares, cmap="cividis", vmin=0)
        ax.set(xlabel="Negative, highest score first", ylabel="Positive, highest score first")

    def _size(self) -> tuple[float, float]:
        return 5.0, 4.0

    def _title(self) -> str:
        return f"p = {self.p:g}; the lightest pair bears {100 * self.shares.max():.1f} %"
