"""Folds for a stack."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.random import RandomState
from sklearn.model_selection import check_cv

from podium._input import BoolArray
from podium.exceptions import InputError
from podium.rankers.row_marks import marks

Folds = npt.NDArray[np.intp]


def drawn_folds(X: Any, is_positive: BoolArray, n_folds: int, rng: RandomState) -> Folds:
    """The fold of every row: each class spread evenly, at random, equal rows of a class kept together.

    So a weight of 3 is three equal rows, the order of the rows does not matter, and no model is judged on a copy of a
    row it was fitted to. Fewer folds where a class has fewer distinct rows; with one there is a single fold.
    """
    found = marks(X)
    distinct = {label: np.unique(found[is_positive == label], return_inverse=True) for label in (False, True)}
    n_folds = min(n_folds, *(len(values) for values, _ in distinct.values()))
    fold = np.empty(len(is_positive), dtype=np.intp)
    for label, (values, row) in distinct.items():
        fold[is_positive == label] = (rng.permutation(len(values)) % n_folds)[row]
    return fold


def given_folds(cv: Any, X: Any, y: Any) -> Folds:
    """The fold of every row, by a splitter of scikit-learn or a list of (rows to fit to, rows left out)."""
    fold, times = np.zeros(len(y), dtype=np.intp), np.zeros(len(y), dtype=np.intp)
    for k, (_, left_out) in enumerate(check_cv(cv).split(X, y)):
        fold[left_out] = k
        times[left_out] += 1
    if (times != 1).any():
        raise InputError(
            f"cv must leave out every row exactly once; got splits that leave out {np.sum(times == 0)} rows never and "
            f"{np.sum(times > 1)} more than once.",
            "KFold, StratifiedKFold and GroupKFold do; splits in time and repeated ones do not.",
        )
    return fold
