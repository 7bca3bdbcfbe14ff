"""From scores to probabilities, learned on rows left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.base import clone
from sklearn.isotonic import IsotonicRegression
from sklearn.model_selection import StratifiedKFold

from podium import _input
from podium._types import BoolArray, FloatArray
from podium.exceptions import DegenerateSampleError
from podium.rankers.stack.scale import PlattScale

METHODS = ("isotonic", "platt")
_N_FOLDS = 5


@dataclass(frozen=True, eq=False)
class Isotonic:
    """The increasing step function nearest to the labels, linear between its knots.

    A chance is never 0 or 1: so many rows can only say that it is less than about one in as many.
    """

    knots: FloatArray
    chances: FloatArray

    @classmethod
    def fit(cls, scores: FloatArray, is_positive: BoolArray, weight: FloatArray | None) -> Isotonic:
        least = 0.5 / (len(scores) + 1)
        steps = IsotonicRegression(y_min=least, y_max=1 - least).fit(scores, is_positive.astype(np.float64), weight)
        return cls(steps.X_thresholds_, steps.y_thresholds_)

    def __call__(self, scores: FloatArray) -> FloatArray:
        return np.interp(scores, self.knots, self.chances)

    @property
    def even(self) -> float:
        """The largest score of a chance of one half or less."""
        if self.chances[-1] <= 0.5:
            return float("inf")
        after = int(np.searchsorted(self.chances, 0.5, side="right"))
        if after == 0:
            return float("-inf")
        low, high = self.chances[after - 1], self.chances[after]
        return float(self.knots[after - 1] + (self.knots[after] - self.knots[after - 1]) * (0.5 - low) / (high - low))


@dataclass(frozen=True)
class Platt:
    """Logistic regression on the score."""

    scale: PlattScale

    @classmethod
    def fit(cls, scores: FloatArray, is_positive: BoolArray, weight: FloatArray | None) -> Platt:
        return cls(PlattScale.fit(scores, is_positive, weight))

    def __call__(self, scores: FloatArray) -> FloatArray:
        return np.asarray(expit(self.scale(scores)))

    @property
    def even(self) -> float:
        """The score of a chance of one half."""
        slope, intercept = self.scale.slope, self.scale.intercept
        return -intercept / slope if slope > 0 else (float("-inf") if intercept > 0 else float("inf"))


def fit_calibration(
    method: Any, scores: FloatArray, is_positive: BoolArray, weight: FloatArray | None
) -> Isotonic | Platt:
    """The map of a method from scores of rows left out, and their labels, to probabilities."""
    _input.check_choice("calibrate", method, METHODS)
    return (Isotonic if method == "isotonic" else Platt).fit(scores, is_positive, weight)


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
