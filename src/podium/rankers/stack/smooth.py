"""Smooth members of a stack: a kernel rule and a small network of the columns' normal scores."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.random import RandomState
from scipy.special import logit
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neural_network import MLPClassifier
from sklearn.utils import check_random_state

from podium._threads import one_thread
from podium._types import BoolArray, FloatArray
from podium.rankers.base import Ranker
from podium.rankers.lines.rows import NormalScores

_ENOUGH_ROWS = 50_000  # to fit to: models so small learn little from more
_BLOCK = 10_000  # rows scored at once


class SmoothMember(Ranker):
    """Log-odds from the columns' normal scores, learned from at most 50,000 rows, scored in blocks.

    A subclass learns in ``_learn(features, labels, weight, rng)`` and scores in ``_log_odds(features)``.
    """

    random_state: Any
    _columns: NormalScores

    def _fit(self, X: FloatArray, is_positive: BoolArray, weight: FloatArray | None) -> None:
        rng = check_random_state(self.random_state)
        learner = RandomState(rng.randint(2**31))  # whatever the number of rows: a weight of 2 is two rows
        self._columns = NormalScores.fit(X, np.ones(len(X)) if weight is None else weight)
        rows = rng.permutation(len(X))[:_ENOUGH_ROWS]
        features, labels = self._columns.transform(X[rows]), is_positive[rows].astype(np.intp)
        self._learn(features, labels, None if weight is None else weight[rows], learner)

    def _scores(self, X: FloatArray) -> FloatArray:
        blocks = (self._columns.transform(X[start : start + _BLOCK]) for start in range(0, len(X), _BLOCK))
        return np.concatenate([self._log_odds(block) for block in blocks])

    def _learn(self, features: FloatArray, labels: Any, weight: FloatArray | None, rng: RandomState) -> None:
        raise NotImplementedError

    def _log_odds(self, features: FloatArray) -> FloatArray:
        raise NotImplementedError


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


_STEPS_PER_EPOCH = 40  # so that the time of a fit hardly depends on the rows
_SMALLEST_BATCH, _LARGEST_BATCH = 32, 500
_LEAST_CHANCE = 1e-12


class SmallNetwork(SmoothMember):
    r"""Log-odds by a network with two hidden layers, on the columns' normal scores.

    It errs differently from trees and from kernels, which is what a stack wants, and the stack's mean over folds evens
    out what depends on its start.

    Parameters
    ----------
    hidden : tuple of int
        Units of the hidden layers.
    alpha : float
        Strength of the ridge penalty, as scikit-learn counts it.
    n_epochs : int
        How often every row is seen, at most.
    random_state : int, RandomState or None
        For the start, the batches, and the rows fitted to above 50,000.
    """

    _network: MLPClassifier

    def __init__(
        self, hidden: tuple[int, ...] = (64, 32), *, alpha: float = 0.01, n_epochs: int = 40, random_state: Any = None
    ) -> None:
        self.hidden = hidden
        self.alpha = alpha
        self.n_epochs = n_epochs
        self.random_state = random_state

    def _learn(self, features: FloatArray, labels: Any, weight: FloatArray | None, rng: RandomState) -> None:
        n_rows = len(features)
        self._network = MLPClassifier(
            self.hidden,
            alpha=self.alpha,
            batch_size=int(np.clip(n_rows // _STEPS_PER_EPOCH, min(_SMALLEST_BATCH, n_rows), _LARGEST_BATCH)),
            learning_rate_init=0.003,
            max_iter=self.n_epochs,
            random_state=int(rng.randint(2**31)),
        )
        # On one thread: batches are small, and the sums, hence the network, do not depend on the number of threads.
        with one_thread(), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # to stop early is part of the method
            self._network.fit(features.astype(np.float32), labels, weight)  # precise enough to learn from, and faster

    def _log_odds(self, features: FloatArray) -> FloatArray:
        chance = self._network.predict_proba(features)[:, 1]
        return np.asarray(logit(np.clip(chance, _LEAST_CHANCE, 1 - _LEAST_CHANCE)))
