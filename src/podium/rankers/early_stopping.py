"""Stopping when a metric on left-out rows no longer improves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import train_test_split

from podium import _input, metrics
from podium._types import BoolArray, FloatArray
from podium.exceptions import DegenerateSampleError
from podium.phi import Phi
from podium.rankers.folds import Groups, stratified_folds

IntArray = npt.NDArray[np.intp]


def split(
    is_positive: BoolArray, fraction: float, random_state: Any, groups: Groups | None = None
) -> tuple[IntArray, IntArray]:
    """Training and validation rows, ascending, with about the same share of positives; no group in both."""
    fraction = _input.check_number("validation_fraction", fraction, 0, 1, open_low=True, open_high=True)
    n_rows, n_pos = len(is_positive), int(is_positive.sum())
    n_held_out = math.ceil(fraction * n_rows)
    if min(n_pos, n_rows - n_pos, n_held_out, n_rows - n_held_out) < 2:
        raise DegenerateSampleError(
            f"Early stopping needs two rows of either class, one for training and one for validation; got {n_pos} "
            f"positive and {n_rows - n_pos} negative, of which a part of {fraction:g} is left out.",
            "use more rows, or early_stopping=None.",
        )
    if groups is not None:
        watched = stratified_folds(is_positive, max(2, round(1 / fraction)), 0, groups) == 0
        if watched.all() or len({bool(p) for p in is_positive[watched]}) < 2:
            raise DegenerateSampleError(
                "Early stopping needs groups of either class for training and others for validation; got too few.",
                "use more groups, or early_stopping=None.",
            )
        return np.flatnonzero(~watched), np.flatnonzero(watched)
    everything = np.arange(n_rows)
    kept, held_out = train_test_split(everything, test_size=fraction, stratify=is_positive, random_state=random_state)
    return np.sort(kept), np.sort(held_out)


class Watch:
    """Tracks a metric of the validation rows, round by round."""

    def __init__(
        self, metric: Phi | str, patience: int, is_positive: BoolArray, weight: FloatArray | None, start: FloatArray
    ) -> None:
        self.metric = metrics.metric(metric)
        self.patience = _input.check_integer("patience", patience, 1)
        self.is_positive, self.weight = is_positive, weight
        self.scores = start
        self.values = [self._value()]

    def add(self, scores: FloatArray) -> bool:
        """Whether to stop, after a round with these increments of the scores."""
        self.scores = self.scores + scores
        self.values.append(self._value())
        return len(self.values) - 1 - self.best_round >= self.patience

    @property
    def best_round(self) -> int:
        return int(np.argmax(self.values))

    def _value(self) -> float:
        return self.metric(self.is_positive, self.scores, sample_weight=self.weight)
