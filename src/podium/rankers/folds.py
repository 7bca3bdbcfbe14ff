"""Folds for cross-validation, whose rows of one group stay together, and rows held out to know when to stop."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from podium import _input, metrics
from podium._types import BoolArray, FloatArray
from podium.exceptions import DegenerateSampleError, InputError
from podium.phi import Phi

Folds = npt.NDArray[np.intp]
Groups = npt.NDArray[np.intp]


def stratified_folds(is_positive: BoolArray, n_folds: int, seed: Any, groups: Groups | None = None) -> Folds:
    """The fold of every row, stratified by class; fewer folds if a class has fewer rows or groups.

    A single fold, 0, if there cannot be two. Equal rows are not kept together: if they are common in training, they
    will be common in the rows to be ranked, too.
    """
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold  # here: half a second to import

    units = np.arange(len(is_positive)) if groups is None else groups
    n_folds = min(n_folds, *(len(np.unique(units[rows])) for rows in (is_positive, ~is_positive)))
    if n_folds < 2:
        return np.zeros(len(is_positive), dtype=np.intp)
    if groups is None:
        return folds_from_splitter(StratifiedKFold(n_folds, shuffle=True, random_state=seed), is_positive, is_positive)
    return folds_from_splitter(StratifiedGroupKFold(n_folds), is_positive, is_positive, groups)


def folds_from_splitter(cv: Any, X: Any, y: Any, groups: Groups | None = None) -> Folds:
    """The fold of every row, by a splitter of scikit-learn or a list of (rows to fit to, rows left out)."""
    from sklearn.model_selection import check_cv

    parts = [np.asarray(left_out) for _, left_out in check_cv(cv).split(X, y, groups)]
    times = np.bincount(np.concatenate(parts), minlength=len(y))
    if len(times) > len(y) or (times != 1).any():
        raise InputError(
            f"cv must leave out every row of {len(y)} exactly once; got splits that leave out "
            f"{np.sum(times[: len(y)] == 0)} of them never, {np.sum(times > 1)} more than once and "
            f"{np.sum(times[len(y) :])} that do not exist.",
            "KFold, StratifiedKFold, GroupKFold do; splits in time, repeated ones and those of another table do not.",
        )
    fold = np.empty(len(y), dtype=np.intp)
    for k, left_out in enumerate(parts):
        fold[left_out] = k
    return fold


IntArray = npt.NDArray[np.intp]


def split(
    is_positive: BoolArray, fraction: float, random_state: Any, groups: Groups | None = None
) -> tuple[IntArray, IntArray]:
    """Training and validation rows, ascending, with about the same share of positives; no group in both."""
    from sklearn.model_selection import train_test_split

    fraction = _input.check_fraction("validation_fraction", fraction)
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
