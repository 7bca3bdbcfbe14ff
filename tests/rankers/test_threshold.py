"""Where to cut between the classes: the least training error, of rows in one array and in chunks."""

import numpy as np
import pytest

from podium._types import Sample
from podium.rankers import two_classes
from podium.rounds.computation import run_over


def by_trying(scores, is_positive, weight):
    """Every cut just below a positive, from the lowest on; nothing called positive where that is no worse."""
    mass = np.ones(len(scores)) if weight is None else weight
    values = np.unique(scores[is_positive])
    wrong = [mass[np.where(is_positive, scores < v, scores >= v)].sum() for v in values]
    if min(wrong) >= mass[is_positive].sum():
        return scores.max()
    value = values[int(np.argmin(wrong))]
    lower = scores[scores < value]
    return value / 2 + lower.max() / 2 if len(lower) else np.nextafter(value, -np.inf)


def cut(rows, n_parts):
    places = np.array_split(np.arange(len(rows.scores)), n_parts)
    return [
        Sample(*(None if x is None else x[p] for x in (rows.scores, rows.is_positive, rows.weight))) for p in places
    ]


SCORES = {
    "normal": lambda rng, y: y + rng.standard_normal(len(y)),
    "no information": lambda rng, y: rng.standard_normal(len(y)),
    "ties": lambda rng, y: np.round(y + 2 * rng.standard_normal(len(y))),
    "all equal": lambda rng, y: np.zeros(len(y)),
    "subnormal": lambda rng, y: 1e-310 * (y + rng.random(len(y))),
    "±1e308": lambda rng, y: np.where(rng.random(len(y)) < 0.3, -1, 1) * np.where(y, 1.7e308, rng.random(len(y))),
    "infinite": lambda rng, y: np.where(rng.random(len(y)) < 0.1, np.inf, y + rng.standard_normal(len(y))),
    "separated": lambda rng, y: 3.0 * y + rng.random(len(y)),
    "1e300 beside 1": lambda rng, y: (y + rng.standard_normal(len(y))) * np.where(rng.random(len(y)) < 0.1, 1e300, 1),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("share", [0.5, 0.05])
@pytest.mark.parametrize("scores", SCORES.values(), ids=SCORES)
def test_the_cut_has_the_least_error(scores, share, weighted, monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.random(1000) < share
    weight = rng.integers(1, 4, 1000).astype(float) if weighted else None
    rows = Sample(scores(rng, y), y, weight)
    wanted = by_trying(rows.scores, y, weight)
    for fewer, few in ((1 << 12, 1 << 17), (0, 1 << 17), (0, 50)):  # without counting, and after one round or more
        monkeypatch.setattr(two_classes, "_FEWER", fewer)
        monkeypatch.setattr(two_classes, "_FEW", few)
        assert two_classes.best_threshold(rows.scores, y, weight) == wanted
        assert run_over(two_classes.threshold_rounds(), cut(rows, 3))[0] == wanted


def test_few_rows_are_looked_at_one_by_one(monkeypatch):
    rng = np.random.default_rng(1)
    y = rng.random(400_000) < 0.3
    n_gathered, best_cut = [], two_classes.RowsLeft.best_cut

    def recorded(gathered, *masses):
        n_gathered.append(sum(len(rows.scores) for rows in gathered.parts))
        return best_cut(gathered, *masses)

    monkeypatch.setattr(two_classes.RowsLeft, "best_cut", recorded)
    run_over(two_classes.threshold_rounds(), cut(Sample(y + rng.standard_normal(len(y)), y), 4))
    assert 0 < n_gathered[0] < 40_000
