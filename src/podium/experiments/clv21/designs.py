"""The designs, score-generating functions and rankers of CLV21, §5.2, and the sizes it takes."""

from __future__ import annotations

from typing import Any

import numpy as np

from podium import LinearRanker, QuadraticRanker
from podium._types import FloatArray
from podium.datasets import LocationModel, ScaleModel
from podium.rankers.lines.direction import DirectionRanker
from podium.solvers import GradientAscent

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


def ranker(
    model: LocationModel | ScaleModel, phi: str, solver: str, n_steps: int, random_state: int
) -> DirectionRanker:
    """A ranker of the class that holds the model's optimal score, not fitted yet."""
    chosen: dict[str, Any] = {}
    if solver == ALGORITHM_1:
        chosen = {"solver": GradientAscent(n_steps), "scaling": None, "start": "random", "random_state": random_state}
    elif solver == NO_PULL:
        chosen = {"shrinkage": 0, "max_iter": 1_000}
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
