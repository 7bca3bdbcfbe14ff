"""Trees by XGBoost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from podium import _optional
from podium._types import FloatArray
from podium.rankers.trees.task import SUBSAMPLE, BoostingTask


@dataclass(frozen=True)
class XgboostTrees:
    """An XGBoost booster."""

    booster: Any
    kinds: list[str] | None
    n_rounds: int
    validation_path: FloatArray | None

    def scores(self, X: Any) -> FloatArray:
        return self._predict(X, output_margin=True)

    def contributions(self, X: Any) -> FloatArray:
        return self._predict(X, pred_contribs=True)

    def _predict(self, X: Any, **kind: bool) -> FloatArray:
        rows = _optional.load("xgboost", 'backend="xgboost"').DMatrix(X, feature_types=self.kinds)
        return np.asarray(self.booster.predict(rows, iteration_range=(0, self.n_rounds), **kind), dtype=np.float64)


def train(task: BoostingTask) -> XgboostTrees:
    """Boost as the task says."""
    xgboost = _optional.load("xgboost", 'backend="xgboost"')
    kinds = _kinds(task)
    rows = xgboost.DMatrix(task.X, task.labels, weight=task.weight, feature_types=kinds)
    share = float(np.average(task.is_positive, weights=task.weight))
    params = {
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
        **({"subsample": SUBSAMPLE, "colsample_bytree": SUBSAMPLE} if task.subsample else {}),
        **({"objective": "binary:logistic"} if task.objective is None else _start(task)),
        **task.params,
    }

    class Rounds(xgboost.callback.TrainingCallback):  # type: ignore[misc,name-defined]  # known at run time
        def after_iteration(self, model: Any, epoch: int, log: Any) -> bool:
            task.after_round()
            return False

    watched, path = task.watched, dict[str, Any]()
    more: dict[str, Any] = {}
    callbacks = [Rounds()]
    if watched is not None:
        callbacks.append(xgboost.callback.EarlyStopping(rounds=watched.patience, metric_name="metric", maximize=True))
        more = {
            "evals": [(xgboost.DMatrix(watched.X, np.zeros(watched.X.shape[0]), feature_types=kinds), "watched")],
            "evals_result": path,
            "custom_metric": lambda scores, _: ("metric", watched.metric(scores)),
            "verbose_eval": False,
        }
    if task.objective is not None:
        more["obj"] = _objective(task)
    booster = xgboost.train(params, rows, task.n_estimators, callbacks=callbacks, **more)
    n_rounds = booster.num_boosted_rounds() if watched is None else booster.best_iteration + 1
    values = None if watched is None else np.array(path["watched"]["metric"][:n_rounds])
    return XgboostTrees(booster, kinds, n_rounds, values)


def _kinds(task: BoostingTask) -> list[str] | None:
    """Categories or numbers, column by column."""
    return ["c" if j in task.categorical else "q" for j in range(task.X.shape[1])] if task.categorical else None


def _start(task: BoostingTask) -> dict[str, float]:
    return {"base_score": task.objective.prior_log_odds}  # type: ignore[union-attr]  # checked by the caller


def _objective(task: BoostingTask) -> Any:
    # float64: XGBoost hands out single precision
    return lambda scores, _: task.objective(scores.astype(np.float64))  # type: ignore[misc]  # checked by the caller
