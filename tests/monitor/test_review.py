"""Labels that are selected, or come late: bets by batch, weights, and labels that have not come."""

import itertools

import numpy as np
import pytest

from monitor import naive_monitor as naive
from podium.exceptions import InputError
from podium.labels import Observed
from podium.monitor import PerformanceMonitor
from podium.monitor.bets import SIZES
from podium.monitor.review import KnownLabels

REFERENCE = np.arange(200) >= 10, np.ones(200)  # 95 % positive at or above the threshold
NAN = np.nan


def precision(**options):
    return PerformanceMonitor(*REFERENCE, threshold=1.0, alpha=0.2, **options)


def sample(seed, n, auc_shift=1.3, share=0.3, moved=0.0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    return y.astype(float), rng.normal(size=n) + auc_shift * y + moved


def test_the_evidence_is_the_mean_wealth_of_bets_staked_batch_by_batch():
    y, s = sample(0, 400)
    monitor = PerformanceMonitor(y, s)
    batches, bets = [], []
    ordered = np.sort(s)
    for seed in range(3):
        new_y, new_s = sample([seed, 1], 60)
        inclusion = np.where(new_s > 1, 1.0, 0.25)
        known = (np.random.default_rng(seed).random(60) < inclusion) | (inclusion == 1)
        batches.append((np.where(known, new_y, NAN), new_s, inclusion))
        x = [[], []]
        for i in np.flatnonzero(known & (new_y == 1)):
            below = (sum(new_s < new_s[i]) + (sum(new_s == new_s[i]) - 1) / 2) / 59
            values = [np.mean(s[y == 0] < value) + np.mean(s[y == 0] == value) / 2 for value in ordered]
            at_its_place = np.interp(below * 400 - 0.5, np.arange(400), values)
            for measure, value in zip(x, (at_its_place, np.mean(s[y == 0] < new_s[i])), strict=True):
                measure.append(0.25 / inclusion[i] * (monitor.least - value))
        bets.append(x)
    state = monitor.review(batches)
    assert state.e_value == pytest.approx(naive.reviewed(bets, SIZES / (1 - monitor.least)), rel=1e-9)
    assert state.n == sum(len(x) for x, _ in bets)
    assert state.n_rows == sum(int((~np.isnan(labels)).sum()) for labels, *_ in batches)
    assert (state.unit, state.boundary) == ("batch", 40)


def test_over_all_labels_and_all_choices_of_rows_the_wealth_is_one_on_average():
    """Three rows at the threshold, two of which are labeled with probability ½, in two batches."""
    inclusion, expected, worst = np.array([1.0, 0.5, 0.5]), 0.0, 0.0
    p = precision().least
    outcomes = list(itertools.product([True, False], repeat=6))
    for labels, drawn in itertools.product(outcomes, itertools.product([True, False], repeat=4)):
        chosen = np.array([True, *drawn[:2], True, *drawn[2:]])
        given = np.where(chosen, labels, NAN)
        state = precision().review([(part, np.ones(3), inclusion) for part in np.split(given, 2)])
        probability = np.prod(np.where(labels, p, 1 - p)) / 16
        expected += probability * state.e_value
        worst += probability * state.alarm
    assert expected == pytest.approx(1, rel=1e-12)
    assert worst <= 0.1


def test_labels_to_come_pass_for_what_speaks_against_an_alarm_so_no_order_of_theirs_can_raise_one():
    for labels in itertools.product([1.0, 0.0], repeat=5):
        final = precision().review([(labels, np.ones(5), np.ones(5))]).e_value
        for known in itertools.product([True, False], repeat=5):
            if any(known):
                given = np.where(known, labels, NAN)
                assert precision().review([(given, np.ones(5), np.ones(5))]).e_value <= final * (1 + 1e-12)
    y, s = sample(0, 400)
    new_y, new_s = sample(1, 80)
    final = PerformanceMonitor(y, s).review([(new_y, new_s, np.ones(80))]).e_value
    for seed in range(30):
        known = np.random.default_rng(seed).random(80) < 0.5
        state = PerformanceMonitor(y, s).review([(np.where(known, new_y, NAN), new_s, np.ones(80))])
        assert state.e_value <= final * (1 + 1e-12)


def test_pieces_in_any_order_end_where_all_labels_at_once_do():
    y, s = sample(0, 400)
    new_y, new_s = sample(1, 500, auc_shift=0.9)
    inclusion = np.where(new_s > 1, 1.0, 0.3)
    whole = PerformanceMonitor(y, s).review([(new_y, new_s, inclusion)])
    monitor, known = PerformanceMonitor(y, s), np.zeros(500, dtype=bool)
    for piece in np.array_split(np.random.default_rng(0).permutation(500), 9):
        known[piece] = True
        state = monitor.review([(np.where(known, new_y, NAN), new_s, inclusion)])
        monitor = PerformanceMonitor(y, s).resume(monitor.to_dict())
    mixed = np.random.default_rng(1).permutation(500)
    shuffled = PerformanceMonitor(y, s).review([(new_y[mixed], new_s[mixed], inclusion[mixed])])
    for name in ("e_value", "estimate", "low", "high", "n", "n_rows"):
        assert getattr(state, name) == getattr(whole, name) == getattr(shuffled, name)


def test_limits_are_where_the_mixture_reaches_two_over_alpha():
    y, s = sample(0, 400)
    new_y, new_s = sample(1, 300)
    inclusion = np.where(new_s > 1, 1.0, 0.4)
    monitor = PerformanceMonitor(y, s)
    state = monitor.review([(new_y, new_s, inclusion)])
    values, weights, _ = monitor._reviewed
    assert set(weights) == {0.4, 1.0}
    assert state.estimate == pytest.approx(np.average(values, weights=weights))
    for limit in (state.low, state.high):
        assert naive.mixture(*naive.weighted_distance(values, weights, limit)) == pytest.approx(40, rel=1e-4)


def test_an_alarm_stays_though_later_labels_speak_against_it():
    monitor = precision()
    bad, good = (np.zeros(12), np.ones(12)), (np.ones(300), np.ones(300))
    first = monitor.review([bad])
    assert first.alarm_after == 1
    assert repr(first).startswith("ALARM after 1 batch: precision above 1 0.000")
    later = precision().resume(monitor.to_dict()).review([bad, good])
    assert later.e_value < 10
    assert (later.alarm_after, later.largest_e_value) == (1, first.e_value)
    with pytest.raises(InputError, match="reviews batches must review all of them"):
        monitor.update(*good)


def test_days_of_other_scores_or_of_more_positives_are_no_decline_and_a_worse_ranking_is():
    reference = sample(0, 3000)
    for options, falls in (({"moved": -0.5}, False), ({"share": 0.5}, False), ({"auc_shift": 0.3}, True)):
        state = PerformanceMonitor(*reference).review([sample([seed, 1], 400, **options) for seed in range(10)])
        assert state.alarm == falls, options


def test_observed_labels_carry_their_design_and_batches_without_labels_bet_nothing():
    y, s = sample(0, 400)
    observed = Observed([1, None, 0, None], inclusion=[0.5, 0.5, 1, 0.5])
    by_hand = ([1, NAN, 0, NAN], [1.0, 2.0, 3.0, 0.0], [0.5, 0.5, 1, 0.5])
    empty = [NAN] * 3, [1.0, 2.0, 3.0], [1.0, 1.0, 1.0]
    states = [PerformanceMonitor(y, s).review([batch]) for batch in ((observed, by_hand[1]), by_hand)]
    assert states[0] == states[1]
    assert PerformanceMonitor(y, s).review([empty]).estimate is None


@pytest.mark.parametrize(
    ("batch", "words"),
    [
        (([1, 0], [1.0]), "y and s must have the same length"),
        (([1, NAN], [1.0, 2.0], [0.5]), "one probability for every row"),
        (([1, 0], [1.0, 2.0], [0.0, 0.5]), "cannot have inclusion 0"),
        (([1, NAN], [1.0, 2.0], [0.5, 1.5]), "inclusion must be in"),
        (([1, NAN], [1.0, 2.0], [0.5, NAN]), "inclusion must be finite"),
        (([2, NAN], [1.0, 2.0]), "labels"),
    ],
    ids=str,
)
def test_batches_that_cannot_be_used_are_refused_and_change_nothing(batch, words):
    monitor = PerformanceMonitor(*sample(0, 400))
    before = monitor.to_dict()
    with pytest.raises(InputError, match=words):
        monitor.review([batch])
    assert monitor.to_dict() == before


def test_of_each_batch_the_measure_that_shows_less_of_a_fall_counts_and_not_of_each_row():
    y, s = sample(0, 1500)
    before, after = [], []
    for seed in range(12):
        batches = [sample([seed, day], 50, auc_shift=0.9) for day in range(12)]
        monitor = PerformanceMonitor(y, s, "power:8")
        after.append(monitor.review(batches).e_value)
        by_row = []
        for new_y, new_s in batches:
            measures, _ = monitor._in_its_batch(KnownLabels.of(new_y, new_s, None, None))
            by_row.append([(monitor.least - np.maximum(*measures))[new_y == 1].tolist()])
        before.append(naive.reviewed(by_row, SIZES / (1 - monitor.least)))
    assert (np.array(after) >= np.array(before) * (1 - 1e-9)).all()
    assert np.mean(np.log(np.array(after) / before)) > 0.1
    higher = [sample([seed, 50], 100) for seed in range(20)]  # shifted scores, or another share of positives
    for shifted in ([(y, s - 2) for y, s in higher], [(y[y == 1], s[y == 1]) for y, s in higher]):
        assert PerformanceMonitor(y, s, "power:8").review(shifted).e_value < 1
