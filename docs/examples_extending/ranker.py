"""A ranker: the line through the two centers."""

import numpy as np

from podium.rankers import Ranker


class CentroidRanker(Ranker):
    """s(x) = ⟨mean of the positives − mean of the negatives, x⟩, divided by the spread of each column."""

    coef_: np.ndarray

    def _fit(self, X, is_positive, weight):
        weight = np.ones(len(X)) if weight is None else weight
        means = [np.average(X[rows], axis=0, weights=weight[rows]) for rows in (is_positive, ~is_positive)]
        variance = np.average((X - np.average(X, axis=0, weights=weight)) ** 2, axis=0, weights=weight)
        self.coef_ = (means[0] - means[1]) / np.where(variance > 0, variance, 1.0)

    def _scores(self, X):
        return X @ self.coef_
