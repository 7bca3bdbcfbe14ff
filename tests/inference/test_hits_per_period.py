"""Hits of the next list by the lists of the past, against loops over lists and rows."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from podium.exceptions import DegenerateSampleError, InputError
from podium.inference import hits_per_period


def lists_of(ties=False, n_lists=12):
    """Lists of different lengths, in random order of rows."""
    rng = np.random.default_rng(0)
    period = np.repeat(np.arange(n_lists), rng.integers(5, 30, n_lists))
    y = rng.random(len(period)) < 0.3
    scores = y + rng.normal(size=len(y))
    if ties:
        scores = np.round(scores)
    order = rng.permutation(len(y))
    return y[order], scores[order], period[order]


def naive_hits(y, scores, k):
    """The mean of the hits among the first k over all orders of tied rows: a tied row is inspected with one chance."""
    total = 0.0
    for score in sorted(set(scores), reverse=True):
        above, tied = (scores > score).sum(), (scores == score).sum()
        total += y[scores == score].sum() * min(max(k - above, 0) / tied, 1.0)
    return total


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("k", [1, 4, 20])
def test_the_mean_and_the_limits_are_those_of_the_counts_of_every_list(k, ties):
    y, scores, period = lists_of(ties)
    hits = np.array([naive_hits(y[period == one], scores[period == one], k) for one in np.unique(period)])
    lengths = np.bincount(period)
    inspected = np.minimum(lengths, k).mean()
    share = (hits.sum() + 0.5) / (inspected * len(hits) + 1)
    gaps = [h - hits.mean() for h in hits]
    alike = sum(a * b for a, b in pairwise(gaps)) / sum(a * a for a in gaps)
    alike = min(max(alike + (1 + 3 * alike) / 12, 0), 0.95)
    worth = max(2, 12 * (1 - alike) / (1 + alike))
    spread = hits.std(ddof=1) * np.sqrt((1 - 1 / 12) / (1 - 1 / worth))
    spread = max(spread, np.sqrt(inspected * share * (1 - share)))
    for level in (0.4, 0.6, 0.9):
        reach = stats.t(worth - 1).ppf((1 + level) / 2) * spread * np.sqrt(1 + 1 / worth) + 0.5
        found = hits_per_period(y, scores, period, k=k, confidence_level=level)
        inside = [h for h in range(k + 1) if abs(h - hits.mean()) <= reach]
        assert (found.low, found.high) == (min(inside), max(inside))
    assert found.estimate == pytest.approx(hits.mean())
    assert found.standard_deviation == pytest.approx(spread)
    positives = np.bincount(period, y)
    assert found.random_hits == pytest.approx(np.mean(positives * np.minimum(1, k / lengths)))
    assert found.n_lists == 12


def test_units_are_counted_once_a_list():
    y, scores, period = lists_of()
    card = np.random.default_rng(1).integers(0, 9, len(y))
    found = hits_per_period(y, scores, period, k=8, units=card)
    counts = []
    for one in np.unique(period):
        rows = np.flatnonzero(period == one)
        first = sorted(rows, key=lambda row: -scores[row])[:8]
        counts.append(len({card[row] for row in first if y[row]}))
    assert found.units[0] == pytest.approx(np.mean(counts))
    assert found.units[0] <= found.estimate


@pytest.mark.parametrize(("sd", "alike"), [(0.0, 0.0), (0.7, 0.0), (0.5, 0.7)])
def test_the_range_holds_the_hits_of_later_days_which_differ(sd, alike):
    rng = np.random.default_rng(8)
    held = []
    for _ in range(300):
        days = rng.normal(0, sd, 31)
        for day in range(1, 31):
            days[day] = alike * days[day - 1] + np.sqrt(1 - alike**2) * days[day]
        chance = np.minimum(0.2 * np.exp(days), 1)
        y = rng.random((31, 60)) < chance[:, None]
        scores = 2 * y + rng.normal(size=y.shape)
        found = hits_per_period(y[:30].ravel(), scores[:30].ravel(), np.repeat(np.arange(30), 60), k=10)
        held.append(found.low <= y[30][np.argsort(-scores[30])[:10]].sum() <= found.high)
    assert np.mean(held) >= 0.93


def test_the_names_of_periods_do_not_matter():
    y, scores, period = lists_of()
    dates = np.datetime64("2025-01-01") + period
    assert hits_per_period(y, scores, dates, k=5) == hits_per_period(y, scores, period, k=5)


def test_one_list_says_nothing_of_the_next():
    with pytest.raises(DegenerateSampleError, match="at least two lists; got 1"):
        hits_per_period([0, 1, 1], [1.0, 2.0, 3.0], ["monday"] * 3, k=1)
    with pytest.raises(InputError, match="period must name"):
        hits_per_period([0, 1, 1], [1.0, 2.0, 3.0], ["monday"] * 2, k=1)
