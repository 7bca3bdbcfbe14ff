"""Which candidates are begun within a time limit, by a clock that only fitting moves."""

import time

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from podium.phi import Mww
from podium.selection.auto import search
from podium.selection.auto.rows import ArrayRows


class Clock:
    now = 0.0


class Slow(ClassifierMixin, BaseEstimator):
    """Takes so many seconds per row on the clock, and scores by the first column."""

    def __init__(self, seconds=0.0):
        self.seconds = seconds

    def fit(self, X, y, sample_weight=None):
        Clock.now += self.seconds * len(X)
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return X[:, 0]


@pytest.mark.parametrize(
    ("n_rows", "time_limit", "tried"),
    [
        (8000, 85.0, ["quick", "slow"]),
        (8000, 75.0, ["quick"]),  # 60 seconds for the 6,000 rows to learn from, but 80 for all
        (4000, 135.0, ["quick", "slow"]),
        (4000, 125.0, ["quick"]),  # 120 seconds for four times 3,000 rows, and 12 have gone
    ],
)
def test_a_candidate_is_begun_if_its_usual_time_is_left_and_would_do_for_all_rows(
    monkeypatch, n_rows, time_limit, tried
):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_rows, 2))
    rows = ArrayRows(X, X[:, 0] + rng.standard_normal(n_rows) > 0)
    seconds = {"quick": 0.001, "slow": 0.01}
    monkeypatch.setattr(search, "build", lambda name, *settings: Slow(seconds[name]))
    monkeypatch.setattr(search, "CANDIDATES", {"quick": None, "slow": (10.0, "quick")})
    started = time.monotonic()
    monkeypatch.setattr(Clock, "now", 0.0)
    monkeypatch.setattr(search.time, "monotonic", lambda: started + Clock.now)
    choice = search.choose(rows, Mww(), names=["quick", "slow"], seed=0, time_limit=time_limit)
    assert list(choice.validation) == tried
