import numpy as np
import pytest

from podium import metrics
from podium.phi import Mww, SmoothTopShare
from podium.selection import candidates, search
from podium.selection.candidates import Cost
from podium.selection.search import choose
from podium.selection.training_rows import TrainingRows


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((8000, 3))
    return TrainingRows(X, X[:, 0] * X[:, 1] + 0.3 * X[:, 2] + rng.logistic(size=8000) > 1)


def test_candidates_are_looked_at_again_on_more_rows_the_best_first(rows, monkeypatch):
    monkeypatch.setattr(search, "_ROUNDS", (1000, 4000))
    tried = []
    found = choose(rows, Mww(), names=["linear", "trees"], seed=0, time_limit=1000.0, on_start=tried.append)
    assert tried == ["linear", "trees", "trees", "linear"]
    assert found.name == "trees"
    assert found.validation["trees"] > found.validation["linear"] + 0.05


def test_few_rows_are_looked_at_once(rows):
    tried = []
    names = ["linear", "linear-quantile"]
    choose(rows, Mww(), names=names, seed=0, time_limit=1000.0, on_start=tried.append)
    assert tried == names


def test_what_would_take_too_much_work_is_left_out_with_a_note(rows, monkeypatch):
    monkeypatch.setitem(candidates.COSTS, "trees", Cost(0.0, 1.0, 0.0))
    found = choose(rows, Mww(), names=["linear", "trees"], seed=0, time_limit=100.0)
    assert list(found.validation) == ["linear"]
    assert found.notes == ["trees was not tried: 8,000 s on all rows would exceed the time limit of 100 s."]


def test_scores_that_tie_gain_nothing_at_a_steep_edge(rows):
    steep = SmoothTopShare(0.99, 1000.0, 1000.0)
    top = np.zeros(8000)
    top[np.flatnonzero(rows.is_positive)[:120]] = 1.0
    assert metrics.rank_statistic(rows.is_positive, top, phi=steep, ties="mid") > 1.05  # mid-ranks blur the edge
    assert metrics.rank_statistic(rows.is_positive, top, phi=steep) <= 1
