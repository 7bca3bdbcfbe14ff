"""The monitor of labeled rows: its observations, its wealth, its limits, and how often it is wrong."""

import json

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from monitor.naive_monitor import mean_wealth, mixture
from podium import metrics
from podium.exceptions import DegenerateSampleError, InputError
from podium.monitor import PerformanceMonitor
from podium.monitor.bets import SIZES
from podium.monitor.limits import lower_limit


def sample(seed, n=600, auc=0.85, share=0.3):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    return y, rng.normal(size=n) + y * np.sqrt(2) * norm.ppf(auc)


@pytest.mark.parametrize("ties", [True, False])
def test_the_reference_value_is_the_auc(ties):
    y, s = sample(0)
    s = np.round(s) if ties else s
    assert PerformanceMonitor(y, s).reference == pytest.approx(metrics.auc(y, s), rel=1e-12)


@pytest.mark.parametrize("phi", ["power:3", "smooth-top:0.9", "early-recognition:20", "top:0.2"])
def test_an_observation_is_phi_at_the_rank_among_reference_negatives_or_its_mean_over_the_tie_group(phi):
    monitor = PerformanceMonitor([0, 0, 0, 0, 1, 1] * 50, [1.0, 2.0, 2.0, 3.0, 9.0, 9.0] * 50, phi)
    of = monitor._phi.value
    low, high = of(np.array([0.0, 1.0]))
    mean = quad(lambda u: of(np.array([u]))[0], 0.25, 0.75, points=[0.5])[0] / 0.5
    expected = (np.array([of(np.array([0.75]))[0], mean, of(np.array([1.0]))[0]]) - low) / (high - low)
    found = monitor._observations(np.ones(3, dtype=bool), np.array([2.5, 2.0, 7.0]))
    assert np.allclose(found, expected, atol=1e-7)


def test_the_e_value_is_the_mean_wealth_of_bets():
    y, s = sample(1)
    monitor = PerformanceMonitor(y, s, tolerance=0.05)
    new = np.random.default_rng(2).normal(size=40)
    state = monitor.update(np.ones(40), new)
    least = monitor.reference_low - 0.05
    wealth = mean_wealth(SIZES / (1 - least), [least - np.mean(s[~y] < value) for value in new])
    assert state.e_value == pytest.approx(wealth[-1], rel=1e-9)
    assert state.largest_e_value == pytest.approx(max(1, *wealth), rel=1e-9)
    assert state.alarm == (max(wealth) >= 40)
    assert state.n == 40


def test_a_fall_after_long_calm_is_seen_nearly_as_soon_as_one_at_once():
    waits = []
    for seed in range(10):
        monitor = PerformanceMonitor(*sample([seed, 0], 3000))
        assert not monitor.update(*sample([seed, 1], 10_000)).alarm
        before = monitor.state.n
        waits.append((monitor.update(*sample([seed, 2], 2000, auc=0.75)).alarm_after or 10_000) - before)
    assert np.median(waits) < 200


def test_the_confidence_sequence_is_the_mixture_of_empirical_bernstein_bounds():
    y, s = sample(1)
    new = np.random.default_rng(2).normal(size=60)
    state = PerformanceMonitor(y, s).update(np.ones(60), new)
    x = [np.mean(s[~y] < value) for value in new]
    v = sum((value - (0.5 + sum(x[:i])) / (i + 1)) ** 2 for i, value in enumerate(x))
    assert state.estimate == pytest.approx(np.mean(x))
    for limit in (state.low, state.high):
        assert mixture(60 * abs(np.mean(x) - limit), v) == pytest.approx(40, rel=1e-4)


@pytest.mark.slow
def test_the_confidence_sequence_holds_for_the_mean_of_what_was_to_be_expected_also_after_a_change():
    # The precision is .8 for 300 rows, and .3 for the next 600.
    y, s = sample(0, 1000)
    missed, n_draws = 0, 300
    for seed in range(n_draws):
        rng = np.random.default_rng(seed)
        monitor = PerformanceMonitor(y, s, threshold=1.0)
        wrong, truth = False, 0.0
        for batch, p in enumerate([0.8] * 3 + [0.3] * 6, start=1):
            state = monitor.update(rng.random(100) < p, np.full(100, 2.0))
            truth += p
            wrong |= not state.low <= truth / batch <= state.high
        missed += wrong
        assert state.high - state.low < 0.25
    assert missed / n_draws <= 0.05


