"""A smooth scoring rule: logistic regression on how alike a row is to some landmarks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import RandomState
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel

from podium._types import FloatArray
from podium.rankers.stack.smooth_member import SmoothMember

_MOST_CORRELATED = 500  # columns: the covariance of more takes longer than all the rest
_LEAST_EIGENVALUE = 1e-12


class KernelLogistic(SmoothMember):
    r"""Log-odds Σ_l w_l k(x, x_l), k a Gaussian kernel of the columns' normal scores, x_l points drawn among the rows.

    Logistic regression in the space of Nyström's approximation. It errs differently from trees, which is what a stack
    wants: trees see one column at a time, it sees how far rows are from each other. Landmarks are draws from a normal
    distribution with the rows' mean and covariance, never rows: a fitted model gives none of them away.

    Parameters
    ----------
    n_landmarks : int
        How many landmarks x_l.
    C : float
        Inverse strength of the ridge penalty, as scikit-learn counts it.
    random_state : int, RandomState or None
        For the landmarks, and for the rows fitted to above 50,000.
    """

    _landmarks: FloatArray
    _weights: FloatArray
    _intercept: float

    def __init__(self, n_landmarks: int = 500, *, C: float = 10.0, random_state: Any = None) -> None:
        self.n_landmarks = n_landmarks
        self.C = C
        self.random_state = random_state

    def _learn(self, features: FloatArray, labels: Any, weight: FloatArray | None, rng: RandomState) -> None:
        self._landmarks = _landmarks(features, weight, self.n_landmarks, rng)
        values, vectors = np.linalg.eigh(_gaussian(self._landmarks, self._landmarks))
        embedding = vectors / np.sqrt(np.maximum(values, _LEAST_EIGENVALUE))
        regression = LogisticRegression(C=self.C, max_iter=1000)
        regression.fit(_gaussian(features, self._landmarks) @ embedding, labels, weight)
        self._weights, self._intercept = embedding @ regression.coef_[0], float(regression.intercept_[0])

    def _log_odds(self, features: FloatArray) -> FloatArray:
        kernel = rbf_kernel if self._predates_frames else _gaussian  # the same up to rounding
        return np.asarray(kernel(features, self._landmarks) @ self._weights) + self._intercept


def _gaussian(rows: FloatArray, landmarks: FloatArray) -> FloatArray:
    """e^(−‖x − l‖²/d): scikit-learn's, without checks, which for one row take longer than the sums."""
    squares = (rows**2).sum(axis=1)[:, None] - 2 * (rows @ landmarks.T) + (landmarks**2).sum(axis=1)
    return np.exp(np.maximum(squares, 0.0) / -rows.shape[1])


def _landmarks(features: FloatArray, weight: FloatArray | None, n_landmarks: int, rng: RandomState) -> FloatArray:
    """Draws from the normal distribution that has the mean and covariance of the rows."""
    n_columns = features.shape[1]
    draws = rng.standard_normal((n_landmarks, n_columns))
    mean = np.average(features, axis=0, weights=weight)
    centered = features - mean
    if n_columns > _MOST_CORRELATED:
        return np.asarray(mean + draws * np.sqrt(np.average(centered**2, axis=0, weights=weight)))
    share = np.full(len(features), 1 / len(features)) if weight is None else weight / weight.sum()
    # The symmetric root: it is one function of the covariance, whatever the signs of eigenvectors.
    values, vectors = np.linalg.eigh(centered.T @ (centered * share[:, None]))
    return np.asarray(mean + draws @ (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)
