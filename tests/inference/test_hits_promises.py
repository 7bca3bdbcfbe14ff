"""Every promise about hits, exactly: all orders of tiny lists, and definitions by loops."""

import itertools

import numpy as np
import pytest

from inference import naive_hits as naive
from podium import _input
from podium.inference import hits_lower_bound, interval, precision_at_interval
from podium.inference.hits.fixed_composition import FixedComposition, hits_moments, others_before
from podium.inference.hits.new_draw import NewDraw
from podium.roc import RocCurve
from samples import draw


# --- at least so many hits --------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("n", "m"), [(4, 3), (5, 5), (3, 7)])
@pytest.mark.parametrize("level", [0.55, 0.83, 0.91])  # no count of orders meets one exactly
def test_limits_of_all_places_at_once_are_those_of_the_largest_level_that_counting_orders_allows(n, m, level):
    limits = others_before(n, m, level)
    kept = np.mean([all(v <= b for v, b in zip(o, limits, strict=False)) for o in naive.interleavings(n, m)])
    assert kept >= level
    assert limits.tolist() == naive.all_kept(n, m, level)


@pytest.mark.parametrize("n_levels", [None, 1])
def test_the_bound_for_any_list_gives_each_of_four_families_a_quarter_of_the_error(n_levels):
    for seed, n, m in ((0, 30, 20), (1, 60, 90)):
        y, s = draw(seed, n, n_levels)
        s = s + 2 * y
        for level in (0.8, 0.95):
            limits = others_before(n, m, 1 - (1 - level) / 4).tolist()
            expected = [naive.any_list_bound(y, s, limits, k) for k in range(1, m + 1)]
            assert hits_lower_bound(y, s, n_next=m, confidence_level=level).hits.tolist() == expected
            assert n < 60 or max(expected) > 0


@pytest.mark.parametrize("n_levels", [None, 1])
def test_the_bound_for_a_list_gives_each_of_two_families_half_of_the_error(n_levels):
    for seed, n, m in ((0, 30, 20), (1, 60, 90)):
        (y, s), (_, listed) = draw(seed, n, n_levels), draw(seed + 5, m, n_levels)
        limits = others_before(n, m, 1 - 0.2 / 2)
        expected = [naive.hits_bound(y, s, listed, limits, k) for k in range(1, m + 1)]
        assert hits_lower_bound(y, s, listed, confidence_level=0.8).hits.tolist() == expected
        assert max(expected) > 0


def test_over_all_choices_of_the_labeled_rows_no_bound_is_broken_more_often_than_said():
    y, s = np.array([0, 1, 0, 1, 1, 0, 1, 1, 1], dtype=bool), np.arange(9.0)
    for level in (0.3, 0.6):
        held = {True: [], False: []}
        for chosen in itertools.combinations(range(9), 5):
            rows = np.isin(np.arange(9), chosen)
            if y[rows].all() or not y[rows].any():
                continue
            hits = [naive.least_hits_in_any_order(y[~rows], s[~rows], k) for k in range(1, 5)]
            for is_scored in held:
                found = hits_lower_bound(
                    y[rows], s[rows], s[~rows] if is_scored else None, n_next=4, confidence_level=level
                )
                held[is_scored].append((np.array(hits) >= found.hits).all())
        assert min(np.mean(one) for one in held.values()) >= level


# --- how many to expect -----------------------------------------------------------------------------------------------
def rows(n, seed=0, share=0.3):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    return y, rng.standard_normal(n) + y


@pytest.mark.parametrize(("k", "n_next"), [(4, 40), (30, 90), (90, 300), (7, 90)])
def test_the_range_of_hits_is_that_of_its_formula_for_lists_of_any_length(k, n_next):
    y, s = rows(90)
    at_cut = NewDraw.of(_input.check_sample(y, s)).chance_at_cut(k * 90 / n_next)
    for level in (0.8, 0.95):
        found = precision_at_interval(y, s, k=k, n_next=n_next, confidence_level=level)
        assert (found.low, found.high) == naive.new_draw_range(y, s, k, n_next, level, at_cut)


