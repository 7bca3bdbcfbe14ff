"""What a tree library is asked to do, in words that all of them understand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from podium._types import BoolArray, FloatArray
from podium.rankers.trees.curvature import NewtonObjective
from podium.rankers.trees.watched import ValidationSet


@dataclass(frozen=True)
class BoostingTask:
    """Rows, objective (None: the library's own binary log-loss) and settings of one boosted model."""

    X: Any
    is_positive: BoolArray
    weight: FloatArray | None
    objective: NewtonObjective | None
    watched: ValidationSet | None
    n_estimators: int
    learning_rate: float
    num_leaves: int
    min_child_samples: int
    categorical: tuple[int, ...]  # columns of codes 0, 1, 2, …
    subsample: bool  # rows and columns drawn anew for every tree, so that seeds differ
    params: dict[str, Any]
    n_jobs: int
    seed: int
    callbacks: tuple[Any, ...]  # of the library
    after_round: Callable[[], None]

    @property
    def labels(self) -> FloatArray:
        return self.is_positive.astype(np.float64)


class BoostedTrees(Protocol):
    """What a library gives back."""

    n_rounds: int
    validation_path: FloatArray | None

    def scores(self, X: Any) -> FloatArray:
        """Log-odds, or scores of that scale."""

    def gains(self, n_features: int) -> FloatArray:
        """What the splits of every feature gained, in units of the library."""

    def contributions(self, X: Any) -> FloatArray:
        """SHAP values, one column per feature and a last one for the mean; rows sum to the scores."""


SUBSAMPLE = 0.8  # of rows and columns that a tree sees where seeds are to differ
