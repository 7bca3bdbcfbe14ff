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
    n_estimators: int
    learning_rate: float
    num_leaves: int
    min_child_samples: int
    categorical: tuple[int, ...]  # columns of codes 0, 1, 2, …
    subsample: bool  # rows and columns drawn anew for every tree, so that seeds differ
    params: dict[str, Any]
    n_jobs: int
    seed: int
    watched: ValidationSet | None = None
    callbacks: tuple[Any, ...] = ()  # of the library
    after_round: Callable[[], None] = lambda: None
    previous: Any = None  # trees of the same library to go on from

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


def rows_per_leaf(least: int, n_rows: float) -> int:
    """The least number of rows in a leaf; few rows could not be split at all by the one for many."""
    return least if n_rows >= 2 * least else max(1, int(n_rows) // 4)


def joined(previous: Any, values: FloatArray) -> tuple[FloatArray, bool]:
    """Values of rows watched, after those of the trees before; and whether a new round is better than all of these."""
    before = None if previous is None else previous.validation_path
    if before is None or len(before) == 0:
        return values, True
    return np.concatenate([before, values]), len(values) > 0 and float(values.max()) > float(before[-1])


SUBSAMPLE = 0.8  # of rows and columns that a tree sees where seeds are to differ
