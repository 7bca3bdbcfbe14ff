import numpy as np
import pytest

from podium.cli import choice
from podium.cli.choice import choose
from podium.phi import Mww
from podium.tables import TrainingRows


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((8000, 3))
    return TrainingRows(X, X[:, 0] * X[:, 1] + 0.3 * X[:, 2] + rng.logistic(size=8000) > 1, {})


def test_candidates_are_looked_at_again_on_more_rows_the_best_first(rows, monkeypatch):
    monkeypatch.setattr(choice, "_AUTO", {"linear": 1.0, "trees": 2.0})
    monkeypatch.setattr(choice, "_ROUNDS", (1000, 4000))
    tried = []
    found = choose(rows, Mww(), None, 0, 1000.0, tried.append)
    assert tried == ["linear", "trees", "trees", "linear"]
    assert found.name == "trees"
    assert found.validation["trees"] > found.validation["linear"] + 0.05


def test_few_rows_are_looked_at_once(rows, monkeypatch):
    monkeypatch.setattr(choice, "_AUTO", {"linear": 1.0})
    tried = []
    choose(rows, Mww(), None, 0, 1000.0, tried.append)
    assert tried == ["linear"]


def test_what_would_end_too_late_is_left_out_with_a_note(rows, monkeypatch):
    monkeypatch.setattr(choice, "_AUTO", {"linear": 1.0, "trees": 1e9})
    found = choose(rows, Mww(), None, 0, 100.0)
    assert list(found.validation) == ["linear"]
    assert "trees was not tried" in found.notes[0]
