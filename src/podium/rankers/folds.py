"""Folds for cross-validation; rows of one group stay together."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, check_cv

from podium._types import BoolArray
from podium.exceptions import InputError

Folds = npt.NDArray[np.intp]
Groups = npt.NDArray[np.intp]


def stratified_folds(is_positive: BoolArray, n_folds: int, seed: Any, groups: Groups | None = None) -> Folds:
    """The fold of every row, stratified by class; fewer folds if a class has fewer rows or groups.

    A single fold, 0, if there cannot be two. Equal rows are not kept together: if they are common in training, they
    will be common in the rows to be ranked, too.
    """
    units = np.arange(len(is_positive)) if groups is None else groups
    n_folds = min(n_folds, *(len(np.unique(units[rows])) for rows in (is_positive, ~is_positive)))
    if n_folds < 2:
        return np.zeros(len(is_positive), dtype=np.intp)
    if groups is None:
        return folds_from_splitter(StratifiedKFold(n_folds, shuffle=True, random_state=seed), is_positive, is_positive)
    return folds_from_splitter(StratifiedGroupKFold(n_folds), is_positive, is_positive, groups)


def folds_from_splitter(cv: Any, X: Any, y: Any, groups: Groups | None = None) -> Folds:
    """The fold of every row, by a splitter of scikit-learn or a list of (rows to fit to, rows left out)."""
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
