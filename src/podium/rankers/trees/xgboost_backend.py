"""Trees by XGBoost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from podium import _memory, _optional
from podium._types import FloatArray
from podium.exceptions import InputError
from podium.rankers.trees.task import SUBSAMPLE, BoostingTask, joined

_LARGEST = float(np.finfo(np.float32).max)  # XGBoost computes in single precision
_FAR = 256.0  # spans from zero, beyond which a column loses more than 8 of the 24 bits that tell its rows apart
_BLOCK = 10_000_000  # numbers of sparse rows that are filled at a time


@dataclass(frozen=True)
class XgboostTrees:
    """An XGBoost booster."""

    booster: Any
    kinds: list[str] | None
    n_rounds: int
    validation_path: FloatArray | None
    origin: FloatArray | None = None  # taken off every row before single precision, where columns are far from zero

    def __post_init__(self) -> None:
        if not 0 < self.n_rounds <= self.booster.num_boosted_rounds():  # XGBoost itself reads beyond them
            raise ValueError("boosted trees need as many rounds as are said")

    def scores(self, X: Any) -> FloatArray:
        return self._predict(X, output_margin=True)

    def gains(self, n_features: int) -> FloatArray:
        gains = np.zeros(n_features)
        for name, gain in self.booster[: self.n_rounds].get_score(importance_type="total_gain").items():
            gains[int(name.removeprefix("f"))] = gain  # columns have no names of their own
        return gains

    def contributions(self, X: Any) -> FloatArray:
        return self._predict(X, pred_contribs=True)

    def _predict(self, X: Any, **kind: bool) -> FloatArray:
        if isinstance(X, np.ndarray):
            blocks = [X]
        else:  # few rows at a time: they are filled with their zeros
            step = max(_BLOCK // X.shape[1], 1)
            blocks = [X[start : start + step] for start in range(0, X.shape[0], step)]
        rounds = (0, self.n_rounds)
        filled = (_rows(part, self.kinds, self.origin) for part in blocks)
        parts = [self.booster.predict(part, iteration_range=rounds, **kind) for part in filled]
        return np.asarray(np.concatenate(parts), dtype=np.float64)


def train(task: BoostingTask) -> XgboostTrees:
    """Boost as the task says."""
    xgboost = _optional.load("xgboost", 'backend="xgboost"')
    kinds, previous = _kinds(task), task.previous
    origin = _origin(task) if previous is None else previous.origin
    rows = _rows(task.X, kinds, origin, label=task.labels, weight=task.weight)
    share = float(np.average(task.is_positive, weights=task.weight))
    params = parameters(task, share) | ({} if task.objective is None or previous is not None else _start(task))
    if task.objective is not None:
        params.pop("objective", None)
    params |= task.params

    class Rounds(xgboost.callback.TrainingCallback):  # type: ignore[misc,name-defined]  # known at run time
        def after_iteration(self, model: Any, epoch: int, log: Any) -> bool:
            task.after_round()
            return False

    watched, path = task.watched, dict[str, Any]()
    more: dict[str, Any] = {} if previous is None else {"xgb_model": previous.booster[: previous.n_rounds]}
    callbacks = [*task.callbacks, Rounds()]
    if watched is not None:
        if watched.n_iter_no_change is not None:
            stopping = xgboost.callback.EarlyStopping(
                rounds=watched.n_iter_no_change, metric_name="metric", maximize=True
            )
            callbacks.append(stopping)
        more |= {
            "evals": [(_rows(watched.X, kinds, origin, label=np.zeros(watched.X.shape[0])), "watched")],
            "evals_result": path,
            "custom_metric": lambda scores, _: ("metric", watched.metric(scores)),
            "verbose_eval": False,
        }
    if task.objective is not None:
        more["obj"] = _objective(task)
    booster = xgboost.train(params, rows, task.n_estimators, callbacks=callbacks, **more)
    stops = watched is not None and watched.n_iter_no_change is not None
    n_rounds = booster.best_iteration + 1 if stops else booster.num_boosted_rounds()
    values = None
    if watched is not None:
        n_new = n_rounds - (0 if previous is None else previous.n_rounds)
        values, is_better = joined(previous, np.array(path["watched"]["metric"][:n_new]))
        if stops and not is_better:
            return previous
    return XgboostTrees(booster, kinds, n_rounds, values, origin)


def parameters(task: BoostingTask, share: float) -> dict[str, Any]:
    """The settings in XGBoost's words, with its own log-loss; ``share`` of the rows are positive."""
    return {
        "learning_rate": task.learning_rate,
        "tree_method": "hist",
        "grow_policy": "lossguide",  # best leaf first and a limit on leaves, as LightGBM
        "max_leaves": task.num_leaves,
        "max_depth": 0,
        # XGBoost limits the curvature of a leaf, not its rows; at the start every row has π(1 − π).
        "min_child_weight": task.min_child_samples * share * (1 - share),
        "nthread": task.n_jobs,
        "seed": task.seed,
        "disable_default_eval_metric": True,
        "verbosity": 0,
        "objective": "binary:logistic",
        **({"subsample": SUBSAMPLE, "colsample_bytree": SUBSAMPLE} if task.subsample else {}),
        **task.params,
    }


def _origin(task: BoostingTask) -> FloatArray | None:
    """The middle of every column whose values lie far from zero and close together; None where there is no such column.

    Single precision would round them to a few values.
    """
    if not isinstance(task.X, np.ndarray):
        return None
    low, high = np.fmin.reduce(task.X, axis=0), np.fmax.reduce(task.X, axis=0)
    middle = low / 2 + high / 2
    far = (high > low) & (np.abs(middle) > _FAR * (high - low))
    far[list(task.categorical)] = False
    return np.where(far, middle, 0.0) if far.any() else None


def _rows(X: Any, kinds: list[str] | None, origin: FloatArray | None, **more: Any) -> Any:
    """Rows as XGBoost takes them: absent entries of a sparse matrix are zeros, which it would take for missing."""
    if origin is not None:
        X = X - origin
    values = X if isinstance(X, np.ndarray) else X.data
    if len(values) and np.fmax.reduce(np.abs(values), axis=None) > _LARGEST:
        raise InputError(
            f"XGBoost needs features within ±{_LARGEST:.2g}, the range of single precision; got "
            f"{np.fmax.reduce(np.abs(values), axis=None):g}.",
            "divide the column by a number, or use backend='lightgbm'.",
        )
    if values is not X:
        n_rows, n_columns = X.shape
        _memory.require(
            8 * n_rows * n_columns,
            f"XGBoost has no zeros in sparse matrices; to fill {n_rows:,} × {n_columns:,} of them",
            "take backend='lightgbm', which has.",
        )
        X = X.astype(np.float32).toarray()
    return _optional.load("xgboost", 'backend="xgboost"').DMatrix(X, feature_types=kinds, **more)


def _kinds(task: BoostingTask) -> list[str] | None:
    """Categories or numbers, column by column."""
    return ["c" if j in task.categorical else "q" for j in range(task.X.shape[1])] if task.categorical else None


def _start(task: BoostingTask) -> dict[str, float]:
    return {"base_score": task.objective.prior_log_odds}  # type: ignore[union-attr]  # checked by the caller


def _objective(task: BoostingTask) -> Any:
    # float64: XGBoost hands out single precision
    return lambda scores, _: task.objective(scores.astype(np.float64))  # type: ignore[misc]  # checked by the caller
