"""What a tree library is asked to do, in words that all of them understand, and how its rounds are watched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from podium._types import BoolArray, FloatArray
from podium.exceptions import InputError
from podium.metrics.named import gain
from podium.rankers.trees.curvature import NewtonObjective


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


# Of the rounds. On seven tables, five splits each, partial AUC up to 5 % was that of log-loss or better; with half of
# the rounds it lost .009 ± .003 on one of them and .015 ± .005 on another, with none .05 to .3.
LOG_LOSS_FIRST = 0.8


def in_stages(train: Callable[[BoostingTask], BoostedTrees], task: BoostingTask) -> BoostedTrees:
    """Train as the task says; for a local criterion, most rounds climb log-loss: from afar it shows no way up."""
    n_first = int(LOG_LOSS_FIRST * task.n_estimators)
    is_local = task.objective is not None and task.objective.criterion.is_local
    if not is_local or n_first == 0 or task.previous is not None:
        return train(task)
    first = train(replace(task, objective=None, n_estimators=n_first))
    return train(replace(task, n_estimators=task.n_estimators - n_first, previous=first))


@dataclass(frozen=True)
class ValidationSet:
    """Rows left out, a metric of their scores (larger is better), and how many rounds without gain to bear, or None."""

    X: Any
    metric: Callable[[FloatArray], float]
    n_iter_no_change: int | None

    @classmethod
    def of(
        cls, X: Any, is_positive: BoolArray, weight: FloatArray | None, metric: Any, n_iter_no_change: int | None
    ) -> ValidationSet:
        """Rows with labels, by a metric of :func:`podium.metrics.metric`."""
        judge = gain(metric)
        return cls(X, lambda scores: judge(is_positive, scores, sample_weight=weight), n_iter_no_change)


def one_pair(eval_set: Any) -> tuple[Any, Any]:
    """Rows and labels, from a pair or from a list of one, as tree libraries take them."""
    pairs = [eval_set] if isinstance(eval_set, tuple) else list(eval_set)
    if len(pairs) != 1 or not isinstance(pairs[0], tuple) or len(pairs[0]) != 2:
        raise InputError(
            f"eval_set must be one pair (X, y); got {len(pairs)} entries.", "for instance eval_set=[(X_new, y_new)]."
        )
    X, y = pairs[0]
    return X, y
