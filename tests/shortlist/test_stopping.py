"""Recall claimed from a random sample of the rows not read: exact for one look, and ever for many."""

import numpy as np
import pytest
from scipy.stats import betabinom

from podium.exceptions import InputError
from podium.shortlist import recall_reached
from podium.shortlist.stopping import _Rest
from shortlist.naive_shortlist import refuted_once


def labels(n, n_pos):
    return np.arange(n) < n_pos


@pytest.mark.parametrize(("drawn", "hits"), [(0, 0), (10, 0), (10, 3), (25, 1), (40, 2)])
def test_one_look_refutes_what_the_hypergeometric_test_refutes(drawn, hits):
    claim = recall_reached(labels(30, 20), labels(drawn, hits), 70, looks="once")
    possible = [d for d in range(hits, 40 - drawn + hits + 1) if not refuted_once(40, d, drawn, hits, 0.05)]
    assert claim.missed_high == max(possible) - hits
    assert claim.recall_low == pytest.approx((20 + hits) / (20 + max(possible)))


def test_the_martingale_is_prior_over_posterior():
    rest = _Rest(50, 0.05, True, 10.0)
    a, b = 0.5, 0.5 * (2 * 50 / 10 - 1)
    d = np.arange(2, 33)
    prior = betabinom(50, a, b).logpmf(d)
    posterior = betabinom(50 - 20, a + 2, b + 18).logpmf(d - 2)
    assert np.allclose(rest._log_martingale(d, 20, 2), prior - posterior, atol=1e-9)


@pytest.mark.parametrize("looks", ["once", "repeated"])
def test_the_most_positives_are_those_that_a_search_through_all_numbers_finds(looks):
    rest = _Rest(90, 0.05, looks == "repeated", 4.0)
    for drawn in range(0, 91, 9):
        for hits in (*range(min(drawn, 6) + 1), drawn):
            found = [d for d in range(hits, 90 - drawn + hits + 1) if not rest.refutes(d, drawn, hits)]
            assert rest.most_positives(drawn, hits) == max(found)
            everyone = rest._log_martingale(np.array(found[:1]), drawn, hits) if drawn else np.zeros(1)
            assert np.isfinite(everyone).all()


@pytest.mark.slow
@pytest.mark.parametrize("missed", [3, 12])
def test_false_claims_are_rare_however_often_one_looks(missed):
    rng, n_draws, false = np.random.default_rng(1), 200, 0
    for _ in range(n_draws):
        order = rng.permutation(labels(200, missed))
        claims = (
            (recall_reached(labels(50, 40), order[:n], 250, recall=0.9).recall_low, order[:n].sum())
            for n in range(10, 201, 10)
        )
        false += any(low > (40 + x) / (40 + missed) + 1e-12 for low, x in claims)
    assert false / n_draws <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / n_draws)


@pytest.mark.parametrize("looks", ["once", "repeated"])
def test_after_as_many_further_rows_as_said_the_claim_can_be_made_and_not_one_earlier(looks):
    read, drawn = labels(300, 90), labels(40, 1)
    claim = recall_reached(read, drawn, 1000, recall=0.9, looks=looks)
    assert not claim.reached
    enough = np.append(drawn, np.zeros(claim.still_to_read, dtype=bool))
    assert recall_reached(read, enough, 1000, recall=0.9, looks=looks).reached
    assert not recall_reached(read, enough[:-1], 1000, recall=0.9, looks=looks).reached


def test_all_rows_read_is_a_recall_of_one():
    claim = recall_reached(labels(30, 5), labels(20, 2), 50)
    assert claim.recall_low == 1
    assert claim.missed_high == claim.still_to_read == 0
    assert recall_reached([1, 1, 0], [], 3).recall_low == 1


def test_labels_of_any_kind_and_one_class_alone():
    claim = recall_reached(["yes", "no"], ["no"] * 5, 30, pos_label="yes")
    assert claim.found == 1
    assert claim.n_left == 23


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (([1, 0], [0], 2), {}, "n_total must be at least"),
        (([1, 0], [0], 5), {"recall": 0}, "recall must be in"),
        (([1, 0], [0], 5), {"looks": "daily"}, "looks must be one of"),
        (([1, 0, 7], [0], 5), {}, "y_true must have two labels"),
    ],
)
def test_what_cannot_be_used_is_refused_in_a_sentence(arguments, options, words):
    with pytest.raises(InputError, match=words):
        recall_reached(*arguments, **options)
