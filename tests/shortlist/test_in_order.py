"""A list read in its order: what is refuted, exactly, and how seldom a claim is false."""

import itertools

import numpy as np
import pytest

from podium.exceptions import InputError
from podium.shortlist import recall_in_order
from podium.shortlist.in_order import _Bets, contradicts
from shortlist import naive_shortlist as naive

LEVEL = 0.7  # so that a few rows suffice


def labels(*runs):
    return np.repeat(np.arange(len(runs)) % 2 == 0, runs)


def bets_of(read, n_total, chances=None, sampled=(), recall=0.7, boundary=1 / (1 - LEVEL)):
    return _Bets(np.array(read, bool), np.array(sampled, bool), n_total, chances, recall, boundary)


@pytest.mark.parametrize("n_pos", [1, 2, 4, 5])
def test_the_chance_of_the_next_row_is_at_least_that_of_the_formula_and_equal_where_odds_are(n_pos):
    rng = np.random.default_rng(0)
    for odds in ([1.0] * 6, [3.0] + [0.5] * 5, *(np.exp(rng.normal(size=(20, 6))))):
        below = sum(odds[1:])
        ratio = n_pos * 5 * odds[0] / ((5 - n_pos + 1) * below)
        exact = naive.chance_of_the_first(list(odds), n_pos)
        assert exact >= ratio / (1 + ratio) - 1e-12
        if len(set(odds)) == 1:
            assert exact == pytest.approx(n_pos / 6) == pytest.approx(ratio / (1 + ratio))


@pytest.mark.parametrize("calibrated", [False, True])
def test_a_number_of_positives_is_refuted_when_the_wealth_by_loops_reaches_its_boundary(calibrated):
    n, chances = 60, np.linspace(0.9, 0.02, 60) if calibrated else None
    odds = list(chances / (1 - chances)) if calibrated else [1.0] * n
    y = labels(8, 4, 2, 6, 1, 39)
    game = bets_of(y, n, chances)
    seen = set()
    for total in range(12, 60, 3):
        values = [naive.wealth(y[:r], game.bets, odds, total) for r in range(n + 1)]
        first = next(r for r, value in enumerate(values) if value is None or value >= game.boundary)
        assert game.refuted_after(total) == first
        seen.add(first)
    assert len(seen) > 5
    assert sorted(seen, reverse=True) == [*dict.fromkeys(game.refuted_after(total) for total in range(12, 60, 3))]


def test_rows_drawn_at_random_are_bet_upon_as_draws_without_replacement():
    read, sampled, chances = labels(6, 4), labels(0, 5, 1, 8), np.linspace(0.9, 0.02, 30)
    game, odds, refuted = bets_of(read, 30, chances, sampled), chances / (1 - chances), set()
    for total in range(8, 13):
        value, left, first = 1.0, total, -1
        for i, label in enumerate([*read, *sampled]):
            ratio = left * (29 - i) * odds[i] / ((30 - i - left) * odds[i + 1 :].sum())
            value *= 1 + game.bets[i] * ((ratio / (1 + ratio) if i < 10 else left / (30 - i)) - label)
            left -= label
            first = i + 1 if first < 0 and value >= game.boundary else first
        assert (game.refuted_after(total) if first > 0 else -1) == first
        refuted.add(first)
    assert len(refuted) > 2


def test_a_stake_knows_nothing_of_the_labels_that_follow():
    y, chances = labels(9, 3, 2, 20, 1, 15), np.linspace(0.95, 0.01, 50)
    for given in (None, chances):
        whole = bets_of(y, 50, given).bets
        for r in range(0, 50, 7):
            other = np.concatenate([y[:r], ~y[r:]])
            assert np.array_equal(bets_of(other, 50, given).bets[: r + 1], whole[: r + 1])
        assert ((whole >= 0) & (whole < 1)).all()
        assert whole[:5].max() == 0 < whole[-1]


EVEN, FALLING = np.full(9, 0.4), np.array([0.9, 0.8, 0.7, 0.5, 0.2, 0.1, 0.1, 0.05, 0.05])


@pytest.mark.parametrize(
    ("truth", "chances"), [(EVEN, None), (FALLING, None), (FALLING, FALLING), (FALLING, FALLING**0.5)]
)
def test_over_all_labels_of_a_list_false_claims_are_as_rare_as_promised_for_every_number_of_positives(truth, chances):
    n, level, first_false = 9, 0.5, {}
    for r in range(n):
        for prefix in itertools.product([False, True], repeat=r):
            claim = recall_in_order(prefix, n, chances=chances, recall=0.5, confidence_level=level)
            first_false[prefix] = claim.found + claim.missed_high  # a larger total makes the claim false
    claims, weights = np.zeros(n + 1), np.zeros(n + 1)
    for y in itertools.product([False, True], repeat=n):
        chance, total = np.prod(np.where(y, truth, 1 - truth)), sum(y)
        weights[total] += chance
        claims[total] += chance * any(first_false[y[:r]] < total for r in range(n))
    assert (claims / weights <= 1 - level + 1e-12).all()
    assert (claims > 0).any()


