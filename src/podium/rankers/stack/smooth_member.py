"""What smooth members of a stack have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import RandomState
from sklearn.utils import check_random_state

from podium._types import BoolArray, FloatArray
from podium.rankers.base import Ranker
from podium.rankers.lines.columns import NormalScores

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
