"""A criterion: a smooth AUC by all pairs."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from podium.criteria import Criterion


@dataclass(frozen=True)
class SigmoidAuc(Criterion):
    """The mean over all pairs of σ((s_i − s_k)/h), i a positive and k a negative: a smooth share of pairs in order."""

    h: float = 0.5

    def evaluate(self, rows):
        up, weight = rows.is_positive, np.ones(len(rows.scores)) if rows.weight is None else rows.weight
        share = np.outer(weight[up], weight[~up])
        share /= share.sum()
        won = expit((rows.scores[up][:, None] - rows.scores[~up]) / self.h)
        slope = share * won * (1 - won) / self.h
        gradient = np.empty(len(rows.scores))
        gradient[up], gradient[~up] = slope.sum(axis=1), -slope.sum(axis=0)
        return float((share * won).sum()), gradient
