"""A smooth scoring rule: logistic regression on how alike a row is to some landmarks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import RandomState
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression

from podium._types import FloatArray
from podium.rankers.stack.smooth_member import SmoothMember


class KernelLogistic(SmoothMember):
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

    def _learn(self, features: FloatArray, labels: Any, weight: FloatArray | None, rng: RandomState) -> None:
        self._likeness = Nystroem(n_components=min(self.n_landmarks, len(features)), random_state=rng.randint(2**31))
        self._regression = LogisticRegression(C=self.C, max_iter=1000)
        self._regression.fit(self._likeness.fit_transform(features), labels, weight)

    def _log_odds(self, features: FloatArray) -> FloatArray:
        return np.asarray(self._regression.decision_function(self._likeness.transform(features)))
