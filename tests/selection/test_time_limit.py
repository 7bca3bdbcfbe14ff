"""Which candidates are begun within a budget of work: what decides is counted, the clock is the last resort."""

import time

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from podium.phi import Mww
from podium.selection import candidates, search
from podium.selection.candidates import MODELS, Cost
from podium.selection.training_rows import TrainingRows


class Clock:
    now = 0.0


class Slow(ClassifierMixin, BaseEstimator):
    """Takes so many seconds per row on the clock, and scores by the first column."""

    def __init__(self, seconds=0.0):
        self.seconds = seconds

    def fit(self, X, y, sample_weight=None, groups=None):
        Clock.now += self.seconds * len(X)
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return X[:, 0]


@pytest.fixture
def choose(monkeypatch):
    """The choice among two candidates; ``busy`` says how many times as long as counted everything takes."""

    def chosen(n_rows, time_limit, busy=1.0):
        rng = np.random.default_rng(0)
        X = rng.standard_normal((n_rows, 2))
        rows = TrainingRows(X, X[:, 0] + rng.standard_normal(n_rows) > 0)
        seconds = {"quick": 0.001, "slow": 0.01}
        monkeypatch.setattr(search, "build", lambda name, *settings: Slow(busy * seconds[name]))
        monkeypatch.setattr(candidates, "COSTS", {name: Cost(0.0, a, 0.0) for name, a in seconds.items()})
        started = time.monotonic()
        monkeypatch.setattr(Clock, "now", 0.0)
        monkeypatch.setattr(search.time, "monotonic", lambda: started + Clock.now)
        return search.choose(rows, Mww(), names=["quick", "slow"], seed=0, time_limit=time_limit)

    return chosen


@pytest.mark.parametrize("busy", [0.0, 1.0, 8.0])
@pytest.mark.parametrize(
    ("n_rows", "time_limit", "tried"),
    [
        (8000, 85.0, ["quick", "slow"]),
        (8000, 75.0, ["quick"]),  # 60 seconds for the 6,000 rows to learn from, but 80 for all
        (4000, 135.0, ["quick", "slow"]),
        (4000, 125.0, ["quick"]),  # 120 seconds for four times 3,000 rows, and 12 have gone
    ],
)
def test_a_candidate_is_begun_if_its_work_is_left_and_would_do_for_all_rows(choose, n_rows, time_limit, tried, busy):
    choice = choose(n_rows, time_limit, busy)
    assert list(choice.validation) == tried
    assert choice.warnings == []
    assert len(choice.notes) == 2 - len(tried)


def test_after_ten_times_the_limit_the_clock_ends_the_search_and_says_so(choose):
    choice = choose(4000, 135.0, busy=200.0)
    assert list(choice.validation) == ["quick"]
    assert "10 times its time limit of 135 s, so the clock ended it before slow was tried" in choice.warnings[0]


@pytest.mark.parametrize("name", MODELS)
def test_work_grows_with_rows_and_columns(name):
    assert (
        0
        < candidates.seconds_of(name, 1000, 10)
        < candidates.seconds_of(name, 4000, 10)
        <= candidates.seconds_of(name, 4000, 20)
    )
