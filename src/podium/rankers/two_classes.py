"""Two classes: which labels there are, and where to cut between them."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from podium._types import BoolArray, FloatArray, Sample
from podium.criteria.rounds import Step
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


def threshold_rounds() -> Generator[Step, Any, float]:
    """The same of rows in chunks: scores of positives are collected, negatives counted against them."""
    positives: Positives = yield _positives
    own = np.cumsum(positives.mass) - positives.mass
    below: FloatArray = yield partial(_negatives_below, positives.values)
    wrong = own - below
    best = int(np.argmin(wrong))
    if wrong[best] + positives.on_negatives >= positives.mass.sum():
        return positives.highest
    value = float(positives.values[best])
    lower: Highest = yield partial(_highest_below, value)
    return value / 2 + lower.score / 2 if np.isfinite(lower.score) else float(np.nextafter(value, -np.inf))


@dataclass(frozen=True, eq=False, slots=True)
class Positives:
    """Distinct scores of positives, ascending, with their mass; that of the negatives; and the highest score of all.

    ``a + b`` is that of both chunks.
    """

    values: FloatArray
    mass: FloatArray
    on_negatives: float
    highest: float

    def __add__(self, other: Positives) -> Positives:
        values, places = np.unique(np.concatenate([self.values, other.values]), return_inverse=True)
        mass = np.bincount(places, np.concatenate([self.mass, other.mass]), len(values)).astype(np.float64)
        return Positives(values, mass, self.on_negatives + other.on_negatives, max(self.highest, other.highest))


@dataclass(frozen=True, slots=True)
class Highest:
    """The highest score. ``a + b`` is that of both chunks."""

    score: float

    def __add__(self, other: Highest) -> Highest:
        return Highest(max(self.score, other.score))


def _positives(rows: Sample, kept: None) -> tuple[Positives, None]:
    up = rows.is_positive
    weight = None if rows.weight is None else rows.weight[up]
    values, places = np.unique(rows.scores[up], return_inverse=True)
    mass = np.bincount(places, weight, len(values)).astype(np.float64)
    on_negatives = float(np.count_nonzero(~up) if rows.weight is None else rows.weight @ ~up)
    return Positives(values, mass, on_negatives, float(rows.scores.max())), None


def _negatives_below(values: FloatArray, rows: Sample, kept: None) -> tuple[FloatArray, None]:
    """The mass of the negatives below each value."""
    down = ~rows.is_positive
    weight = None if rows.weight is None else rows.weight[down]
    cells = np.searchsorted(values, rows.scores[down], side="right")  # below values[c] and not below the one before
    return np.cumsum(np.bincount(cells, weight, len(values) + 1))[: len(values)].astype(np.float64), None


def _highest_below(value: float, rows: Sample, kept: None) -> tuple[Highest, None]:
    return Highest(float(np.max(rows.scores, where=rows.scores < value, initial=-np.inf))), None
