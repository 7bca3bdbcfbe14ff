"""Trees by LightGBM."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from podium import _optional
from podium._types import FloatArray
from podium.exceptions import DegenerateSampleError
from podium.rankers.trees.task import SUBSAMPLE, BoostingTask, joined

_NEXT_TO_ZERO = "1.0000000180025095e-35"  # where LightGBM parts zeros from other numbers
_BLOCK = 10_000  # rows looked at together


@dataclass(frozen=True)
class LightgbmTrees:
    """A LightGBM booster, and the score its trees start from."""

    booster: Any
    start: float
    n_rounds: int
    validation_path: FloatArray | None

    def kept(self) -> Any:
        """A booster of the rounds kept, and no others."""
        return type(self.booster)(model_str=self.booster.model_to_string(num_iteration=self.n_rounds))

    def scores(self, X: Any) -> FloatArray:
        return np.asarray(self.booster.predict(_rows(X), raw_score=True, num_iteration=self.n_rounds)) + self.start

    def gains(self, n_features: int) -> FloatArray:
        return np.asarray(self.booster.feature_importance("gain", iteration=self.n_rounds))

    def contributions(self, X: Any) -> FloatArray:
        shares = self.booster.predict(_rows(X), pred_contrib=True, num_iteration=self.n_rounds)
        shares = np.asarray(shares if isinstance(shares, np.ndarray) else shares.toarray())
        shares[:, -1] += self.start
        return shares


def train(task: BoostingTask) -> LightgbmTrees:
    """Boost as the task says."""
    lightgbm = _optional.load("lightgbm", 'backend="lightgbm"')
    previous = task.previous
    start = 0.0 if task.objective is None else task.objective.prior_log_odds
    if previous is not None:
        start = previous.start
    params = {
        "objective": "binary" if task.objective is None else _objective(task, start),
        "learning_rate": task.learning_rate,
        "num_leaves": task.num_leaves,
        "min_child_samples": task.min_child_samples,
        "num_threads": task.n_jobs,
        "seed": task.seed,
        "metric": "None",
        "feature_pre_filter": False,  # it would drop what a subsample cannot split, and LightGBM dies without columns
        "verbosity": -1,
        # Which is faster, LightGBM finds out by the clock: not the same in every run.
        "force_col_wise": True,
        "deterministic": True,
        **({"bagging_fraction": SUBSAMPLE, "bagging_freq": 1, "feature_fraction": SUBSAMPLE} if task.subsample else {}),
        **task.params,
    }
    rows = lightgbm.Dataset(
        _rows(task.X),
        task.labels,
        weight=task.weight,
        categorical_feature=list(task.categorical),
        init_score=None if task.objective is None or previous is not None else np.full(len(task.is_positive), start),
        free_raw_data=previous is None,  # trees before score them
        params={name: value for name, value in params.items() if name != "objective"},
    ).construct()
    _require_a_column(task.X, rows)
    watched, path = task.watched, dict[str, Any]()
    more: dict[str, Any] = {} if previous is None else {"init_model": previous.kept()}
    callbacks = [*task.callbacks, lambda _: task.after_round()]
    if watched is not None:
        callbacks.append(lightgbm.record_evaluation(path))
        if watched.n_iter_no_change is not None:
            callbacks.append(lightgbm.early_stopping(watched.n_iter_no_change, verbose=False))
        more |= {
            "valid_sets": [rows.create_valid(_rows(watched.X))],
            "feval": lambda scores, _: ("metric", watched.metric(scores), True),
        }
    booster = lightgbm.train(params, rows, task.n_estimators, callbacks=callbacks, **more)
    stops = watched is not None and watched.n_iter_no_change is not None
    n_rounds = booster.best_iteration if stops else booster.current_iteration()
    values = None
    if watched is not None:
        n_new = n_rounds - (0 if previous is None else previous.n_rounds)
        values, is_better = joined(previous, np.array(path["valid_0"]["metric"][:n_new]))
        if stops and not is_better:
            return previous
    return LightgbmTrees(_off_zero(booster.free_dataset(), task.X), start, n_rounds, values)


def _off_zero(booster: Any, X: Any) -> Any:
    """Zeros are parted from other numbers halfway to the least of these, not where noise of rounding would cross.

    Scores of the training rows stay. Rows that are read piece by piece are not searched for it.
    """
    text = booster.model_to_string(num_iteration=-1)
    if _NEXT_TO_ZERO not in text or isinstance(X, list):
        return booster
    numbers = X if isinstance(X, np.ndarray) else X.data
    sizes = (np.abs(numbers[start : start + _BLOCK]) for start in range(0, len(numbers), _BLOCK))
    halfway = min(np.min(size, where=size > 0, initial=1.0) for size in sizes) / 2
    if not halfway > float(_NEXT_TO_ZERO):
        return booster
    # as many digits as there were: the header knows the size of every tree
    moved = re.sub(r"(?m)^threshold=.*$", lambda line: line[0].replace(_NEXT_TO_ZERO, f"{halfway:.16e}"), text)
    return type(booster)(model_str=moved)


def _rows(X: Any) -> Any:
    """Rows as LightGBM takes them: it knows sparse matrices, not sparse arrays; a list is of its sequences."""
    return X if isinstance(X, (np.ndarray, list)) else sparse.csr_matrix(X)


def _require_a_column(X: Any, rows: Any) -> None:
    """Of columns of zeros LightGBM keeps none, and ends with a message of its own; other constants teach nothing."""
    n_columns = rows.num_feature()
    is_constant = isinstance(X, np.ndarray) and not (np.fmin.reduce(X) < np.fmax.reduce(X)).any()
    if is_constant or all(rows.feature_num_bin(j) < 2 for j in range(n_columns)):
        raise DegenerateSampleError(
            f"Trees need a column whose values differ; got {n_columns} that are constant, or nearly so.",
            "check the features, or use a LinearRanker where rows are few.",
        )


def _objective(task: BoostingTask, start: float) -> Any:
    # Scores that trees before give are without the start, which a Dataset then has no place for.
    missing = 0.0 if task.previous is None else start
    return lambda scores, _: task.objective(scores + missing)  # type: ignore[misc]  # checked by the caller
