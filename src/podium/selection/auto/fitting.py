"""Fit a candidate so that neither threads nor the rows of one unit matter."""

from __future__ import annotations

from typing import Any

from threadpoolctl import threadpool_limits

from podium._types import BoolArray, FloatArray
from podium.selection.dependence import Dependence


def fit_candidate(
    ranker: Any, X: FloatArray, is_positive: BoolArray, weight: FloatArray | None, dependence: Dependence
) -> Any:
    """The ranker, fitted; folds of its own keep the rows of a unit together.

    One thread for products of matrices: small ones wait for others, and sums depend on their number to the last bit.
    """
    with threadpool_limits(1, "blas"):
        return ranker.fit(X, is_positive, sample_weight=weight, groups=dependence.group)
