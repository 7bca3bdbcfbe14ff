"""Fit a candidate so that neither threads nor the rows of one unit matter."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold
from threadpoolctl import threadpool_limits

from podium._types import BoolArray, FloatArray
from podium.selection.dependence import Dependence


def fit_candidate(
    ranker: Any, X: FloatArray, is_positive: BoolArray, weight: FloatArray | None, dependence: Dependence
) -> Any:
    """The ranker, fitted; folds of its own keep the rows of a unit together.

    One thread for products of matrices: small ones wait for others, and sums depend on their number to the last bit.
    """
    folds, group = ranker.get_params(deep=False).get("cv"), dependence.group
    with threadpool_limits(1, "blas"):
        if not isinstance(folds, int) or group is None:
            return ranker.fit(X, is_positive, sample_weight=weight)
        fewest = min(len(np.unique(group[rows])) for rows in (is_positive, ~is_positive))
        cv = StratifiedGroupKFold(max(2, min(folds, fewest)))
        ranker.set_params(cv=list(cv.split(X, is_positive, group))).fit(X, is_positive, sample_weight=weight)
    return ranker.set_params(cv=folds)  # a fitted model holds no rows, nor their numbers
