"""A scoring rule that bends: a small neural network."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.special import logit
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from podium._input import BoolArray, FloatArray
from podium.rankers.base import Ranker
from podium.rankers.columns import NormalScores

_ENOUGH_ROWS = 50_000  # to fit to
_STEPS_PER_EPOCH = 40  # so that the time of a fit hardly depends on the rows
_SMALLEST_BATCH, _LARGEST_BATCH = 32, 500
_LEAST_CHANCE = 1e-12


class SmallNetwork(Ranker):
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

    def __init__(
        self, hidden: tuple[int, ...] = (64, 32), *, alpha: float = 0.01, n_epochs: int = 40, random_state: Any = None
    ) -> None:
        self.hidden = hidden
        self.alpha = alpha
        self.n_epochs = n_epochs
        self.random_state = random_state

    def _fit(self, X: FloatArray, is_positive: BoolArray, weight: FloatArray | None) -> None:
        rng = check_random_state(self.random_state)
        self._columns = NormalScores.fit(X, np.ones(len(X)) if weight is None else weight)
        rows = rng.permutation(len(X))[:_ENOUGH_ROWS]
        features = self._columns.transform(X[rows]).astype(np.float32)  # precise enough to learn from, twice as fast
        self._network = MLPClassifier(
            self.hidden,
            alpha=self.alpha,
            batch_size=int(np.clip(len(rows) // _STEPS_PER_EPOCH, min(_SMALLEST_BATCH, len(rows)), _LARGEST_BATCH)),
            learning_rate_init=0.003,
            max_iter=self.n_epochs,
            random_state=int(rng.randint(2**31)),
        )
        # On one thread: batches are small, and the sums, hence the network, do not depend on the number of threads.
        with threadpool_limits(1, "blas"), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # to stop early is part of the method
            weights = None if weight is None else weight[rows]
            self._network.fit(features, is_positive[rows].astype(np.intp), weights)

    def _scores(self, X: FloatArray) -> FloatArray:
        chance = self._network.predict_proba(self._columns.transform(X))[:, 1]
        return np.asarray(logit(np.clip(chance, _LEAST_CHANCE, 1 - _LEAST_CHANCE)))
