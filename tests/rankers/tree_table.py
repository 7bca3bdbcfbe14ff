"""A table for ranking trees."""

import numpy as np


def table(seed, n=300, missing=0.1):
    """Two numbers, one with ties, and a column of categories; some are missing."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.standard_normal(n), rng.integers(0, 6, n), rng.integers(0, 4, n).astype(float)])
    effect = np.array([0.0, 1.5, -1.0, 0.5])[X[:, 2].astype(int)]
    y = X[:, 0] + effect + 0.3 * X[:, 1] * (X[:, 0] > 0) + rng.standard_normal(n) > 0.8
    X[rng.random(X.shape) < missing] = np.nan
    return X, y
