"""The designs, score-generating functions and rankers of CLV21, §5.2, and the sizes it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from podium import LinearRanker, QuadraticRanker
from podium._types import FloatArray
from podium.datasets import LocationModel, ScaleModel
from podium.plots.canvas import FAINT
from podium.rankers.lines.direction import DirectionRanker

DESIGNS: dict[str, LocationModel | ScaleModel] = {
    "Loc1": LocationModel(0.1),
    "Loc2": LocationModel(0.2),
    "Loc3": LocationModel(0.3),
    "ill-conditioned": LocationModel(0.2, ill_conditioned=True),
    "Scale, ε = 0.7": ScaleModel(0.7),
    "Scale, ε = 0.8": ScaleModel(0.8),
    "Scale, ε = 0.9": ScaleModel(0.9),
    "Scale, ε = 1.1": ScaleModel(1.1),
}
# The authors' script has other ones: positives below the negatives, an ill-conditioned covariance; Σ_X = I and Σ_Y not.
SCRIPT_LOCATION = {
    f"script, location ε = {e}": LocationModel(e, ill_conditioned=True, mean=-np.ones(15)) for e in (0.1, 0.2, 0.3)
}
SCRIPT_SCALE = {
    f"script, scale ε = {e}": ScaleModel(covariance=np.eye(15), negative_covariance=ScaleModel(e).covariance)
    for e in (0.7, 0.8, 0.9)
}
ALL_DESIGNS = DESIGNS | SCRIPT_LOCATION | SCRIPT_SCALE
PHIS = {"MWW": "mww", "Pol": "power:3", "RTB": "smooth-top:0.9"}

ALGORITHM_1 = "Algorithm 1"  # as printed: free θ from a random start, T steps of 1/√T, h = N^(−1/5)
SCRIPT = "authors' script"  # their steps from a start of norm 1, with their derivative of RTB
CONVERGED = "converged"  # our default: on a sphere, from a plug-in direction and pulled towards it
NO_PULL = "without pull"  # the same without the pull: the maximiser of the smoothed criterion alone

N_PER_CLASS = 150
N_REPLICATES = 50
N_STEPS = 50

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def ranker(
    model: LocationModel | ScaleModel, phi: str, solver: str, n_steps: int, random_state: int
) -> DirectionRanker:
    """A ranker of the class that holds the model's optimal score, not fitted yet."""
    if solver == ALGORITHM_1:
        kind = LinearRanker if isinstance(model, LocationModel) else QuadraticRanker
        return kind.algorithm_1(phi, n_steps=n_steps, random_state=random_state)
    chosen: dict[str, Any] = {"shrinkage": 0, "max_iter": 1_000} if solver == NO_PULL else {}
    if isinstance(model, LocationModel):
        return LinearRanker(phi, **chosen)
    return QuadraticRanker(phi, linear_term=False, **chosen)


def exact_auc(model: LocationModel | ScaleModel, fitted: DirectionRanker) -> float:
    """The AUC of a fitted ranker in the population."""
    if isinstance(model, LocationModel):
        return model.auc_of(fitted.coef_)
    return model.auc_of(fitted.matrix_, fitted.coef_)


def exact_curve(
    model: LocationModel | ScaleModel, theta: FloatArray, fpr: FloatArray, linear: FloatArray | None = None
) -> tuple[FloatArray, float]:
    """The ROC curve at these rates and its area, in the population."""
    if isinstance(model, LocationModel):
        return model.roc_of(theta, fpr), model.auc_of(theta)
    matrix = (theta + theta.T) / 2
    return model.roc_of(matrix, fpr, linear), model.auc_of(matrix, linear)


OPTIMAL = "#D55E00"
BEGINNING = 0.1  # false positive rate up to which the inset goes


def grid_of_panels(figure: Figure, n_rows: int, n_columns: int) -> np.ndarray:
    """Square panels; the figure grows with their rows."""
    side = min(7.0 / n_columns, 2.8)
    figure.set_size_inches(7.0, (side + 0.35) * n_rows + 0.7)  # room for titles of two lines, and for the legend
    panels = figure.subplots(n_rows, n_columns, sharex=True, sharey=True, squeeze=False)
    for row in panels:
        for ax in row:
            ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), xticks=(0, 0.5, 1), yticks=(0, 0.5, 1))
            ax.set_aspect("equal")
            ax.plot([0, 1], [0, 1], color=FAINT, linewidth=0.6, linestyle=(0, (4, 4)), zorder=1)
        row[0].set_ylabel("True positive rate", fontsize=8)
    for ax in panels[-1]:
        ax.set_xlabel("False positive rate", fontsize=8)
    return np.asarray(panels)


def magnified(ax: Axes, top: float) -> Axes:
    """An inset in the empty corner with the beginning of the curves, up to this true positive rate."""
    inset = ax.inset_axes((0.56, 0.07, 0.41, 0.41))
    inset.set(xlim=(0, BEGINNING), ylim=(0, top), xticks=(), yticks=())
    # How far it goes stands inside it, clear of the curves: ticks would lie on those of the panel.
    x, y, across, up = (0.04, 0.95, "left", "top") if top < 0.8 else (0.96, 0.5, "right", "center")
    label = f"to {BEGINNING:g}\nand {top:g}"
    inset.text(x, y, label, transform=inset.transAxes, fontsize=5.5, ha=across, va=up)
    inset.plot([0, 1], [0, 1], color=FAINT, linewidth=0.6, linestyle=(0, (4, 4)), zorder=1)
    return inset


def legend_below(figure: Figure, ax: Axes) -> None:
    """What the lines of one panel are, below all panels."""
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False, fontsize=8)
