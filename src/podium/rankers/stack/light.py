"""The models of a stack as it keeps them: the same scores, in less room and time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline

from podium._types import FloatArray
from podium.exceptions import InputError
from podium.rankers.base import Ranker
from podium.rankers.stack.forest_arrays import ForestArrays


def light(model: Any, *, dense: bool) -> Any:
    """The same scorer with less around it: forests as arrays, rankers of ours without checks; others as they are.

    ``dense`` says whether the rows that it was fitted to were: only then may others be made so.
    """
    if type(model) in (RandomForestClassifier, ExtraTreesClassifier):
        return ForestArrays.of(model) if len(model.classes_) == 2 else model
    if dense and isinstance(model, Pipeline) and len(model) == 2:
        imputer, ranker = model[0], model[1]
        fills_numbers = type(imputer) is SimpleImputer and imputer.strategy in ("mean", "median")
        if fills_numbers and isinstance(ranker, Ranker) and not np.isnan(imputer.statistics_).any():
            return ImputedRanker.of(imputer, ranker)
    return model


@dataclass(frozen=True, eq=False)
class ImputedRanker:
    """A ranker after an imputer, for rows that are checked: to check one row takes longer than to score it.

    Attributes
    ----------
    fillings : ndarray
        By column, the number that stands for a missing one.
    indicated : ndarray
        The columns that have another one, which says where they are missing.
    ranker : Ranker
        The ranker.
    """

    fillings: FloatArray
    indicated: npt.NDArray[np.intp]
    ranker: Ranker

    @classmethod
    def of(cls, imputer: Any, ranker: Ranker) -> ImputedRanker:
        """From the two steps of a fitted pipeline."""
        indicated = imputer.indicator_.features_ if imputer.add_indicator else []
        return cls(np.asarray(imputer.statistics_, dtype=np.float64), np.asarray(indicated, dtype=np.intp), ranker)

    def decision_function(self, X: Any) -> FloatArray:
        """The score of every row."""
        dense = X.toarray() if hasattr(X, "toarray") else X
        is_missing = np.isnan(dense)
        rows = np.where(is_missing, self.fillings, dense)
        if len(self.indicated):
            rows = np.hstack([rows, is_missing[:, self.indicated]])
        if rows.shape[1] != self.ranker.n_features_in_:
            raise InputError(
                f"A {type(self.ranker).__name__} of {self.ranker.n_features_in_} columns got {rows.shape[1]}."
            )
        return self.ranker._scores(rows) - self.ranker.threshold_