def test_batches_and_interruptions_change_nothing():
    y, s = sample(0)
    new_y, new_s = sample(5, 500, auc=0.8)
    whole = PerformanceMonitor(y, s).update(new_y, new_s)
    piecewise = PerformanceMonitor(y, s)
    for part in np.array_split(np.arange(500), 7):
        piecewise = PerformanceMonitor(y, s).resume(json.loads(json.dumps(piecewise.to_dict())))
        piecewise.update(new_y[part], new_s[part])
    assert piecewise.state.to_dict() == pytest.approx(whole.to_dict())


def test_a_fall_is_seen_and_its_absence_is_not():
    y, s = sample(0, 3000)
    monitor = PerformanceMonitor(y, s)
    assert not monitor.update(*sample(1, 1000)).alarm
    state = monitor.update(*sample(2, 1500, auc=0.7))
    assert state.alarm
    assert monitor.update(*sample(3, 1000)).alarm  # once raised, it stays
    assert repr(state).startswith("ALARM after")


def test_precision_of_flagged_rows_is_the_mean_of_their_labels():
    y, s = sample(0, 3000)
    state = PerformanceMonitor(y, s, threshold=1.0).update(*sample(1, 500))
    new_y, new_s = sample(1, 500)
    assert state.estimate == pytest.approx(new_y[new_s >= 1].mean())
    assert state.reference == pytest.approx(y[s >= 1].mean())
    assert "precision above 1" in repr(state)


@pytest.mark.slow
def test_the_lower_limit_of_a_mean_fails_as_seldom_as_said_and_is_not_far_below():
    rng, n_draws = np.random.default_rng(0), 400
    draws = [rng.beta(4, 1, size=200) for _ in range(n_draws)]
    limits = np.array([lower_limit(x, 0.05) for x in draws])
    assert np.mean(limits > 0.8) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / n_draws)
    normal = np.mean([x.mean() - 1.645 * x.std() / np.sqrt(200) for x in draws])
    assert 0.8 - limits.mean() <= 1.8 * (0.8 - normal)


@pytest.mark.slow
def test_false_alarms_are_rare_over_all_looks_also_with_a_small_reference():
    alarms, n_draws = 0, 200
    for seed in range(n_draws):
        rng = np.random.default_rng([seed, 1])
        monitor = PerformanceMonitor(*sample([seed, 2], 150))
        alarms += monitor.update(np.ones(3000), rng.normal(size=3000) + np.sqrt(2) * norm.ppf(0.85)).alarm
    assert alarms / n_draws <= 0.05


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"phi": "van-der-waerden"}, "phi must be bounded"),
        ({"alpha": 0}, "alpha must be in"),
        ({"tolerance": -0.1}, "tolerance must be in"),
        ({"tolerance": 0.9}, "must exceed the tolerance"),
        ({"threshold": 100.0}, "A reference needs more rows"),
    ],
)
def test_settings_that_cannot_be_used_are_refused(options, words):
    with pytest.raises(InputError, match=words):
        PerformanceMonitor(*sample(0), **options)


def test_rows_that_cannot_be_used_are_refused_and_change_nothing():
    monitor = PerformanceMonitor(*sample(0))
    before = monitor.to_dict()
    for y, s in (([1], [np.nan]), ([1, 0], [1.0]), ([2, 3], [1.0, 2.0]), ([], [])):
        with pytest.raises((InputError, DegenerateSampleError)):
            monitor.update(y, s)
    assert monitor.to_dict() == before
    assert "no observations yet" in repr(monitor.state)


def test_the_state_of_another_reference_is_refused():
    with pytest.raises(InputError, match="must resume from its own state"):
        PerformanceMonitor(*sample(0)).resume(PerformanceMonitor(*sample(1)).to_dict())