def test_the_range_at_another_share_of_positives_is_that_of_its_formula():
    y, s = rows(90)
    draws = NewDraw.of(_input.check_sample(y, s), 0.1)
    for k, n_next in ((20, 60), (100, 300)):
        found, at_cut = draws.prediction(k, n_next, 0.9), draws.chance_at_cut(k / n_next * 90)
        rows_above = k / n_next * 90
        precision = np.interp(rows_above, draws.rows, draws.hits) / rows_above
        expected = naive.new_draw_range_at(0.1, y.sum(), (~y).sum(), precision, at_cut, k, n_next, 0.9)
        assert (found.low, found.high) == expected


def test_of_less_than_one_labeled_row_every_number_of_hits_is_in_the_range():
    y, s = rows(90)
    found = precision_at_interval(y, s, k=5, n_next=900)
    assert (found.low, found.high) == (0, 5)


@pytest.mark.parametrize("k", [60, 120, 250])
def test_the_range_of_the_recall_is_that_of_its_formula(k):
    y, s = rows(300)
    draws = NewDraw.of(_input.check_sample(y, s))
    for level in (0.8, 0.95):
        found, wanted = draws.recall(k, 300, level), naive.recall_range(y, s, k, draws.chance_at_cut(k), level)
        assert found[1:] == pytest.approx(wanted[1:])
        assert found[0] == pytest.approx(
            np.clip(naive.expected_precision(y, s, k / 300) * k / y.sum(), *wanted[1:]), rel=2e-3
        )


@pytest.mark.parametrize("k", [3, 20, 49])
def test_the_recall_of_few_rows_is_hits_over_positives_both_at_the_level(k):
    y, s = rows(300)
    for level in (0.8, 0.95):
        hits = precision_at_interval(y, s, k=k, confidence_level=level)
        expected = naive.recall_of_few(y, s, k, hits.low, hits.high, level)
        found = NewDraw.of(_input.check_sample(y, s)).recall(k, 300, level)
        assert found[1:] == pytest.approx(expected[1:])
        at_random = k / 300 if interval(y, s).low > 0.5 else 0.0
        wanted = max(naive.expected_precision(y, s, k / 300) * k / y.sum(), at_random)
        assert found[0] == pytest.approx(np.clip(wanted, *expected[1:]), rel=2e-3)


def test_clusters_have_the_quantile_of_student_with_satterthwaites_degrees_of_freedom():
    y, s = rows(60, share=0.5)
    s = np.repeat(s[::3], 3) + np.tile([0, 1e-6, 2e-6], 20)  # rows of a cluster stand together
    clusters = np.repeat(np.arange(20), 3)
    draws = NewDraw.of(_input.check_sample(y, s), None, clusters)
    at_cut = draws.chance_at_cut(21)
    expected = naive.clustered_quantile(y, s, 21, clusters, at_cut, 0.9)
    assert draws._for_clusters(lambda: draws.contributions(21), 0.9) == pytest.approx(expected)


@pytest.mark.parametrize("k", [10, 25, 40])
def test_the_range_for_the_same_positives_is_that_of_its_formula(k):
    y, s = rows(90)
    sample = _input.check_sample(y, s)
    mean, variance = hits_moments(FixedComposition.of(sample).curve, k, y.sum(), (~y).sum())
    hits = naive.expected_hits(y, s, k)
    for level in (0.8, 0.95):
        found = precision_at_interval(y, s, k=k, composition="fixed", confidence_level=level)
        expected = naive.fixed_range(y.sum(), (~y).sum(), k, hits, mean, variance, level)
        assert (found.low, found.high) == expected


def test_hits_of_a_useless_scorer_are_hypergeometric():
    mean, variance = hits_moments(RocCurve.from_points([], []), 12, 20, 30)
    assert mean == pytest.approx(12 * 0.4, rel=1e-3)
    assert variance == pytest.approx(12 * 0.4 * 0.6 * (50 - 12) / 49, rel=5e-3)
