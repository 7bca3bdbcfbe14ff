"""Trees from rows elsewhere: by XGBoost's workers on Dask, or by LightGBM from blocks on disk."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from podium import _optional
from podium._progress import Progress
from podium._types import Array, FloatArray, Sample
from podium.criteria import Criterion, LogLoss
from podium.criteria.base import WeightedSum
from podium.distributed.blocks import RowsOnDisk
from podium.distributed.rows import Partition, PartitionedRows
from podium.exceptions import InputError
from podium.rankers.trees import lightgbm_backend
from podium.rankers.trees.curvature import FLOOR, boosting_criterion
from podium.rankers.trees.gradient_boosted import GradientBoostedRanker
from podium.rankers.trees.task import rows_per_leaf
from podium.rankers.trees.xgboost_backend import XgboostTrees, parameters
from podium.rounds.computation import Step, add_up, run

_PER_ROW = 60  # bytes beside the columns: labels, scores, derivatives, places
_READ = 1 << 16  # rows at a time


def check_boosting(ranker: GradientBoostedRanker) -> None:
    """Refuse what cannot be done on a cluster."""
    if ranker.backend != "xgboost":
        raise InputError(
            "Trees on Dask collections need backend='xgboost': LightGBM's workers cannot add up what a criterion must "
            f"know of all rows; got backend={ranker.backend!r}.",
            "pass backend='xgboost'.",
        )
    check_options(ranker, "Dask collections")
    criterion = boosting_criterion(ranker.criterion)
    if criterion.is_local:
        raise InputError(
            f"Trees on Dask collections need a criterion that rows feel wherever they stand; got {criterion!r}, for "
            "which trees of log-loss would have to come first.",
            "take 'auc', 'power:3' or 'push:4'.",
        )
    if criterion.is_scale_free or not criterion.is_chunked:
        raise InputError(
            f"Trees on Dask collections need a criterion in rounds with a bandwidth of its own; got {criterion!r}.",
            "take a specification such as 'auc' or 'push:4', or relative=False.",
        )


def check_options(ranker: GradientBoostedRanker, rows: str) -> None:
    """Refuse what needs all rows in memory."""
    for name, plain in (
        ("early_stopping", None),
        ("calibrate", None),
        ("n_bags", 1),
        ("warm_start", False),
        ("categorical_features", ()),
    ):
        value = getattr(ranker, name)
        if value != plain and not (name == "categorical_features" and len(value) == 0):
            raise InputError(f"{name}={value!r} is not known on {rows}.", f"pass {name}={plain!r}.")


def boost(ranker: GradientBoostedRanker, rows: PartitionedRows) -> Any:
    """Boost all partitions together."""
    criterion = boosting_criterion(ranker.criterion)
    xgboost = _optional.load("xgboost", 'backend="xgboost"')
    dask_xgboost = _optional.load("xgboost.dask", 'backend="xgboost"')
    share = rows.n_pos / rows.n_total
    rng = check_random_state(0 if ranker.random_state is None else ranker.random_state)
    seed = int(rng.randint(np.iinfo(np.int32).max))
    # Of two rows that stand in for all: only the settings are used.
    task = ranker._task(np.zeros((2, rows.shape[1])), np.array([True, False]), None, seed)
    task = replace(task, min_child_samples=rows_per_leaf(ranker.min_child_samples, rows.n_total))
    params = parameters(task, share)
    objective = {}
    if criterion != LogLoss():
        params["base_score"] = float(np.log(share) - np.log1p(-share))
        params.pop("objective", None)
        objective = {"obj": AllRowsObjective(criterion, rows.n_total * share * (1 - share))}
    X, y, weight = _collections(rows)
    data = dask_xgboost.DaskDMatrix(rows.cluster.client, X, y, weight=weight)
    # The tracker would listen on the address of this machine. Ports of XGBoost's workers cannot be bound to one.
    config = _optional.load("xgboost.collective", 'backend="xgboost"').Config(tracker_host_ip=rows.cluster.loopback)
    trained = dask_xgboost.train(rows.cluster.client, params, data, task.n_estimators, coll_cfg=config, **objective)
    booster = trained["booster"]
    assert isinstance(booster, xgboost.Booster)
    return XgboostTrees(booster, None, booster.num_boosted_rounds(), None)


def _collections(rows: PartitionedRows) -> tuple[Any, Any, Any]:
    """X, labels and weights as Dask arrays in the partitions that have rows."""
    dask, da = (_optional.load(name, "a fit on Dask collections") for name in ("dask", "dask.array"))
    n_columns = rows.shape[1]
    columns = []
    for function, shape in ((_rows, (n_columns,)), (_labels, ()), (_weights, ())):
        step = dask.delayed(function, pure=False)
        sources = rows.collection.futures or rows.collection.tasks
        blocks = [
            da.from_delayed(step(X, part), (size.n_pos + size.n_neg, *shape), np.float64)
            for X, part, size in zip(sources, rows.parts, rows.sizes, strict=True)
        ]
        columns.append(da.concatenate(blocks))
    X, y, weight = columns
    return X, y, weight


def _rows(X: Any, part: Partition) -> FloatArray:
    return np.asarray(part.rows(X, None))


def _labels(X: Any, part: Partition) -> FloatArray:
    return part.is_positive.astype(np.float64)


def _weights(X: Any, part: Partition) -> FloatArray:
    return np.ones(len(part.is_positive)) if part.weight is None else part.weight


class AllRowsObjective:
    """What XGBoost calls on every worker with its own rows; the workers add up their summaries in every round."""

    def __init__(self, criterion: Criterion, total_curvature: float) -> None:
        self.criterion, self.total_curvature = criterion, total_curvature

    def __call__(self, scores: FloatArray, data: Any) -> tuple[FloatArray, FloatArray]:
        """First and second derivatives of what is to be minimized, for the rows of this worker."""
        weight = data.get_weight().astype(np.float64)
        weight = None if np.all(weight == 1) else weight
        rows = Sample(np.asarray(scores, dtype=np.float64).ravel(), data.get_label() == 1, weight)
        gradient, curvature = _derivatives(self.criterion, rows)
        mass = np.ones(len(gradient)) if weight is None else weight
        curvature_sum, total = add_up(np.array([curvature.sum(), mass.sum()]))
        curvature = curvature + FLOOR * (curvature_sum / total) * mass
        unit = self.total_curvature / (curvature_sum * (1 + FLOOR))
        return -unit * gradient, unit * curvature


def _derivatives(criterion: Criterion, rows: Sample) -> tuple[FloatArray, FloatArray]:
    """The gradient over all rows of all workers, and a bound on the curvature, for the rows of this one."""
    if isinstance(criterion, WeightedSum):
        parts = [(factor, *_derivatives(term, rows)) for factor, term in criterion.terms]
        gradient = np.sum([factor * part for factor, part, _ in parts], axis=0)
        return gradient, np.sum([factor * bound for factor, _, bound in parts], axis=0)
    kept: Any = None

    def take(step: Step) -> Any:
        nonlocal kept
        summary = None
        if len(rows.scores):
            summary, kept = step(rows, kept)
        return add_up(summary)

    finished = run(criterion.rounds(), take)
    if not len(rows.scores):
        return np.empty(0), np.empty(0)
    gradient = finished.gradient(rows, kept)
    return gradient, criterion.row_curvature(rows, gradient)


def rows_apart(n_rows: int, n_columns: int, memory: float) -> int:
    """How far apart the rows are that fit into memory: 1 if all do."""
    return max(1, int(np.ceil(n_rows * (n_columns + _PER_ROW) / memory)))


def boost_files(ranker: GradientBoostedRanker, rows: PartitionedRows, apart: int) -> Any:
    """Boost from the rows of all blocks, or from every so many of them, by any criterion."""
    lightgbm = _optional.load("lightgbm", 'backend="lightgbm"')
    parts: list[Partition] = rows.cluster.gather(rows.parts)
    is_positive = np.concatenate([part.is_positive[::apart] for part in parts])
    weights = [part.weight[::apart] for part in parts if part.weight is not None]
    rng = check_random_state(0 if ranker.random_state is None else ranker.random_state)
    progress, rounds = Progress(type(ranker).__name__, ranker.n_estimators, enabled=bool(ranker.verbose)), count(1)
    weight = np.concatenate(weights) if weights else None
    task = ranker._task(np.empty((0, rows.shape[1])), is_positive, weight, int(rng.randint(np.iinfo(np.int32).max)))
    kind = type("Rows", (_Rows, lightgbm.Sequence), {})
    try:
        sources = rows.collection.futures or []
        X = [kind(source, apart) for source in sources]
        return lightgbm_backend.train(replace(task, X=X, after_round=lambda: progress.update(next(rounds))))
    finally:
        progress.close()


class _Rows:
    """Rows of a block, or every so many of them, as LightGBM asks for them."""

    batch_size = _READ

    def __init__(self, source: RowsOnDisk | Array, apart: int) -> None:
        self._source, self._apart = source, apart

    def __len__(self) -> int:
        return -(-len(self._source) // self._apart)

    def __getitem__(self, places: Any) -> FloatArray:
        one = not isinstance(places, slice)
        start, stop = (int(places), int(places) + 1) if one else (places.start, places.stop)
        start, stop = start * self._apart, (stop - 1) * self._apart + 1
        rows = self._source.read(start, stop) if isinstance(self._source, RowsOnDisk) else self._source[start:stop]
        rows = np.array(rows[:: self._apart], dtype=np.float64, order="C")
        return rows[0] if one else rows
