"""The cut of rows in partitions is that of rows in one array."""

import numpy as np
import pytest

from podium._types import Sample
from podium.rankers.two_classes import best_threshold

threshold = pytest.importorskip("podium.distributed.fits.threshold")


def in_a_loop(parts):
    """What the rounds come to, and how many rows were gathered at once."""
    rounds, kept, total, most = threshold.threshold_rounds(), [None] * len(parts), None, 0
    while True:
        try:
            step = rounds.send(total)
        except StopIteration as end:
            return end.value, most
        done = [step(rows, own) for rows, own in zip(parts, kept, strict=True)]
        kept, total = [own for _, own in done], done[0][0]
        for summary, _ in done[1:]:
            total = total + summary
        if isinstance(total, threshold.Gathered):
            most = max(most, sum(len(values) for part in total.parts for values, _ in part))


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
    "separated": lambda rng, y: 3.0 * y + rng.random(len(y)),
    "1e300 beside 1": lambda rng, y: (y + rng.standard_normal(len(y))) * np.where(rng.random(len(y)) < 0.1, 1e300, 1),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("share", [0.5, 0.05])
@pytest.mark.parametrize("scores", SCORES.values(), ids=SCORES)
def test_the_cut_is_that_of_rows_in_one_array(scores, share, weighted, monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.random(3000) < share
    weight = rng.integers(1, 4, 3000).astype(float) if weighted else None
    rows = Sample(scores(rng, y), y, weight)
    for few in (1 << 17, 50):  # at once, and after further rounds of counting
        monkeypatch.setattr(threshold, "_FEW", few)
        for n_parts in (1, 3):
            assert in_a_loop(cut(rows, n_parts))[0] == best_threshold(rows.scores, y, weight)


def test_few_rows_are_gathered():
    rng = np.random.default_rng(1)
    y = rng.random(400_000) < 0.3
    _, n_gathered = in_a_loop(cut(Sample(y + rng.standard_normal(len(y)), y), 4))
    assert n_gathered < 40_000
