"""Conformal selection: against its definition, and against what it promises."""

import numpy as np
import pytest
import shortlist_draws as simulated
from scipy.stats import false_discovery_control

from podium.exceptions import InputError
from podium.shortlist import by_fdr
from shortlist.naive_shortlist import conformal_selection, weighted_pvalues


def sample(seed, n=40, m=30, ties=True):
    rng = np.random.default_rng(seed)
    y, y_new = rng.random(n) < 0.4, rng.random(m) < 0.4
    y[:2] = True, False
    s, s_new = rng.normal(size=n) + 2 * y, rng.normal(size=m) + 2 * y_new
    return (y, np.round(s), np.round(s_new)) if ties else (y, s, s_new)


@pytest.mark.parametrize("ties", [True, False])
@pytest.mark.parametrize("fdr", [0.05, 0.1, 0.3, 0.5, 0.9])
def test_rows_are_chosen_as_by_definition(ties, fdr):
    some = 0
    for seed in range(40):
        y, s, s_new = sample(seed, ties=ties)
        expected = conformal_selection(y, s, s_new, fdr)
        assert by_fdr(y, s, s_new, fdr=fdr).chosen.tolist() == expected
        some += any(expected)
    assert some >= 10 or fdr <= 0.1


def test_rows_are_chosen_as_by_scipy_s_adjusted_pvalues():
    y, s, s_new = sample(0, 500, 300, ties=False)
    p = np.array([(1 + ((s >= t) & ~y).sum()) / 501 for t in s_new])
    assert np.array_equal(by_fdr(y, s, s_new, fdr=0.17).chosen, false_discovery_control(p) <= 0.17)


def test_the_threshold_is_the_least_score_chosen_and_infinite_where_none_is():
    y, s, s_new = sample(1, 300, 100)
    found = by_fdr(y, s, s_new, fdr=0.2)
    assert 0 < found.n_chosen < 100
    assert np.array_equal(s_new >= found.threshold, found.chosen)
    nothing = by_fdr(y, s, s_new - 100, fdr=0.2)
    assert nothing.threshold == np.inf
    assert nothing.n_chosen == 0


def test_scores_of_any_type_are_compared_exactly():
    y, s, s_new = sample(2, 300, 100)
    for kind in (np.float32, np.int64, np.int8):
        assert np.array_equal(by_fdr(y, s.astype(kind), s_new.astype(kind)).chosen, by_fdr(y, s, s_new).chosen)


def test_equal_weights_are_no_weights():
    y, s, s_new = sample(3, 200, 100)
    weighted = by_fdr(y, s, s_new, fdr=0.3, weights=(np.full(200, 7.0), np.full(100, 7.0)))
    assert np.array_equal(weighted.chosen, by_fdr(y, s, s_new, fdr=0.3).chosen)
    assert "for large samples" in weighted.guarantee


def test_weighted_rows_are_chosen_as_by_definition():
    rng = np.random.default_rng(4)
    for seed in range(20):
        y, s, s_new = sample(seed)
        w, w_new = rng.lognormal(size=len(s)), rng.lognormal(size=len(s_new))
        p = weighted_pvalues(y, s, w, s_new, w_new)
        expected = false_discovery_control(p) <= 0.4
        assert np.array_equal(by_fdr(y, s, s_new, fdr=0.4, weights=(w, w_new)).chosen, expected)


@pytest.mark.slow
@pytest.mark.parametrize("population", simulated.POPULATIONS[4::5], ids=str)
def test_the_expected_share_of_false_ones_is_at_most_the_nominal_one(population):
    rate, error, _ = simulated.false_discoveries(population, 200, 100, 150)
    assert rate <= simulated.FDR + 3 * error


def test_weights_mend_a_shift_of_features():
    # Rows with larger x are more frequent in the new list, and among them negatives score higher.
    rng, n_draws = np.random.default_rng(1), 150
    shares = {True: [], False: []}
    for _ in range(n_draws):
        x, x_new = rng.random(1000) < 0.2, rng.random(500) < 0.8
        y, y_new = rng.random(1000) < 0.5, rng.random(500) < 0.5
        s, s_new = (rng.normal(size=len(v)) + 3 * v + 2 * u * ~v for u, v in ((x, y), (x_new, y_new)))
        weights = np.where(x, 4.0, 0.25), np.where(x_new, 4.0, 0.25)
        for weighted in shares:
            chosen = by_fdr(y, s, s_new, fdr=0.2, weights=weights if weighted else None).chosen
            shares[weighted].append((chosen & ~y_new).sum() / max(1, chosen.sum()))
    error = np.std(shares[True]) / np.sqrt(n_draws)
    assert np.mean(shares[True]) <= 0.2 + 3 * error
    assert np.mean(shares[False]) > 0.22


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"fdr": 0.0}, "fdr must be in"),
        ({"fdr": 1.5}, "fdr must be in"),
        ({"weights": [1.0, 2.0, 3.0]}, "must be a pair"),
        ({"weights": ([1.0], [1.0])}, "one entry per row"),
        ({"randomize": "yes"}, "randomize must be one of"),
    ],
)
def test_what_cannot_be_used_is_refused_in_a_sentence(options, words):
    with pytest.raises(InputError, match=words):
        by_fdr(*sample(0), **options)


def test_missing_scores_are_refused():
    y, s, s_new = sample(0)
    with pytest.raises(InputError, match="s_new must be finite"):
        by_fdr(y, s, np.append(s_new, np.nan))


def graded(seed, n):
    """Four grades, and a second score that knows more."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    s = rng.normal(size=n) + 2.5 * y
    return y, np.searchsorted([0, 0.7, 1.4], s).astype(float), np.round(2 * s)


@pytest.mark.parametrize("fdr", [0.1, 0.2, 0.4])
def test_a_second_score_orders_rows_whose_first_are_equal(fdr):
    n_chosen = 0
    for seed in range(5):
        (y, s, t), (_, s_new, t_new) = graded(seed, 120), graded(seed + 99, 80)
        both, both_new = list(zip(s, t, strict=True)), list(zip(s_new, t_new, strict=True))
        found = by_fdr(y, s, s_new, fdr=fdr, tie_break=(t, t_new))
        assert found.chosen.tolist() == conformal_selection(y, both, both_new, fdr)
        assert found.threshold is None
        n_chosen += found.n_chosen
    assert n_chosen > 0


def test_a_second_score_that_is_constant_changes_nothing_and_a_good_one_finds_more():
    (y, s, t), (y_new, s_new, t_new) = graded(0, 2000), graded(1, 2000)
    usual = by_fdr(y, s, s_new, fdr=0.05)
    same = by_fdr(y, s, s_new, fdr=0.05, tie_break=(np.ones(2000), np.ones(2000)))
    assert np.array_equal(same.chosen, usual.chosen)
    better = by_fdr(y, s, s_new, fdr=0.05, tie_break=(t, t_new))
    assert (better.chosen & y_new).sum() > (usual.chosen & y_new).sum() + 20
    ones = np.ones(2000)
    weighted = by_fdr(y, s, s_new, fdr=0.05, tie_break=(t, t_new), weights=(ones, ones))
    assert np.array_equal(weighted.chosen, better.chosen)


@pytest.mark.parametrize(
    ("ties", "words"), [("t", "must be a pair, second scores"), (([1.0], [1.0] * 3), "one value for each of the 4 cal")]
)
def test_second_scores_that_cannot_be_used_are_refused(ties, words):
    with pytest.raises(InputError, match=words):
        by_fdr([0, 1, 0, 1], [1.0, 2, 3, 4], [1.0, 2, 3], tie_break=ties)
