"""Scores and predictions of a Dask collection, computed when they are asked for."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from podium.rankers.base import Ranker


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
