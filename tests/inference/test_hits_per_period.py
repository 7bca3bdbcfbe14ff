"""Hits of the next list by the lists of the past, against loops over lists and rows."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from podium.exceptions import DegenerateSampleError, InputError
from podium.inference import HitsPerPeriodBounds, hits_per_period
from podium.labels import Observed
from podium.labels.design import design_of


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


def gaps(y, scores, period, k):
    """The first k rows of every list have a label, and some of the others; with which probability each was to."""
    rng = np.random.default_rng(4)
    place = np.array([(scores[period == period[i]] > scores[i]).sum() for i in range(len(y))])
    inclusion = np.where(place < k, 1.0, 0.3)
    return np.where(rng.random(len(y)) < inclusion, y * 1.0, np.nan), inclusion


def test_hits_above_the_explored_rows_are_counted():
    y, scores, period = lists_of()
    labels, inclusion = gaps(y, scores, period, 5)
    found, whole = (hits_per_period(each, scores, period, k=5) for each in (Observed(labels, inclusion), y))
    assert (found.estimate, found.low, found.high) == (whole.estimate, whole.low, whole.high)
    assert found.standard_deviation == pytest.approx(whole.standard_deviation)


@pytest.mark.parametrize("ties", [False, True])
def test_hits_among_explored_rows_are_sums_of_estimated_labels_known_as_the_design_says(ties):
    y, scores, period = lists_of(ties)
    labels, inclusion = gaps(y, scores, period, 4)
    observed = Observed(labels, inclusion)
    # Rows count by their place in their own list; of tied ones, by the mean of their places.
    places = np.zeros(len(y))
    above = np.zeros(len(y))
    for i in range(len(y)):
        own = scores[period == period[i]]
        first, tied = (own > scores[i]).sum(), (own == scores[i]).sum()
        places[i], above[i] = first + (tied + 1) / 2, min(max(9 - first, 0) / tied, 1)
    design, _ = design_of(observed, -places, None, None)
    hits = np.array([(above * design.pseudo_labels)[period == one].sum() for one in range(12)])
    noise = np.mean([design.covariance((above * (period == one))[None])[0, 0] for one in range(12)])
    gap = hits - hits.mean()
    alike = sum(a * b for a, b in pairwise(gap)) / (gap @ gap - 12 * noise)
    alike = min(max(alike + (1 + 3 * alike) / 12, 0), 0.95)
    worth = max(2, 12 * (1 - alike) / (1 + alike))
    share = (hits.sum() + 0.5) / (np.minimum(np.bincount(period), 9).sum() + 1)
    of_chance = np.minimum(np.bincount(period), 9).mean() * share * (1 - share)
    spread = max(gap @ gap / 12 / (1 - 1 / worth) - noise + noise * np.sqrt(2 / (worth - 1)), of_chance)
    reach = stats.t(worth - 1).ppf(0.8) * np.sqrt(spread * (1 + 1 / worth) + noise / 12) + 0.5
    found = hits_per_period(observed, scores, period, k=9, confidence_level=0.6)
    inside = [h for h in range(10) if abs(h - hits.mean()) <= reach]
    assert (found.low, found.high) == (min(inside), max(inside))
    assert (found.estimate, found.standard_deviation) == pytest.approx((hits.mean(), np.sqrt(spread)))
    of_list = [design.pseudo_labels[period == one].sum() * min(1, 9 / (period == one).sum()) for one in range(12)]
    assert found.random_hits == pytest.approx(np.mean(of_list))


def test_without_probabilities_the_limits_are_those_of_the_worst_and_the_best_missing_labels():
    y, scores, period = lists_of()
    labels, _ = gaps(y, scores, period, 5)
    found = hits_per_period(Observed(labels), scores, period, k=8)
    worst, best = (hits_per_period(np.where(np.isnan(labels), a, labels), scores, period, k=8) for a in (0, 1))
    assert isinstance(found, HitsPerPeriodBounds)
    assert found.mean == pytest.approx((worst.estimate, best.estimate))
    assert (found.low, found.high) == (worst.low, best.high)
    with pytest.raises(InputError, match="there is no units"):
        hits_per_period(Observed(labels), scores, period, k=8, units=period)
