"""Which pairs of a positive and a negative an objective looks at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from podium._types import Array, FloatArray
from podium.metrics.pairs import pair_contributions
from podium.plots.canvas import axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass
class ContributionDisplay:
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
    ax_: Axes | None = None

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

    def plot(self, ax: Axes | None = None, *, title: str | None = None) -> ContributionDisplay:
        """Draw a square for every pair, the highest positive at the bottom, as in the paper.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw on; new ones by default.
        title : str, optional
            A title above the axes; by default the power of the push and the largest share.

        Returns
        -------
        ContributionDisplay
            The display itself.
        """
        self.ax_ = axes_or_new(ax, (5.0, 4.0))
        places = [np.arange(n + 1) + 0.5 for n in self.shares.shape]
        self.ax_.pcolormesh(places[1], places[0], self.shares, cmap="cividis", vmin=0)
        self.ax_.set(xlabel="Negative, highest score first", ylabel="Positive, highest score first")
        own = f"p = {self.p:g}; the lightest pair bears {100 * self.shares.max():.1f} %"
        self.ax_.set_title(own if title is None else title)
        return self
