"""The monitor of scores without labels: uniform ranks, a fair game, and how often it is wrong."""

import json

import numpy as np
import pytest
from scipy.stats import kstest

from monitor.naive_monitor import mean_wealth
from podium.exceptions import InputError
from podium.monitor import DriftMonitor
from podium.monitor.bets import SIZES


def pvalues(monitor, scores):
    return monitor._pvalues(np.asarray(scores, dtype=float))


def test_a_p_value_is_the_rank_among_the_reference_and_all_earlier_scores():
    rng = np.random.default_rng(0)
    reference, new = rng.normal(size=80), rng.normal(size=50)
    seen = list(reference)
    for value, p in zip(new, pvalues(DriftMonitor(reference), new), strict=True):
        # Earlier new scores in the same gap of the reference come before or after it at random.
        gap = sum(edge < value for edge in reference)
        gaps = [sum(edge < z for edge in reference) for z in seen[80:]]
        below = gap + sum(g < gap for g in gaps)
        assert below <= p * (len(seen) + 1) <= below + 1 + gaps.count(gap)
        seen.append(value)


def test_with_more_scores_than_cells_ranks_are_known_to_a_cell():
    rng = np.random.default_rng(0)
    reference, new = rng.normal(size=5500), rng.normal(size=500)
    p = pvalues(DriftMonitor(reference), new)
    exact = [(sum(reference < value) + sum(new[:i] < value)) / (5501 + i) for i, value in enumerate(new)]
    assert np.abs(p - exact).max() < 1.5 * 6 / 5501
    assert np.abs(p - exact).max() > 0.1 * 6 / 5501


def test_equal_scores_are_told_apart_at_random_only():
    # All scores equal: ranks are those of the random numbers alone, and nothing is ever seen.
    p = pvalues(DriftMonitor(np.ones(100)), np.ones(5000))
    assert kstest(p, "uniform").pvalue > 0.001


@pytest.mark.slow
@pytest.mark.parametrize("rounded", [True, False])
def test_p_values_are_uniform_and_uncorrelated_while_nothing_changes(rounded):
    first, last = [], []
    for seed in range(400):
        rng = np.random.default_rng(seed)
        s = rng.normal(size=120)
        p = pvalues(
            DriftMonitor(np.round(s[:100]) if rounded else s[:100], random_state=seed),
            s[100:].round(0 if rounded else 9),
        )
        first.append(p[0])
        last.append(p[-1])
    assert kstest(first, "uniform").pvalue > 0.001
    assert kstest(last, "uniform").pvalue > 0.001
    assert abs(np.corrcoef(first, last)[0, 1]) < 4 / np.sqrt(400)


@pytest.mark.parametrize("phi", ["auc", "power:3", "top:0.1", "dcg"])
def test_the_e_value_is_the_mean_wealth_of_bets_with_phi(phi):
    rng = np.random.default_rng(0)
    reference, new = rng.normal(size=200), rng.normal(size=30)
    state = DriftMonitor(reference, phi).update(new)
    other = DriftMonitor(reference, phi)
    p, of = pvalues(other, new), other._phi
    u = (np.arange(200_000) + 0.5) / 200_000
    low, mean, high = of.value(np.zeros(1))[0], of.value(u).mean(), of.value(np.ones(1))[0]
    bets = [*(SIZES / (mean - low)), *(-SIZES / (high - mean))]
    assert state.e_value == pytest.approx(mean_wealth(bets, of.value(p) - mean)[-1], rel=1e-3)
    assert state.n == 30


def test_the_form_for_a_mean_time_adds_the_products_from_every_time_on():
    rng = np.random.default_rng(0)
    reference, new = rng.normal(size=200), rng.normal(size=30)
    state = DriftMonitor(reference, average_run_length=1000).update(new)
    x = pvalues(DriftMonitor(reference), new) - 0.5
    bets = [*(2 * SIZES), *(-2 * SIZES)]
    statistic = np.mean([sum(np.prod(1 + bet * x[start:]) for start in range(30)) for bet in bets])
    assert state.e_value == pytest.approx(statistic, rel=1e-9)
    assert state.least_visible is None


