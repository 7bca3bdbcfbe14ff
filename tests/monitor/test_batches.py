"""Monitors whose unit is the batch: the formulas by loops and matrices, fair games, and days that differ."""

import itertools
import json

import numpy as np
import pytest

from monitor import naive_monitor as naive
from podium.exceptions import InputError
from podium.monitor import DriftMonitor
from podium.monitor.batches import BatchEvidence

SPREAD = 1 / 12


def evidence(means, sizes, n_reference=1000, reference=None):
    found = BatchEvidence(0.5, SPREAD, n_reference, 20.0, 0, reference)
    for mean, size in zip(means, sizes, strict=True):
        found.play(mean, size)
    return found


def place(t):
    """The place within its rank that is drawn for the t-th batch."""
    return np.random.Generator(np.random.PCG64([0, 3]).advance(t)).random()


def by_definition(means, sizes, reference=()):
    places = [place(i) for i in range(1, len(means) + 1)]
    d, others = [mean - 0.5 for mean in means], [mean - 0.5 for mean in reference]
    return naive.batch_evidence(d, sizes, 1000, SPREAD, places, others)


@pytest.mark.parametrize("sizes", [[50] * 6, [50, 20, 90, 50, 5, 200]])
@pytest.mark.parametrize("means", [[0.5, 0.52, 0.47, 0.6, 0.61, 0.62], [0.5, 0.5, 0.52, 0.5, 0.52, 0.49]])
def test_the_evidence_is_that_of_the_order_of_batches_or_a_likelihood_ratio_against_the_reference(means, sizes):
    for t in range(1, 7):
        assert evidence(means[:t], sizes[:t]).value == pytest.approx(by_definition(means[:t], sizes[:t]), rel=1e-9)


@pytest.mark.parametrize("new", [[0.5, 0.52, 0.47, 0.6, 0.61, 0.62, 0.6], [0.45, 0.5, 0.45, 0.45, 0.4, 0.4, 0.4]])
def test_batches_of_the_reference_have_their_places_in_the_order(new):
    reference = np.array([0.5, 0.45, 0.55, 0.5, 0.48])
    for t in range(1, 8):
        found = evidence(new[:t], [50] * t, reference=reference).value
        assert found == pytest.approx(by_definition(new[:t], [50] * t, reference), rel=1e-9)


def test_moves_may_begin_later():
    rng = np.random.default_rng(0)
    means, sizes = (0.5 + 0.04 * rng.standard_normal(33)).tolist(), [50] * 33
    assert evidence(means, sizes).value == pytest.approx(by_definition(means, sizes), rel=1e-9)
    reference = 0.5 + 0.04 * rng.standard_normal(9)
    found = evidence(means, sizes, reference=reference).value
    assert found == pytest.approx(by_definition(means, sizes, reference), rel=1e-9)


@pytest.mark.parametrize("n_reference", [0, 2, 3])
def test_over_all_orders_what_is_staked_on_the_order_is_a_fair_game_at_every_batch(n_reference):
    """The mean over all places of the next batch is what there was before it, whatever the order so far."""
    for n_new in (1, 2, 3):
        for order in itertools.permutations([0] * n_reference + list(range(1, n_new))):
            for start, weight in itertools.product((1, 2, 3), (0.05, 0.5, 4.0)):
                before = naive.order_ratio(order, start, weight)
                after = [
                    naive.order_ratio([*order[:at], n_new, *order[at:]], start, weight) for at in range(len(order) + 1)
                ]
                assert np.mean(after) == pytest.approx(before, rel=1e-12)


def test_an_alarm_comes_when_the_evidence_first_reaches_the_boundary_and_stays():
    after = set()
    for move in (0.03, 0.05, 0.06):
        means = [0.5 + move + 0.01 * (-1) ** i for i in range(12)]
        found = [evidence(means[:t], [50] * t) for t in range(1, 13)]
        values = [each.value for each in found]
        assert found[-1].alarm_after == naive.first_at(values, 20.0)
        assert found[-1].largest == max(1.0, *values)
        after.add(found[-1].alarm_after)
    assert after == {None, 6, 7}


def test_over_all_orders_ranks_among_batches_are_uniform():
    for t in (3, 4):
        last = [sum(x < order[-1] for x in order[:-1]) for order in itertools.permutations(range(t))]
        assert sorted(set(last)) == list(range(t))
        assert all(last.count(rank) == len(last) / t for rank in range(t))


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.0, 0.16])
def test_the_game_is_fair_at_most_if_means_are_normal(share):
    rng, values, n_draws = np.random.default_rng(1), [], 4000
    variance = SPREAD * (share + (1 - share) / 50)
    for _ in range(n_draws):
        reference = rng.standard_normal() * np.sqrt(variance * 50 / 1000)
        means = np.clip(0.5 + np.sqrt(variance) * rng.standard_normal(3) - reference, 0, 1)
        values.append(evidence(means.tolist(), [50] * 3).value)
    assert np.mean(values) <= 1 + 3 * np.std(values) / np.sqrt(n_draws)
    assert np.mean(values) > 0.4


def stream(rng, n_days, share, moved=0.0, n=50):
    for effect in np.sqrt(share) * rng.standard_normal(n_days):
        yield moved + effect + np.sqrt(1 - share) * rng.standard_normal(n)


