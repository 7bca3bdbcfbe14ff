"""The designs, score-generating functions and rankers of CLV21, §5.2, and the sizes it takes."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from podium import LinearRanker, QuadraticRanker
from podium._types import BoolArray, FloatArray
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
PHIS = {"MWW": "mww", "Pol": "power:3", "RTB": "smooth-top:0.9"}

ALGORITHM_1 = "Algorithm 1"  # as printed: free θ from a random start, T steps of 1/√T, h = N^(−1/5)
CONVERGED = "converged"  # our default: on a sphere, from a plug-in direction and pulled towards it
NO_PULL = "without pull"  # the same without the pull: the maximiser of the smoothed criterion alone

N_PER_CLASS = 150
N_TEST = 10**6
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


@lru_cache(maxsize=2)  # hundreds of megabytes each; trials come design by design
def judging_rows(design: str, n_per_class: int) -> tuple[FloatArray, BoolArray]:
    """Rows and labels to judge on: the same for every replicate and every seed."""
    return DESIGNS[design].sample(n_per_class, n_per_class, 1 + list(DESIGNS).index(design))
