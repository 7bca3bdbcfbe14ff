from fractions import Fraction

import numpy as np
import pytest

from podium.phi import Logrank, Median, Mww, Power, TopShare
from podium.ranks.means import EXACT_RANKS, RankMeans
from registry import all_phi


def heights_of_ranks(phi, n_total):
    return phi.value(np.arange(1, n_total + 1) / (n_total + 1))


def whole_intervals(rng, n_total, n_ends=30):
    ends = np.concatenate([rng.integers(0, n_total, n_ends), rng.integers(0, 9, 4), n_total - rng.integers(0, 9, 4)])
    ends = np.unique(np.concatenate([[0, n_total], ends.clip(0, n_total)]))
    return ends[:-1], ends[1:]


@pytest.mark.parametrize("phi", all_phi(), ids=str)
@pytest.mark.parametrize("n_total", [2, 7, 200, 2 * EXACT_RANKS + 7, 300_000])
def test_a_whole_weight_is_as_many_equal_rows(phi, n_total):
    phi = phi.bind(n_total)
    below, upto = whole_intervals(np.random.default_rng(n_total), n_total)
    every = heights_of_ranks(phi, n_total)
    expected = np.array([every[a:b].mean() for a, b in zip(below, upto, strict=True)])
    means = RankMeans.of(phi, float(n_total)).mean(below, upto)
    np.testing.assert_allclose(means, expected, rtol=1e-11, atol=1e-11 * np.abs(expected).max())


@pytest.mark.parametrize("phi", all_phi(), ids=str)
@pytest.mark.parametrize("n_total", [0.7, 1.0, 1.6, 9.3, 1e5, 1e9, 1e15, 1e17, 1e300])
def test_means_never_fall_up_the_list_and_add_up(phi, n_total):
    phi = phi.bind(n_total)
    rng = np.random.default_rng(0)
    ends = (
        np.sort(np.concatenate([rng.random(300), rng.random(50) * 1e-6, 1 - rng.random(50) * 1e-6, [0, 1]])) * n_total
    )
    means = RankMeans.of(phi, n_total)
    values = means.mean(ends[:-1], ends[1:])
    assert np.isfinite(values).all()
    # Of two neighbors, one may be the difference of two areas: they lose digits where the interval is short.
    rounding = 1e-12 + 1e-13 * n_total / np.maximum(np.diff(ends), 1e-12 * n_total)
    assert np.all(np.diff(values) >= -np.maximum(rounding[1:], rounding[:-1]) * np.abs(values).max())
    whole = means.total(np.array([0.0]), np.array([n_total]))[0]
    assert np.diff(ends) @ values == pytest.approx(whole, rel=1e-9, abs=1e-9 * n_total * np.abs(values).max())


@pytest.mark.parametrize("n_total", [0.25, 1.0, 1.75, 10.5, 70_000.25, 1e7 + 0.5])
def test_at_the_identity_the_mean_is_the_mid_rank_for_any_weights(n_total):
    rng = np.random.default_rng(1)
    below = np.sort(rng.random(50)) * n_total
    upto = below + rng.random(50) * (n_total - below)
    means = RankMeans.of(Mww(), n_total).mean(below, upto)
    np.testing.assert_allclose(means * (n_total + 1), (below + upto + 1) / 2, rtol=1e-10)


def test_inside_a_rank_the_height_rises_by_the_smaller_step_to_its_neighbors():
    squares = [Fraction(j * j, 36) for j in range(1, 6)]  # steps 3, 5, 7, 9 over 36
    means = RankMeans.of(Power(2), 5.0)
    # the lower and the upper half of rank 3: its step down is 5/36, so ¼ of that to either side of the middle
    halves = means.mean(np.array([2.0, 2.5]), np.array([2.5, 3.0]))
    expected = [squares[2] - Fraction(5, 36) / 4, squares[2] + Fraction(5, 36) / 4]
    np.testing.assert_allclose(halves, [float(h) for h in expected], rtol=1e-14)


@pytest.mark.parametrize("phi", [TopShare(0.9), Median(), TopShare(0.123456)], ids=str)
def test_a_jump_in_a_long_list_is_where_its_rank_is(phi):
    n_total = 400_001
    every = np.concatenate([[0.0], np.cumsum(heights_of_ranks(phi, n_total))])
    below, upto = whole_intervals(np.random.default_rng(2), n_total, n_ends=5)
    totals = RankMeans.of(phi, float(n_total)).total(below, upto)
    np.testing.assert_allclose(totals, every[upto] - every[below], rtol=0, atol=1e-7)


def test_an_interval_that_rounding_leaves_without_length_has_the_value_there():
    means = RankMeans.of(Power(3), 1e300)
    assert means.mean(np.array([5e299]), np.array([5e299]))[0] == pytest.approx(1 / 8)


def test_the_range_is_the_sum_over_the_lowest_and_the_highest_ranks():
    every = heights_of_ranks(Logrank(), 12)
    low, high = RankMeans.of(Logrank(), 12.0).range(5.0, 7.0)
    assert low == pytest.approx(every[:5].sum(), rel=1e-14)
    assert high == pytest.approx(every[7:].sum(), rel=1e-14)
