"""Scores of training rows by models that did not see them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from podium import inference, metrics
from podium._shares import counted
from podium._types import BoolArray, FloatArray
from podium.exceptions import DegenerateSampleError
from podium.rankers.calibration.location_scale import LocationScale
from podium.rankers.door import rows_of
from podium.rankers.folds import Groups, stratified_folds
from podium.rankers.members import raw_scores, weights_for

_N_FOLDS = 5
_FEW_IN_A_FOLD = 10  # rows of a class; with fewer, all pairs of a fold may be in the right order by chance
# What the ranker that is calibrated has seen to already.
_DONE = {"calibrate": None, "class_weight": None, "pos_label": None, "verbose": False}


@dataclass(frozen=True, eq=False)
class LeftOutScores:
    """The score of every row by a model that was fitted without its fold, on one scale for all folds."""

    values: FloatArray
    fold: npt.NDArray[np.intp]

    def warn_if_order_is_lost(self, chances: FloatArray, is_positive: BoolArray, weight: FloatArray | None) -> None:
        """Compare the order of the pooled chances with the order of the scores inside each fold.

        Inside a fold one model has scored all rows, so nothing that differs between models can spoil the order there.
        The two areas are of the same rows and differ by much less than the standard error of either: beyond the 99.9 %
        limits of the pooled one, the folds do not share a scale.
        """
        each = counted(weight, len(is_positive))
        n_pos, n_neg = (np.bincount(self.fold, each * rows) for rows in (is_positive, ~is_positive))
        if min(n_pos.mean(), n_neg.mean()) < _FEW_IN_A_FOLD:
            return
        folds = [(k, self.fold == k) for k in np.flatnonzero(n_pos * n_neg)]
        aucs = [metrics.auc(is_positive[own], self.values[own], sample_weight=each[own]) for _, own in folds]
        within = float(np.average(aucs, weights=[n_pos[k] * n_neg[k] for k, _ in folds]))
        pooled = inference.interval(is_positive, chances, "auc", sample_weight=each, confidence_level=0.999)
        if within > pooled.high:
            warnings.warn(
                f"The calibrated probabilities order rows worse than the scores do: the AUC of left-out rows is "
                f"{pooled.estimate:.3f} by probability, and {within:.3f} by score inside each fold. "
                "The models fitted without a fold disagree too much to be pooled.\n"
                "Hint: rank by decision_function; for probabilities take more rows or a simpler ranker.",
                stacklevel=5,
            )


def left_out_scores(
    ranker: Any,
    X: Any,
    is_positive: BoolArray,
    weight: FloatArray | None,
    groups: Groups | None,
    fitted_scores: FloatArray,
) -> LeftOutScores:
    """The score of every row by a copy of the ranker that was fitted without it and its group, five folds.

    Scores mean something up to an increasing map, and every copy has its own: without an intercept, a column far from
    zero moves all scores of a copy together. So the scores of a copy are moved and scaled until those of its training
    rows have the mean and the spread that ``fitted_scores``, by the ranker to calibrate, have on the same rows.
    """
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
        mass = None if weight is None else weight[train]
        learned = rows_of(X, train)
        copy = clone(ranker).set_params(**own).fit(learned, is_positive[train], **weights_for(ranker, mass))
        here = LocationScale.of(raw_scores(copy, learned), mass)
        there = LocationScale.of(fitted_scores[train], mass)
        scores[test] = here.moved_to(there, raw_scores(copy, rows_of(X, test)))
    return LeftOutScores(scores, fold)