def test_a_drift_after_long_calm_is_seen_nearly_as_soon_as_one_at_once():
    waits = []
    for seed in range(15):
        rng = np.random.default_rng(seed)
        monitor = DriftMonitor(rng.normal(size=3000))
        if monitor.update(rng.normal(size=10_000)).alarm:
            continue  # by chance, as one in twenty may
        waits.append((monitor.update(rng.normal(0.3, size=3000)).alarm_after or 13_000) - 10_000)
    assert len(waits) >= 12
    assert np.median(waits) < 500  # 110 at once; 1,300 if all money had been at stake from the beginning


def test_a_drift_well_above_the_least_visible_is_seen_and_one_well_below_is_not():
    for n in (200, 2000):
        seen = {0.3: 0, 2.0: 0}
        for seed in range(20):
            rng = np.random.default_rng(seed)
            reference = rng.random(n)
            for times in seen:
                monitor = DriftMonitor(reference)
                shift = times * monitor.state.least_visible
                seen[times] += monitor.update(rng.random(10 * n) + shift).alarm
        assert seen[0.3] <= 5
        assert seen[2.0] >= 19


def test_batches_and_interruptions_change_nothing():
    rng = np.random.default_rng(0)
    reference, new = rng.normal(size=300), rng.normal(size=200)
    whole = DriftMonitor(reference).update(new)
    piecewise = DriftMonitor(reference)
    for part in np.array_split(new, 7):
        piecewise = DriftMonitor(reference).resume(json.loads(json.dumps(piecewise.to_dict())))
        piecewise.update(part)
    assert piecewise.state.to_dict() == pytest.approx(whole.to_dict())


def test_the_state_stays_small_however_many_scores_come():
    rng = np.random.default_rng(0)
    monitor = DriftMonitor(rng.normal(size=20_000))
    monitor.update(rng.normal(size=100_000))
    assert len(json.dumps(monitor.to_dict())) < 10_000


@pytest.mark.slow
def test_false_alarms_are_rare_over_all_looks():
    n_draws, alarms = 300, 0
    for seed in range(n_draws):
        rng = np.random.default_rng(seed)
        alarms += DriftMonitor(rng.normal(size=100), random_state=seed).update(rng.normal(size=2000)).alarm
    assert alarms / n_draws <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / n_draws)


@pytest.mark.slow
def test_the_time_between_false_alarms_is_as_long_as_said():
    waits = []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        monitor = DriftMonitor(rng.normal(size=2000), average_run_length=500, random_state=seed)
        waits.append(monitor.update(rng.normal(size=5000)).alarm_after or 5000)
    assert np.mean(waits) >= 500 - 3 * np.std(waits) / 10


def test_phi_says_which_drift_matters():
    # The best twentieth of the list moves up, the rest stays.
    found = {}
    for phi in ("auc", "smooth-top:0.9"):
        waits = []
        for seed in range(30):
            rng = np.random.default_rng(seed)
            u = rng.random(4000)
            s = np.where(rng.random(4000) < 0.1, 1 - u / 20, u)
            waits.append(DriftMonitor(rng.random(4000), phi).update(s).alarm_after or 4000)
        found[phi] = np.median(waits)
    assert found["smooth-top:0.9"] < 0.6 * found["auc"]


@pytest.mark.parametrize(
    ("reference", "options", "words"),
    [
        (np.arange(5.0), {}, "A reference needs 20 scores"),
        (np.arange(50.0), {"phi": "logrank"}, "phi must be bounded"),
        (np.arange(50.0), {"alpha": 1}, "alpha must be in"),
        (np.arange(50.0), {"average_run_length": 0}, "average_run_length must be in"),
    ],
)
def test_what_cannot_be_used_is_refused(reference, options, words):
    with pytest.raises(InputError, match=words):
        DriftMonitor(reference, **options)


def test_missing_scores_are_refused_and_change_nothing():
    monitor = DriftMonitor(np.arange(50.0))
    before = monitor.to_dict()
    with pytest.raises(InputError, match="s must be finite"):
        monitor.update([1.0, np.nan])
    assert monitor.to_dict() == before
