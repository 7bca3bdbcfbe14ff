"""Scores of a fitted estimator."""

from __future__ import annotations

from typing import Any

import numpy as np

from podium._types import FloatArray
from podium.exceptions import InputError, InputTypeError

_BLOCK = 20_000  # rows scored at a time, so that little memory is needed beside them


def estimator_scores(estimator: Any, X: Any) -> FloatArray:
    """The decision function of every row, or the probability of the positive class where there is none.

    Estimators are strangers: scores that are not one finite number per row are refused.
    """
    if hasattr(estimator, "decision_function"):
        score = estimator.decision_function
    elif hasattr(estimator, "predict_proba"):
        score = lambda rows: np.asarray(estimator.predict_proba(rows))[:, 1]  # noqa: E731
    else:
        raise InputTypeError(
            f"An estimator must score rows by decision_function or predict_proba; {type(estimator).__name__} has "
            "neither.",
            "classifiers of scikit-learn and rankers of podium do.",
        )
    starts = range(0, max(X.shape[0], 1), _BLOCK)
    scores = np.concatenate([np.asarray(score(X[start : start + _BLOCK]), dtype=np.float64) for start in starts])
    if scores.ndim != 1 or not np.isfinite(scores).all():
        raise InputError(f"The scores of {type(estimator).__name__} are not one finite number per row.")
    return scores
