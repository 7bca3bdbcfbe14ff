"""Random samples for oracle tests: with and without ties, with weights."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from scipy.stats import norm


def draw(seed: int, n_rows: int = 40, n_levels: int | None = None):
    """Labels of both classes and scores; few levels make many ties."""
    rng = np.random.default_rng(seed)
    y = rng.random(n_rows) < 0.4
    y[:2] = [True, False]
    s = rng.standard_normal(n_rows) + y
    return y, s if n_levels is None else np.round(s * n_levels) / n_levels


CASES = [(0, 40, None), (1, 40, 2), (2, 25, 1), (3, 2, None), (4, 3, 1), (5, 60, 4)]


@st.composite
def labeled_scores(draw_, min_rows=2, max_rows=25):
    """Labels of both classes and small whole scores: ties are common."""
    n = draw_(st.integers(min_rows, max_rows))
    y = draw_(st.lists(st.booleans(), min_size=n, max_size=n).filter(lambda v: any(v) and not all(v)))
    s = draw_(st.lists(st.integers(-6, 6), min_size=n, max_size=n))
    return np.array(y), np.array(s, dtype=float)


def weighted_rows(n_rows=30, seed=0):
    """Scores, labels and whole weights."""
    y, s = draw(seed, n_rows)
    return s, y, np.random.default_rng(seed).integers(1, 4, n_rows).astype(float)


def binormal(rng, n_pos, n_neg, auc=0.9, sd=1.0):
    """Labels, scores and the true curve."""
    mean = norm.ppf(auc) * np.sqrt(1 + sd**2)
    scores = np.concatenate([rng.normal(mean, sd, n_pos), rng.normal(size=n_neg)])
    return np.repeat([True, False], [n_pos, n_neg]), scores, lambda t: norm.cdf((mean + norm.ppf(t)) / sd)
