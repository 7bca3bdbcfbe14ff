"""Every promise of a monitor, exactly: all sequences of a few observations, and definitions by loops."""

import itertools

import numpy as np
import pytest

from monitor import naive_monitor as naive
from podium.monitor import DriftMonitor, PerformanceMonitor
from podium.monitor.bets import SIZES
from podium.monitor.limits import lower_limit

REFERENCE = np.arange(200) >= 10, np.ones(200)  # 95 % positive at or above the threshold
SEQUENCES = [np.array(labels) for labels in itertools.product([True, False], repeat=7)]


def watched(labels, alpha=0.2, tolerance=0.0):
    monitor = PerformanceMonitor(*REFERENCE, threshold=1.0, alpha=alpha, tolerance=tolerance)
    return monitor, monitor.update(labels, np.ones(len(labels)))


# --- performance ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_an_alarm_is_raised_when_the_wealth_first_reaches_two_over_alpha_and_never_before(alpha):
    after = set()
    shuffled = [float(label) for label in np.random.default_rng(0).permutation(REFERENCE[0])]
    reference_low = naive.betting_limit(shuffled, alpha / 2)
    for labels in SEQUENCES:
        monitor, state = watched(labels, alpha, tolerance=0.02)
        assert monitor.reference_low == pytest.approx(reference_low, abs=1e-8)
        wealth = naive.mean_wealth(SIZES / (1 - monitor.least), monitor.least - labels)
        assert monitor.least == monitor.reference_low - 0.02
        assert state.e_value == pytest.approx(wealth[-1], rel=1e-9)
        assert state.largest_e_value == pytest.approx(max(1, *wealth), rel=1e-9)
        assert state.boundary == 2 / alpha
        assert state.alarm_after == naive.first_at(wealth, 2 / alpha)
        after.add(state.alarm_after)
    assert len(after) >= 4


def test_over_all_sequences_the_wealth_is_one_on_average_and_alarms_are_as_rare_as_half_of_alpha():
    expected = alarmed = 0.0
    for labels in SEQUENCES:
        monitor, state = watched(labels)  # labels that are positive with the least probability allowed
        probability = np.prod(np.where(labels, monitor.least, 1 - monitor.least))
        expected += probability * state.e_value
        alarmed += probability * state.alarm
    assert expected == pytest.approx(1, rel=1e-12)
    assert 0 < alarmed <= 0.1


def test_limits_of_the_stream_are_where_the_mixture_reaches_two_over_alpha():
    for labels in SEQUENCES[::25]:
        _, state = watched(np.tile(labels, 12))
        x = np.tile(labels, 12).astype(float)
        v = sum((value - (0.5 + sum(x[:i])) / (i + 1)) ** 2 for i, value in enumerate(x))
        assert state.estimate == pytest.approx(x.mean())
        for limit, end in ((state.low, 0), (state.high, 1)):
            if limit != end:
                assert naive.mixture(len(x) * abs(x.mean() - limit), v) == pytest.approx(2 / 0.2, rel=1e-4)
        assert state.low > 0 or state.high < 1


@pytest.mark.parametrize("error", [0.1, 0.4])
def test_over_all_samples_the_lower_limit_of_a_mean_is_too_high_as_seldom_as_said_and_that_of_the_wealth(error):
    for mean in (0.5, 0.8, 0.9):
        missed = 0.0
        for x in itertools.product([0.0, 1.0], repeat=8):
            limit = lower_limit(np.array(x), error)
            missed += np.prod(np.where(np.array(x) == 1, mean, 1 - mean)) * (limit > mean)
        assert missed <= error
    for seed in range(3):
        x = np.random.default_rng(seed).beta(4, 1, 12)
        shuffled = np.random.default_rng(0).permutation(x)
        assert lower_limit(x, error) == pytest.approx(naive.betting_limit(shuffled, error), abs=1e-8)


def test_an_observation_is_the_share_of_reference_negatives_below_ties_counting_half():
    y, s = np.arange(40) % 2 == 0, np.where(np.arange(40) % 2 == 0, 9.0, np.arange(40) // 10)
    monitor = PerformanceMonitor(y, s)
    for value in (-1.0, 0.0, 0.5, 1.0, 2.5, 3.0, 4.0):
        state = PerformanceMonitor(y, s).update([True], [value])
        assert state.estimate == pytest.approx(np.mean(s[~y] < value) + np.mean(s[~y] == value) / 2)
    assert monitor.update([True, False], [3.0, 9.0]).n == 1


# --- drift ------------------------------------------------------------------------------------------------------------
def places(values, reference):
    """The mean ranks after every new score, from which each place follows."""
    monitor = DriftMonitor(reference)
    means = [monitor.update([value]).mean_rank for value in values]
    return np.diff([0.0, *np.multiply(means, np.arange(1, len(values) + 1))])


def test_over_all_orders_places_are_uniform_and_independent():
    # Two new scores in all 21 gaps of the reference: the same random numbers, so that only the gaps differ.
    reference = np.arange(20.0)
    first = np.array([places([gap - 0.5], reference)[0] for gap in range(21)])
    u = first[0] * 21
    assert 0 <= u < 1
    assert first == pytest.approx((np.arange(21) + u) / 21, abs=1e-12)
    second = {(a, b): places([a - 0.5, b - 0.5], reference)[1] for a in (0, 7, 20) for b in range(21)}
    v = second[20, 0] * 22
    assert 0 <= v < 1
    for (a, b), place in second.items():
        below, within = naive.rank_bounds(reference, [a - 0.5], b - 0.5)
        assert place == pytest.approx((below + v * within) / 22, abs=1e-12)


@pytest.mark.parametrize("alpha", [0.05, 0.5])
def test_a_drift_is_told_when_the_wealth_first_reaches_one_over_alpha(alpha):
    reference = np.arange(100.0)
    after = set()
    for new in ([300.0] * 14, [-1.0] * 9, [5.5, *[300] * 14], [35.5, 15.5, 80.5]):
        state = DriftMonitor(reference, alpha=alpha).update(new)
        p = places(new, reference)
        wealth = naive.mean_wealth([*(2 * SIZES), *(-2 * SIZES)], p - 0.5)
        assert state.e_value == pytest.approx(wealth[-1], rel=1e-9)
        assert state.boundary == 1 / alpha
        assert state.alarm_after == naive.first_at(wealth, 1 / alpha)
        assert state.mean_rank == pytest.approx(p.mean(), rel=1e-12)
        after.add(state.alarm_after)
    assert None in after
    assert len(after) > 1


def test_the_least_visible_drift_is_where_what_it_can_earn_pays_one_of_all_players_the_boundary():
    for n_new in (1, 30):
        state = DriftMonitor(np.arange(50.0), alpha=0.1).update(np.full(n_new, 25.5))
        needed = np.log(2 * 16 / 0.1)
        expected = np.sqrt(2 * needed / (50 + n_new) / 12)
        assert state.least_visible == pytest.approx(expected, rel=1e-6)
