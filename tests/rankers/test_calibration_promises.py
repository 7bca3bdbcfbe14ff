"""Probabilities and their limits, exactly: Clopper and Pearson's, Wilson's, and what Platt draws labels in to."""

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import binomtest

from podium._shares import normal_quantile, wilson
from podium.rankers.calibration.curves import Calibration, IncreasingLimits, reliability
from podium.rankers.calibration.shapes import Isotonic, Platt


def rows(n=120, seed=0, levels=8):
    rng = np.random.default_rng(seed)
    s = rng.integers(levels, size=n) + 0.0
    return s, rng.random(n) < (s + 1) / (levels + 2)


@pytest.mark.parametrize("n", [1, 7, 40])
def test_limits_of_a_share_are_wilsons(n):
    hits = np.arange(n + 1.0)
    low, high = wilson(hits, np.full(n + 1, n), normal_quantile(0.95))
    for k in range(n + 1):
        exact = binomtest(k, n).proportion_ci(method="wilson")
        assert (low[k], high[k]) == pytest.approx((exact.low, exact.high), abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_limits_of_a_chance_are_those_of_clopper_and_pearson_for_rows_up_to_a_score_and_from_it_on(seed):
    # Whichever rows a window holds, its limit is one of these; and limits that would fall are drawn apart.
    s, y = rows(seed=seed)
    found = IncreasingLimits.fit(s, y)
    values = np.unique(s)
    low, high = found(values)
    assert (np.diff(low) >= 0).all()
    assert (np.diff(high) >= 0).all()
    possible_low, possible_high = {0.0}, {1.0}
    for first, last in itertools.combinations_with_replacement(values, 2):
        inside = (s >= first) & (s <= last)
        exact = binomtest(int(y[inside].sum()), int(inside.sum())).proportion_ci()
        possible_low.add(exact.low)
        possible_high.add(exact.high)
    for limits, possible in ((low, possible_low), (high, possible_high)):
        assert np.abs(limits[:, None] - np.array(sorted(possible))).min(axis=1).max() < 1e-9


def test_over_all_labels_of_a_few_rows_limits_hold_the_chance_of_every_score_as_often_as_promised():
    s, chance = np.repeat([0.0, 1.0], 3), np.repeat([0.3, 0.8], 3)
    held = np.zeros(2)
    for labels in itertools.product([False, True], repeat=6):
        y = np.array(labels)
        low, high = (np.zeros(2), np.ones(2)) if y.all() or not y.any() else IncreasingLimits.fit(s, y)(s[[0, 5]])
        probability = np.prod(np.where(y, chance, 1 - chance))
        held += probability * ((low <= chance[[0, 5]]) & (chance[[0, 5]] <= high))
    assert (held >= 0.95).all()


def test_between_scores_a_chance_has_the_lower_limit_from_below_and_the_upper_one_from_above():
    s, y = rows()
    found = IncreasingLimits.fit(s, y)
    at, between = found(np.array([2.0, 3.0])), found(np.array([2.5]))
    assert (between[0][0], between[1][0]) == (at[0][0], at[1][1])
    assert (found(np.array([-1.0]))[0][0], found(np.array([99.0]))[1][0]) == (0, 1)


def test_rows_of_unequal_weight_are_worth_no_more_than_kish_says():
    # One score: every window holds all rows. Weights that go with no label leave their share and lessen the rows.
    y = np.tile([True, False, False, True, False, False], 20)
    weight = np.repeat([1.0, 4.0], 60)
    low, high = IncreasingLimits.fit(np.zeros(120), y, weight)(np.zeros(1))
    worth = weight.sum() ** 2 / (weight**2).sum()
    equal = [IncreasingLimits.fit(np.zeros(n), np.arange(n) < n / 3)(np.zeros(1)) for n in (87, 90)]
    assert 87 < worth < 90
    assert equal[0][0][0] < low[0] < equal[1][0][0]
    assert equal[1][1][0] < high[0] < equal[0][1][0]


def test_an_isotonic_chance_is_a_share_with_one_row_more_and_never_zero_or_one():
    s, y = np.array([0.0, 0, 0, 1, 1, 2, 2, 2]), np.array([0, 0, 0, 1, 0, 1, 1, 1], dtype=bool)
    chances = Isotonic.fit(s, y)(np.array([0.0, 1, 2]))
    assert chances == pytest.approx([(0 + 0.5) / 4, (1 + 0.5) / 3, (3 + 0.5) / 4])


def test_platts_line_has_the_largest_likelihood_of_labels_drawn_in():
    s, y = rows(60)
    n, m = y.sum(), (~y).sum()
    target = np.where(y, (n + 1) / (n + 2), 1 / (m + 2))

    def loss(line):
        z = line[0] + line[1] * s
        return np.sum(np.logaddexp(0, z) - target * z)

    intercept, slope = minimize(loss, [0.0, 0.0], tol=1e-12).x
    assert Platt.fit(s, y)(s) == pytest.approx(1 / (1 + np.exp(-intercept - slope * s)), abs=1e-4)


def test_the_reliability_of_rows_is_by_chances_that_were_learned_without_them():
    s, y = rows(100, levels=50)
    found = reliability(y, s)
    at_random = np.random.default_rng(0).random(100)
    fold = np.empty(100, dtype=int)
    fold[sorted(range(100), key=lambda i: (s[i], at_random[i]))] = np.arange(100) % 5  # whatever the labels are
    said = np.empty(100)
    for k in range(5):
        said[fold == k] = Calibration.fit(s[fold != k], y[fold != k])(s[fold == k])
    parts = np.array_split(np.argsort(said, kind="stable"), 5)
    assert found.said == pytest.approx([said[part].mean() for part in parts])
    assert found.found == pytest.approx([y[part].mean() for part in parts])
    assert found.expected_error == pytest.approx(
        sum(abs(y[part].mean() - said[part].mean()) * len(part) for part in parts) / 100
    )
    for k, part in enumerate(parts):
        exact = binomtest(int(y[part].sum()), len(part)).proportion_ci(method="wilson")
        assert (found.low[k], found.high[k]) == pytest.approx((exact.low, exact.high))
