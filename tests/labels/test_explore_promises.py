"""Explored rows: inclusion probabilities and estimates against the enumeration of all samples."""

from itertools import combinations, product

import numpy as np
import pytest

from podium import inference
from podium.exceptions import InputError
from podium.inference.planning.looks import Looks
from podium.labels import Observed
from podium.labels.design import Design
from podium.labels.explore import measure, spread, strata
from podium.labels.lists import PartlyLabeled

RNG = np.random.default_rng(1)


def samples(draw):
    """Every sample of the design, as which rows are drawn; all are equally likely."""
    ends = np.cumsum(draw.n_rows)
    of_strata = [
        list(combinations(range(end - n, end), drawn))
        for end, n, drawn in zip(ends, draw.n_rows, draw.n_drawn, strict=True)
    ]
    for chosen in product(*of_strata):
        yield np.isin(np.arange(ends[-1]), [row for rows in chosen for row in rows])


@pytest.mark.parametrize("n_drawn", [2, 3, 4, 5, 8])
def test_inclusion_is_the_share_of_all_samples_that_have_the_row(n_drawn):
    draw = strata(np.array([9.0, 4, 4, 1, 1, 1, 0.5, 0.1]), n_drawn)
    all_samples = np.array(list(samples(draw)))
    assert (all_samples.sum(axis=1) == n_drawn).all()
    np.testing.assert_allclose(all_samples.mean(axis=0), draw.inclusion, rtol=1e-12)


def test_every_sample_is_drawn_and_equally_often():
    draw = strata(np.ones(8), 4)
    possible = {tuple(sample): 0 for sample in samples(draw)}
    n_draws = 200 * len(possible)
    for seed in range(n_draws):
        possible[tuple(draw.draw(np.random.default_rng(seed)))] += 1
    counts = np.array(list(possible.values()))
    chi2 = ((counts - 200) ** 2 / 200).sum()
    assert len(possible) == 36
    assert chi2 < len(possible) + 5 * np.sqrt(2 * len(possible))


def test_the_estimate_is_right_in_the_mean_over_all_samples():
    scores, y = -np.arange(10.0), np.array([1.0, 0, 1, 1, 0, 0, 1, 0, 0, 0])
    draw = strata(np.ones(8), 4)
    inclusion = np.append([1.0, 1.0], draw.inclusion)
    totals = []
    for sample in samples(draw):
        observed = Observed(np.where(np.append([True, True], sample), y, np.nan), inclusion)
        rows = PartlyLabeled.of(observed, scores)
        known = y[rows.is_labeled]
        if 0 < known.sum() < len(known):
            weights = Design([rows]).weight
            np.testing.assert_allclose(weights[rows.is_labeled], 1 / inclusion[rows.is_labeled], rtol=1e-12)
        totals.append((np.where(rows.is_labeled, y, 0) / inclusion).sum())
    assert np.mean(totals) == pytest.approx(y.sum(), rel=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_strata_hold_all_rows_and_at_least_those_drawn(seed):
    rng = np.random.default_rng(seed)
    n_rows, n_drawn = int(rng.integers(2, 200)), int(rng.integers(2, 60))
    draw = strata(rng.lognormal(sigma=3, size=n_rows), n_drawn)
    assert (draw.n_rows.sum(), draw.n_drawn.sum()) == (n_rows, min(n_drawn, n_rows))
    assert (draw.n_drawn <= draw.n_rows).all()
    assert ((draw.inclusion > 0) & (draw.inclusion <= 1)).all()
    assert (draw.n_drawn >= 2).all() or n_rows < 2


def test_rows_whose_labels_matter_more_are_drawn_more_often():
    chances = np.linspace(0.4, 0.001, 1000)
    draw = strata(spread(measure(-np.arange(1000.0), "hits", 10), chances), 40)
    assert (np.diff(draw.inclusion) <= 0).all()
    sums = [part.sum() for part in np.split(np.sqrt(chances * (1 - chances)), np.cumsum(draw.n_rows)[:-1])]
    assert max(sums) < 2.2 * min(sums)  # a quarter of the looks go by the number of rows


@pytest.mark.parametrize("aim", ["recall", "auc", "hits"])
def test_slopes_are_differences_of_the_measure(aim):
    scores, chances = -np.arange(40.0), np.linspace(0.6, 0.02, 40)
    figure = measure(scores, aim, 5)
    slopes = figure.slopes(chances)
    for row in (0, 4, 5, 39):
        step = np.zeros(40)
        step[row] = 1e-4
        found = (figure.at(chances + step) - figure.at(chances - step)) / 2e-4
        assert slopes[row] == pytest.approx(found, rel=2e-2, abs=1e-4)


@pytest.mark.parametrize(("aim", "metric"), [("recall", "recall-at:100"), ("auc", "auc"), ("hits", "prevalence")])
def test_a_plan_expects_the_width_that_is_found(aim, metric):
    rng = np.random.default_rng(3)
    scores = np.sort(rng.normal(size=2000))[::-1]
    chances = 1 / (1 + np.exp(2.5 - 1.2 * scores))
    planned = Looks(scores, chances, 100, aim, 0.95).known(300)
    draw = strata(spread(measure(scores, aim, 100), chances)[100:], 300)
    widths = []
    for _ in range(20):
        y = rng.random(2000) < chances
        seen = np.append(np.ones(100, bool), draw.draw(rng))
        observed = Observed(np.where(seen, y, np.nan), np.append(np.ones(100), draw.inclusion))
        found = inference.interval(observed, scores, metric=metric)
        widths.append(found.high - found.low)
    assert np.mean(widths) == pytest.approx(planned.width, rel=0.15)


def test_a_plan_names_the_fewest_looks():
    scores = np.sort(RNG.normal(size=1000))[::-1]
    looks = Looks(scores, 1 / (1 + np.exp(2 - scores)), 50, "recall", 0.95)
    needed = looks.needed(0.2)
    assert needed.width <= 0.2 < looks.known(needed.looks - 1).width
    assert looks.known(950).width == 0
    assert [one.looks for one in looks.course()] == [2, 5, 10, 20, 50, 100, 200, 500, 950]


def test_what_cannot_be_planned_gets_a_sentence():
    scores, chances = np.arange(10.0), np.full(10, 0.2)
    with pytest.raises(InputError, match="top must be 1 to 9"):
        Looks(scores, chances, 10, "recall", 0.95)
    with pytest.raises(InputError, match="there are none"):
        Looks(scores, chances, 9, "recall", 0.95).needed(0.2)
    with pytest.raises(InputError, match="width"):
        Looks(scores, chances, 5, "recall", 0.95).needed(2)
    with pytest.raises(InputError, match="explore_for"):
        measure(scores, "precision", 5)
