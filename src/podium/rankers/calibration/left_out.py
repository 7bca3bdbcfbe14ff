"""Scores of training rows by models that did not see them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from podium._types import BoolArray, FloatArray
from podium.exceptions import DegenerateSampleError

_N_FOLDS = 5


def left_out_scores(ranker: Any, X: Any, is_positive: BoolArray, weight: FloatArray | None) -> FloatArray:
    """The score of every row by a copy of the ranker that was fitted without it, five folds."""
    smaller = int(min(is_positive.sum(), (~is_positive).sum()))
    if smaller < 2:
        raise DegenerateSampleError(
            f"To calibrate, rows of both classes are left out in turn: it needs two of either; got {smaller} of one.",
            "take calibrate=None.",
        )
    scores = np.empty(len(is_positive))
    own = {name: None for name in ("calibrate", "class_weight", "pos_label") if name in ranker.get_params(deep=False)}
    folds = StratifiedKFold(min(_N_FOLDS, smaller), shuffle=True, random_state=0)
    for train, test in folds.split(is_positive, is_positive):
        copy = clone(ranker).set_params(**own)  # labels and weights are made up already
        copy.fit(X[train], is_positive[train], None if weight is None else weight[train])
        scores[test] = copy.decision_function(X[test]) + copy.threshold_
    return scores
