"""A scoring rule that bends: a small neural network."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.random import RandomState
from scipy.special import logit
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

from podium._threads import one_thread
from podium._types import FloatArray
from podium.rankers.stack.smooth_member import SmoothMember

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
