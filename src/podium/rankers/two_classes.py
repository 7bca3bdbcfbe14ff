"""Two classes: which labels there are, and where to cut between them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from podium._types import BoolArray, FloatArray, Sample
from podium.exceptions import InputError
from podium.ranks.pooled import positive_ranks


def two_labels(y: npt.NDArray[Any], pos_label: Any) -> npt.NDArray[Any]:
    """The labels in order, or the positive one last where it is said which that is."""
    labels = _distinct_labels(y)
    if len(labels) > 2:
        raise InputError(
            f"Only binary classification is supported. The type of the target is {type_of_target(y)}.",
            "for one class against the rest pass y == that_class.",
        )
    if pos_label is None:
        return labels
    if pos_label not in labels.tolist():
        raise InputError(f"pos_label={pos_label!r} does not occur in y; got the labels {labels.tolist()}.")
    return labels if labels[-1] == pos_label else labels[::-1]


def _distinct_labels(y: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """In order; two whole numbers by passes over the labels, without a sort."""
    if y.dtype.kind in "biu" and len(y):
        both = np.array([y.min(), y.max()])
        if np.all((y == both[0]) | (y == both[1])):
            return both[:1] if both[0] == both[1] else both
    check_classification_targets(y)
    return np.unique(y)


def best_threshold(scores: FloatArray, is_positive: BoolArray, weight: FloatArray | None) -> float:
    """Midway between the two scores between which the training error is least."""
    ranks = positive_ranks(Sample(scores, is_positive, weight))
    # Cut just below a positive: wrong are the positives below it and the negatives that are not.
    own = np.arange(len(ranks.below)) if ranks.mass is None else np.cumsum(ranks.mass) - ranks.mass
    wrong = 2 * own - ranks.below
    best = int(np.argmin(wrong))
    if wrong[best] + ranks.n_neg >= ranks.n_pos:
        return float(scores.max())  # to call nothing positive is no worse
    value = ranks.values[best]
    lower = np.max(scores, where=scores < value, initial=-np.inf)
    return float(value / 2 + lower / 2) if np.isfinite(lower) else float(np.nextafter(value, -np.inf))
