"""Scores of training rows by models that did not see them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from podium._types import BoolArray, FloatArray
from podium.exceptions import DegenerateSampleError
from podium.rankers.folds import Groups, stratified_folds
from podium.rankers.frames import rows_of
from podium.rankers.members import raw_scores, weights_for

_N_FOLDS = 5
# What the ranker that is calibrated has seen to already.
_DONE = {"calibrate": None, "class_weight": None, "pos_label": None, "verbose": False}


def left_out_scores(
    ranker: Any, X: Any, is_positive: BoolArray, weight: FloatArray | None, groups: Groups | None
) -> FloatArray:
    """The score of every row by a copy of the ranker that was fitted without it and its group, five folds."""
    fold = stratified_folds(is_positive, _N_FOLDS, 0, groups)
    if not fold.any():
        smaller = int(min(is_positive.sum(), (~is_positive).sum()))
        what = "rows" if groups is None else "groups with rows"
        raise DegenerateSampleError(
            f"To calibrate, {what} of both classes are left out in turn: it needs two of either; got {smaller} of one.",
            "take calibrate=None.",
        )
    own = {name: value for name, value in _DONE.items() if name in ranker.get_params(deep=False)}
    if getattr(ranker, "_categories", None) is not None:  # X holds codes by now
        own["categorical_features"] = ranker._categorical_columns(X.shape[1])
    scores = np.empty(len(is_positive))
    for k in range(fold.max() + 1):
        train, test = fold != k, fold == k
        weights = weights_for(ranker, None if weight is None else weight[train])
        copy = clone(ranker).set_params(**own).fit(rows_of(X, train), is_positive[train], **weights)
        scores[test] = raw_scores(copy, rows_of(X, test))
    return scores
