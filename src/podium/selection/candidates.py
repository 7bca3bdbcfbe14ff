"""Candidates of AutoRanker: what they are, what they cost, and the rows they are fitted to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from podium import rankers
from podium._threads import one_thread
from podium._types import BoolArray, FloatArray
from podium.phi import Phi
from podium.selection.dependence import INDEPENDENT, Dependence, Split

# What fitting a candidate costs, by its rows and columns and not by the clock.


@dataclass(frozen=True)
class Cost:
    """Seconds a + b · rows + c · rows · columns."""

    a: float
    b: float
    c: float


# Processor seconds on one core of a server of 2021, by benchmarks/candidate_cost.py. They need not be right on every
# machine: they are there so that every machine makes the same choice.
COSTS = {
    "linear": Cost(0.21, 0.0, 1.6e-07),
    "linear-quantile": Cost(0.13, 0.0, 4.3e-07),
    "quadratic": Cost(0.066, 0.0, 3.6e-06),
    "boosted": Cost(0.0071, 5.2e-07, 1.2e-07),
    "trees": Cost(0.062, 1.9e-06, 8.6e-07),
    "ranking-tree": Cost(0.065, 8.9e-06, 3.8e-07),
    "ranking-forest": Cost(0.19, 0.00023, 2.3e-06),
    "stack": Cost(3.9, 0.00065, 3.6e-05),
}


def seconds_of(name: str, n_rows: int, n_columns: int) -> float:
    """Of fitting the candidate of this name to so many rows and columns."""
    cost = COSTS[name]
    return cost.a + n_rows * (cost.b + cost.c * n_columns)


# Fit a candidate so that neither threads nor the rows of one unit matter.


def fit_candidate(
    ranker: Any, X: FloatArray, is_positive: BoolArray, weight: FloatArray | None, dependence: Dependence
) -> Any:
    """The ranker, fitted; folds of its own keep the rows of a unit together.

    One thread for products of matrices: small ones wait for others, and sums depend on their number to the last bit.
    """
    with one_thread():
        return ranker.fit(X, is_positive, sample_weight=weight, groups=dependence.group)


# Rows that candidates are compared on: parted into some to learn from and some to judge by.


class ValidationRows(Protocol):
    """What the search needs to know of its rows."""

    @property
    def is_positive(self) -> BoolArray:
        """Their labels."""

    @property
    def weight(self) -> FloatArray | None:
        """Their weights; None: all one."""

    @property
    def dependence(self) -> Dependence:
        """What ties them together."""

    def splits(self, share: float, repeats: int, rng: np.random.Generator) -> list[Split]:
        """Splits to compare candidates by, that hold out about this share of the rows."""

    def parted(self, part: Split, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """The matrices of the two parts; no label of the second has a share in either."""


@dataclass(frozen=True)
class ArrayRows:
    """Rows of a matrix that was made without labels."""

    X: FloatArray
    is_positive: BoolArray
    weight: FloatArray | None = None
    dependence: Dependence = INDEPENDENT

    def splits(self, share: float, repeats: int, rng: np.random.Generator) -> list[Split]:
        return self.dependence.splits(self.is_positive, share, repeats, rng)

    def parted(self, part: Split, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        return self.X[part.training], self.X[part.held_out]


# Models by name, and those among which the choice is made.


CANDIDATES = ("linear", "linear-quantile", "trees", "boosted", "stack")  # the cheapest first
MODELS = ("linear", "linear-quantile", "quadratic", "boosted", "trees", "ranking-tree", "ranking-forest", "stack")
# LightGBM takes its bins from 50,000 rows: as good as from its default of 200,000, at a third of the memory. And where
# positives are rare its trees run away without a ridge: one positive among rows of next to no curvature moves a leaf by
# millions. (XGBoost has a ridge of 1 by default.)
_TREES = {"bin_construct_sample_cnt": 50_000, "lambda_l2": 1.0}


def build(model: str, phi: Phi, criterion: str | None, seed: int) -> Any:
    """An unfitted ranker by name, for the φ that matters; ``criterion`` is what it maximizes where not that."""
    smooth: Any = phi.smooth_alternative() or phi
    if model == "linear":
        return rankers.LinearRanker(criterion or smooth, random_state=seed)
    if model == "linear-quantile":
        return rankers.LinearRanker(criterion or smooth, scaling="quantile", random_state=seed)
    if model == "quadratic":
        return rankers.QuadraticRanker(criterion or smooth, random_state=seed)
    if model == "boosted":
        return rankers.BoostedRanker(criterion or "push:4", weak="stumps", early_stopping=phi, random_state=seed)
    if model == "trees":
        return rankers.GradientBoostedRanker(criterion or "logloss", params=_TREES, random_state=seed)
    if model == "ranking-tree":
        return rankers.TreeRanker(criterion or phi)
    if model == "ranking-forest":
        return rankers.ForestRanker(criterion or phi, random_state=seed)
    return rankers.StackedRanker(_stack_members(), criterion=criterion or "logloss", random_state=seed)


def _stack_members() -> list[tuple[str, Any]]:
    """Scorers that err differently; forests of trees small enough for a model file to be sent around."""
    from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier  # here: half a second to import

    from podium.rankers.stack.smooth import KernelLogistic, SmallNetwork

    return [
        ("logistic", rankers.LinearRanker("logloss", scaling="quantile")),
        ("linear", rankers.LinearRanker("auc")),
        ("kernel", KernelLogistic()),
        ("network", SmallNetwork()),
        ("forest", RandomForestClassifier(50, max_leaf_nodes=256)),
        ("extra-trees", ExtraTreesClassifier(50, max_leaf_nodes=256)),
        ("trees", rankers.GradientBoostedRanker(params=_TREES)),
    ]