def test_days_that_differ_are_no_drift_and_a_move_is():
    alarms = dict.fromkeys(("row", "batch"), 0)
    for seed, unit in itertools.product(range(8), alarms):
        rng = np.random.default_rng(seed)
        monitor = DriftMonitor(rng.standard_normal(2000), unit=unit)
        alarms[unit] += any(monitor.update(day).alarm for day in stream(rng, 100, 0.09))
    assert alarms == {"row": 8, "batch": 0}
    rng = np.random.default_rng(0)
    monitor = DriftMonitor(rng.standard_normal(2000), unit="batch")
    assert not [day for day in stream(rng, 60, 0.0) if monitor.update(day).alarm]
    waits = next(i for i, day in enumerate(stream(rng, 60, 0.0, moved=0.3), start=1) if monitor.update(day).alarm)
    assert waits <= 20


@pytest.mark.slow
@pytest.mark.parametrize("effects", ["standard_normal", "standard_exponential"])
@pytest.mark.parametrize("knows_batches", [True, False])
def test_false_alarms_are_rare_over_three_hundred_days(effects, knows_batches):
    """Skewed effects of days break the model that is needed where batches of the reference are not known."""
    n_draws, alarms, batches = 40, 0, np.repeat(np.arange(40), 50)
    for seed in range(n_draws):
        rng = np.random.default_rng(seed)
        days = 0.4 * getattr(rng, effects)(340)[:, None] + np.sqrt(0.84) * rng.standard_normal((340, 50))
        options = {"reference_batches": batches} if knows_batches else {}
        monitor = DriftMonitor(days[:40].ravel(), unit="batch", **options)
        alarms += any(monitor.update(day).alarm for day in days[40:])
    assert alarms / n_draws <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / n_draws)


def test_with_known_batches_of_the_reference_a_move_is_seen_within_days():
    waits = []
    for seed in range(9):
        rng = np.random.default_rng(seed)
        monitor = DriftMonitor(rng.standard_normal(3000), unit="batch", reference_batches=np.repeat(np.arange(60), 50))
        moved = stream(rng, 30, 0.0, moved=0.3)
        waits.append(next(i for i, day in enumerate(moved, start=1) if monitor.update(day).alarm))
    assert np.median(waits) <= 5


def test_the_order_of_the_rows_of_a_reference_and_the_names_of_its_batches_change_nothing():
    rng = np.random.default_rng(0)
    scores, days, new = rng.standard_normal(600), np.repeat(np.arange(12), 50), rng.standard_normal((3, 50))
    mixed = rng.permutation(600)
    names = np.array([f"day {day}" for day in days])
    monitors = [DriftMonitor(scores, unit="batch", reference_batches=days)]
    monitors.append(DriftMonitor(scores[mixed], unit="batch", reference_batches=names[mixed]))
    for day in new:
        states = [monitor.update(day).to_dict() for monitor in monitors]
        assert states[0] == states[1]
    another = DriftMonitor(scores, unit="batch", reference_batches=days // 2)
    with pytest.raises(InputError, match="must resume from its own state"):
        another.resume(monitors[0].to_dict())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"reference_batches": np.arange(50)}, 'reference_batches goes with unit="batch"'),
        ({"unit": "batch", "reference_batches": [1, 2]}, "must have one entry per row; got 2 for 50 rows"),
        ({"unit": "batch", "reference_batches": np.ones(50)}, "must name two batches or more; got one"),
    ],
)
def test_batches_of_a_reference_that_cannot_be_used_are_refused(options, words):
    with pytest.raises(InputError, match=words):
        DriftMonitor(np.arange(50.0), **options)


def test_the_order_within_a_batch_and_interruptions_change_nothing():
    rng = np.random.default_rng(0)
    reference = rng.standard_normal(500)
    whole, again = (DriftMonitor(reference, "power:3", unit="batch") for _ in range(2))
    for day in stream(rng, 12, 0.04):
        state = whole.update(day)
        again = DriftMonitor(reference, "power:3", unit="batch").resume(json.loads(json.dumps(again.to_dict())))
        assert again.update(day[::-1]).to_dict() == state.to_dict()
    assert state.n == 600
    assert state.mean_rank == pytest.approx(0.5, abs=0.1)
    assert repr(state).startswith("no alarm: 600 new scores, mean rank 0.")
    assert state.least_visible is None


def test_equal_scores_everywhere_are_no_drift():
    monitor = DriftMonitor(np.ones(50), unit="batch")
    for _ in range(40):
        state = monitor.update(np.ones(5))
    assert not state.alarm
    assert np.isfinite(state.e_value)


@pytest.mark.parametrize(
    ("path", "new"),
    [
        (["batches"], None),
        (["batches", "means"], [0.5]),
        (["batches", "means", 0], 1.5),
        (["batches", "means", 0], float("nan")),
        (["batches", "sizes", 0], 0),
        (["batches", "sizes", 0], 2.5),
        (["batches", "sizes"], {}),
        (["rank_sum"], 1e9),
        (["fingerprint"], "another"),
    ],
    ids=str,
)
def test_a_state_that_cannot_be_is_refused(path, new):
    rng = np.random.default_rng(0)
    reference = rng.standard_normal(100)
    monitor = DriftMonitor(reference, unit="batch")
    for day in stream(rng, 3, 0.0):
        monitor.update(day)
    saved = json.loads(json.dumps(monitor.to_dict()))
    owner = saved
    for key in path[:-1]:
        owner = owner[key]
    owner[path[-1]] = new
    with pytest.raises(InputError, match=r"must resume from its own state|state of the monitor is damaged"):
        DriftMonitor(reference, unit="batch").resume(saved)


def test_a_mean_time_between_alarms_counts_scores():
    with pytest.raises(InputError, match='average_run_length counts scores, and goes with unit="row"'):
        DriftMonitor(np.arange(50.0), average_run_length=100, unit="batch")
    with pytest.raises(InputError, match="unit must be one of 'row', 'batch'"):
        DriftMonitor(np.arange(50.0), unit="day")