def test_the_claim_is_the_largest_number_not_refuted_and_can_be_made_after_as_many_rows_as_said():
    y = labels(40, 10, 10, 120)
    claim = recall_in_order(y, 400, recall=0.9)
    assert not claim.reached
    enough = np.append(y, np.zeros(claim.still_to_read, dtype=bool))
    last = recall_in_order(enough, 400, recall=0.9)
    assert last.reached
    assert not recall_in_order(enough[:-1], 400, recall=0.9).reached
    assert (last.still_to_read, last.plan) == (0, "Stop reading.")
    assert last.recall_low == 50 / (50 + last.missed_high)
    assert last.share_left == last.n_left / 400
    assert last.work_saved == pytest.approx(last.share_left - (1 - last.recall_low))
    game = _Bets(enough, np.zeros(0, bool), 400, None, 0.9, 20.0)
    assert 0 <= game.refuted_after(51 + last.missed_high) <= len(enough)
    assert not 0 <= game.refuted_after(50 + last.missed_high) <= len(enough)


def test_calibrated_chances_let_one_stop_earlier():
    chances = np.clip(np.exp(-np.arange(2000) / 150), 0.0005, 0.99)
    y = np.random.default_rng(0).random(2000) < chances

    def rows_read(**options):
        return next(r for r in range(0, 2001, 10) if recall_in_order(y[:r], 2000, **options).reached)

    assert 200 < rows_read(chances=chances) < rows_read() - 300


def test_chances_are_contradicted_by_too_many_positives_below_any_of_four_places():
    rng, seen = np.random.default_rng(0), set()
    for _ in range(200):
        n = int(rng.integers(1, 80))
        chances = np.sort(rng.random(80) ** 3)[::-1]
        read = rng.random(n) < chances[:n] ** rng.choice([0.5, 1, 2])
        expected = False
        for place in (0.5, 0.75, 0.875, 0.9375):
            at = int(place * n)
            below, hits = int(read[at:].sum()), int(read.sum())
            if at and below:
                expected |= naive.binomial_tail(below, hits, chances[at:n].sum() / chances[:n].sum()) < 0.1
        assert contradicts(read, chances) == expected
        seen.add(expected)
    assert seen == {True, False}


def test_nothing_is_claimed_while_the_rows_read_contradict_the_chances():
    chances, read = np.geomspace(0.9, 1e-6, 500), labels(50, 50, 3, 117, 6, 74)
    claim = recall_in_order(read, 500, chances=chances)
    assert (claim.reached, claim.missed_high, claim.still_to_read) == (False, 200, 200)
    assert claim.plan.startswith("Of the rows read, more of those further down are positive")
    assert recall_in_order(np.sort(read)[::-1], 500, chances=chances).reached
    assert recall_in_order(np.append(read, np.zeros(200)), 500, chances=chances).reached  # everything was read


def test_the_plan_says_when_to_switch():
    many, few = labels(100, 20, 30, 50), labels(100, 20, 30, 550)
    plan = recall_in_order(many, 1500).plan
    assert plan.startswith("Read on in order until none of 75 rows in succession are positive (25 of the last 75")
    assert "draw rows at random" in recall_in_order(few, 1500).plan
    assert recall_in_order(many, 1500, chances=np.linspace(0.9, 0.01, 1500)).plan == "Read on in order."
    assert recall_in_order(many, 1500, y_sampled=[0]).plan.startswith("Go on drawing")


def test_nothing_read_everything_read_and_no_positive():
    assert recall_in_order([], 10).missed_high == 10
    assert recall_in_order([1, 0, 1], 3).recall_low == 1
    nothing = recall_in_order([0] * 3, 3)
    assert (nothing.recall_low, nothing.reached) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (([1, 0], 1), {}, "n_total must be at least"),
        (([1, 0], 5), {"recall": 1}, "recall must be in"),
        (([1, 0], 5), {"chances": [0.5] * 4}, "one value for each of the 5 rows"),
        (([1, 0], 3), {"chances": [1.0, 0.5, 0.1]}, "strictly between 0 and 1"),
    ],
)
def test_what_cannot_be_used_is_refused_in_a_sentence(arguments, options, words):
    with pytest.raises(InputError, match=words):
        recall_in_order(*arguments, **options)
