"""Scores of boosted thresholds, by NumPy alone."""

from __future__ import annotations

import numpy as np

from podium._types import Array, FloatArray


def stump_scores(X: FloatArray, rounds: Array) -> FloatArray:
    """Σ alpha · 1{x > threshold} over rounds of a feature, a threshold and an alpha."""
    scores = np.zeros(len(X))
    for feature in np.unique(rounds["feature"]):
        here = rounds[rounds["feature"] == feature]
        here = here[np.argsort(here["threshold"])]
        heights = np.concatenate([[0.0], np.cumsum(here["alpha"])])
        scores += heights[np.searchsorted(here["threshold"], X[:, feature])]
    return scores
