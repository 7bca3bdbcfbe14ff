"""A smooth scoring rule: logistic regression on how alike a row is to some landmarks."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.utils import check_random_state

from podium._input import BoolArray, FloatArray
from podium.rankers.base import Ranker
from podium.rankers.columns import NormalScores

_ENOUGH_ROWS = 50_000  # to fit to: so few landmarks leave nothing to learn from more
_BLOCK = 10_000  # rows scored at once


class KernelLogistic(Ranker):
    r"""Log-odds Σ_l w_l k(x, x_l), k a Gaussian kernel of the columns' normal scores, x_l rows drawn at random.

    Logistic regression in the space of Nyström's approximation. It errs differently from trees, which is what a stack
    wants: trees see one column at a time, it sees how far rows are from each other.

    Parameters
    ----------
    n_landmarks : int
        How many rows x_l.
    C : float
        Inverse strength of the ridge penalty, as scikit-learn counts it.
    random_state : int, RandomState or None
        For the landmarks, and for the rows fitted to above 50,000.
    """

    def __init__(self, n_landmarks: int = 300, *, C: float = 10.0, random_state: Any = None) -> None:
        self.n_landmarks = n_landmarks
        self.C = C
        self.random_state = random_state

    def _fit(self, X: FloatArray, is_positive: BoolArray, weight: FloatArray | None) -> None:
        rng = check_random_state(self.random_state)
        self._columns = NormalScores.fit(X, np.ones(len(X)) if weight is None else weight)
        rows = rng.permutation(len(X))[:_ENOUGH_ROWS]
        features = self._columns.transform(X[rows])
        self._likeness = Nystroem(n_components=min(self.n_landmarks, len(rows)), random_state=rng.randint(2**31))
        self._regression = LogisticRegression(C=self.C, max_iter=1000)
        weights = None if weight is None else weight[rows]
        self._regression.fit(self._likeness.fit_transform(features), is_positive[rows].astype(np.intp), weights)

    def _scores(self, X: FloatArray) -> FloatArray:
        blocks = (X[start : start + _BLOCK] for start in range(0, len(X), _BLOCK))
        likeness = (self._likeness.transform(self._columns.transform(block)) for block in blocks)
        return np.concatenate([self._regression.decision_function(part) for part in likeness])
