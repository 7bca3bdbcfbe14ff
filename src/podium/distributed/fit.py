"""Rankers on Dask collections: fitted to them, and scores that are computed when they are asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import check_is_fitted, validate_data

from podium._types import FloatArray
from podium.distributed.boosting import boost, check_boosting
from podium.distributed.cluster import current_cluster
from podium.distributed.door import Collection, open_door
from podium.distributed.rows import Partition, PartitionedRows
from podium.exceptions import DegenerateSampleError, InputError, InputTypeError
from podium.rankers.base import Ranker
from podium.rankers.fingerprints import Fingerprints, training_places
from podium.rankers.lines.direction import DirectionRanker
from podium.rankers.trees.gradient_boosted import GradientBoostedRanker
from podium.rankers.two_classes import threshold_rounds, two_labels

_NOT_HERE = "not on a Dask collection; take a part of the rows into memory by .compute(), or leave it out."


def fit(ranker: Ranker, X: Any, y: Any, sample_weight: Any = None, **more: Any) -> Ranker:
    """Fit to all partitions together; what is learned is what rows in memory give.

    Parameters
    ----------
    ranker : LinearRanker, QuadraticRanker or GradientBoostedRanker
        The ranker, whose ``fit`` hands Dask collections to this function.
    X : Dask array or dataframe
        The rows. Persisted, they are read once; else each evaluation of the criterion reads them twice.
    y : Dask array or series
        The labels, in the same partitions.
    sample_weight : Dask array or series, optional
        How often every row counts, in the same partitions.
    **more : object
        What else ``fit`` takes; none of it is known on collections.
    """
    check_kind(ranker, "Dask collections", "fit to a part of the rows in memory by .compute().", more)
    check_ranker(ranker)
    with current_cluster() as cluster:
        return fit_collection(ranker, open_door(cluster, X, y, sample_weight, ranker._input_rules()), boost)


def check_kind(ranker: Ranker, rows: str, otherwise: str, more: dict[str, Any]) -> None:
    """Refuse rankers that hold all rows in memory, and what only these know."""
    if not isinstance(ranker, DirectionRanker | GradientBoostedRanker):
        raise InputTypeError(
            f"{rows} are fitted by LinearRanker, QuadraticRanker and GradientBoostedRanker; {type(ranker).__name__} "
            "holds all rows in memory.",
            f"take one of these; or {otherwise}",
        )
    given = [name for name, value in more.items() if value is not None and value != ()]
    if given:
        raise InputError(f"{', '.join(given)} cannot be used with {rows}.", "leave it out.")


def fit_collection(ranker: Any, collection: Collection, grow: Callable[..., Any]) -> Any:
    """Fit a ranker that was checked to partitions that were; ``grow`` is what grows trees where they are."""
    _set_columns(ranker, collection)
    labels = _labels(ranker, collection)
    rows = PartitionedRows.of(collection, ranker.classes_[-1], _factors(ranker, labels))
    ranker._training_fingerprints = Fingerprints.of_some(
        rows.rows_numbered(training_places(*rows.shape)), rows.shape[0]
    )
    if isinstance(ranker, GradientBoostedRanker):
        ranker.models_ = [grow(ranker, rows)]
        ranker.n_iter_ = ranker.models_[0].n_rounds
    else:
        ranker._fit_training_rows(rows)
    ranker.threshold_ = rows.walk(_TrainingScores(ranker)).follow(threshold_rounds())[0]
    return ranker


def check_ranker(ranker: DirectionRanker | GradientBoostedRanker) -> None:
    """Refuse what needs all rows in one place."""
    if isinstance(ranker, GradientBoostedRanker):
        check_boosting(ranker)
        return
    if ranker.calibrate is not None:
        raise InputError(f"calibrate={ranker.calibrate!r} needs fits to rows left out,", _NOT_HERE)
    if ranker.scaling == "quantile":
        raise InputError("scaling='quantile' needs all values of a column at once,", _NOT_HERE)


def _set_columns(ranker: Ranker, collection: Collection) -> None:
    """The number of columns and their names, as scikit-learn sets them."""
    head = collection.facts[0].head if collection.facts else None
    if head is None:
        raise InputError(f"{type(ranker).__name__} needs rows; all partitions are empty.")
    ranker._categories = ranker._encoder = None
    ranker._fitted_to_frame = False
    validate_data(ranker, head, ensure_min_samples=0, **ranker._input_rules())


def _labels(ranker: Any, collection: Collection) -> Counter[Any]:
    """How many rows have each label, of which there must be two."""
    total: Counter[Any] = sum((facts.labels for facts in collection.facts), Counter())
    names = np.array(sorted(total))
    if len(names) > 2:
        usual = {name for name, _ in total.most_common(2)}
        odd = next((i, sorted(set(f.labels) - usual)) for i, f in enumerate(collection.facts) if set(f.labels) - usual)
        raise InputError(
            f"y must have two labels; got {', '.join(map(str, names.tolist()))}, "
            f"{', '.join(map(str, odd[1]))} in partition {collection.numbers[odd[0]]} (the first is 0).",
            "for one class against the rest pass y == that_class.",
        )
    ranker.classes_ = two_labels(names, ranker.pos_label)
    if len(names) < 2:
        raise DegenerateSampleError(
            f"{type(ranker).__name__} needs rows of both classes; got {total.total()} of one class only."
        )
    return total


def _factors(ranker: Any, labels: Counter[Any]) -> tuple[float, float] | None:
    """What the weights of negatives and positives are multiplied by, for ``class_weight``."""
    if ranker.class_weight is None:
        return None
    if isinstance(ranker.class_weight, str) and ranker.class_weight == "balanced":
        return tuple(labels.total() / (2 * labels[name]) for name in ranker.classes_.tolist())  # type: ignore[return-value]
    factors = compute_class_weight(ranker.class_weight, classes=np.sort(ranker.classes_), y=np.sort(ranker.classes_))
    by_label = dict(zip(np.sort(ranker.classes_).tolist(), factors.tolist(), strict=True))
    return tuple(by_label[name] for name in ranker.classes_.tolist())


class _TrainingScores:
    """Scores of a partition by a fitted ranker."""

    def __init__(self, ranker: Ranker) -> None:
        self.ranker = without_settings(ranker)

    def __call__(self, X: npt.ArrayLike, part: Partition) -> FloatArray:
        return self.ranker._scores(part.rows(X, None))


def decision_function(ranker: Ranker, X: Any) -> Any:
    """The scores of a collection, as the method of the ranker gives them."""
    return _lazily(ranker, "decision_function", X)


def predict(ranker: Ranker, X: Any) -> Any:
    """The labels, as the method of the ranker gives them."""
    return _lazily(ranker, "predict", X)


def predict_proba(ranker: Ranker, X: Any) -> Any:
    """The probabilities, as the method of the ranker gives them."""
    return _lazily(ranker, "predict_proba", X)


def _lazily(ranker: Ranker, method: str, X: Any) -> Any:
    """A collection of what a method of the ranker gives for each partition of X, with its index if it has one."""
    check_is_fitted(ranker)
    ranker = without_settings(ranker)
    kind = ranker.classes_.dtype if method == "predict" else np.dtype(np.float64)
    width = () if method != "predict_proba" else (2,)
    if hasattr(X, "chunks"):
        if len(X.chunks[1]) > 1:
            X = X.rechunk({1: -1})
        columns = {"chunks": (X.chunks[0], width)} if width else {"drop_axis": 1}
        return X.map_blocks(
            _block, ranker=ranker, method=method, dtype=kind, meta=np.empty((0, *width), kind), **columns
        )
    return X.map_partitions(_partition, ranker, method, meta=_partition(X._meta, ranker, method))


def without_settings(ranker: Ranker) -> Ranker:
    """The fitted ranker without what it was fitted by, which scores do not need and which may not travel."""
    scorer = copy(ranker)
    for name in ("solver", "criterion", "start", "params"):
        if hasattr(scorer, name):
            setattr(scorer, name, None)
    return scorer


def _block(X: Any, ranker: Ranker, method: str) -> Any:
    if not len(X):
        return _nothing(ranker, method)
    return getattr(ranker, method)(X)


def _partition(X: Any, ranker: Ranker, method: str) -> Any:
    import pandas as pd

    values = _block(X, ranker, method)
    if values.ndim == 2:
        return pd.DataFrame(values, index=X.index, columns=list(ranker.classes_))
    return pd.Series(values, index=X.index, name="score" if method == "decision_function" else "prediction")


def _nothing(ranker: Ranker, method: str) -> Any:
    if method == "predict":
        return ranker.classes_[:0]
    return np.empty((0, 2) if method == "predict_proba" else 0)
