"""The order of scores, against NumPy's sort and integer counts of it, for scores of every kind."""

import numpy as np
import pytest

from podium import metrics
from podium._fast import order

N = 40_000
RNG = np.random.default_rng(0)
NOISE = RNG.standard_normal(N)
HALF = RNG.random(N) < 0.5
KINDS = {
    "normal": NOISE,
    "cauchy": RNG.standard_cauchy(N),
    "lognormal": np.exp(5 * NOISE),
    "99 % at one value": np.where(RNG.random(N) < 0.99, 0.5, NOISE),
    "whole numbers": np.round(100 * NOISE),
    "float32": NOISE.astype(np.float32).astype(float),
    "float16": NOISE.astype(np.float16).astype(float),
    "subnormal": NOISE * 5e-320,
    "both zeros": np.where(HALF, 0.0, -0.0),
    "1e300 beside 1": np.where(HALF, 1e300 * NOISE, NOISE),
    "largest": RNG.choice([-1.7e308, 0.0, 1.7e308], N),
    "from end to end": np.linspace(-1, 1, N) * 1.7e308,
    "two lumps 1e-12 apart": np.where(HALF, 1e-12, 0.0) + 1e-15 * NOISE,
    "lumps far apart": np.where(HALF, 1.0, 0.0) + 1e-12 * NOISE,
    "last bits": 1 + RNG.permutation(N) * 2.0**-52,
    "levels with noise": np.round(NOISE, 2) + 1e-12 * RNG.random(N),
    "every binade": np.ldexp(1 + RNG.random(N), RNG.integers(-1000, 1000, N)),
    "outlier": np.append(NOISE[1:], 1e300),
    "sorted": np.sort(NOISE),
    "reversed": np.sort(NOISE)[::-1],
    "all equal": np.full(N, 3.0),
}


def positives(share):
    return np.random.default_rng(1).random(N) < share


SHARES = (0.5, 0.01, 0.97)
EVERY_KIND = pytest.mark.parametrize(
    ("scores", "is_positive"),
    [pytest.param(scores, positives(SHARES[i % 3]), id=name) for i, (name, scores) in enumerate(KINDS.items())],
)


@pytest.fixture(autouse=True)
def _counting(monkeypatch):
    monkeypatch.setattr(order, "sort_in_counting_passes", lambda: np.inf)  # as where NumPy's sort is slow


@EVERY_KIND
def test_counted_order_is_that_of_a_sort(scores, is_positive):
    pos, neg = np.sort(scores[is_positive]), np.sort(scores[~is_positive])
    np.testing.assert_array_equal(order.ascending(scores), np.sort(scores))
    for ours, theirs in zip(order.by_class(scores, is_positive), (pos, neg), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    twice = sum(int(np.searchsorted(neg, pos, side).sum()) for side in ("left", "right"))
    assert order.twice_pairs_won(scores, is_positive) == twice
    assert metrics.auc(is_positive, scores) == twice / (2 * len(pos) * len(neg))


@EVERY_KIND
def test_rows_are_an_argsort(scores, is_positive):
    rows, values = order.rows_ascending(scores)
    np.testing.assert_array_equal(values, np.sort(scores))
    np.testing.assert_array_equal(values, scores[rows])
    np.testing.assert_array_equal(np.sort(rows), np.arange(N))
    for (rows, values), of_class in zip(
        order.rows_by_class(scores, is_positive), (is_positive, ~is_positive), strict=True
    ):
        np.testing.assert_array_equal(values, np.sort(scores[of_class]))
        np.testing.assert_array_equal(values, scores[rows])
        np.testing.assert_array_equal(np.sort(rows), np.flatnonzero(of_class))
    for ours, theirs in zip(order.groups_of_rows(scores), np.unique(scores, return_inverse=True), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("scores", KINDS.values(), ids=KINDS)
def test_cells_never_fall_as_scores_rise(scores):
    cell_map = order.CellMap.of(np.ascontiguousarray(scores))
    located, _ = cell_map.locate(np.sort(scores), None)
    assert (np.diff(located.astype(int)) >= 0).all()
    assert located.max() < cell_map.n_cells


@pytest.mark.parametrize("is_positive", [positives(share) for share in SHARES], ids=SHARES)
def test_short_lists_and_whole_numbers_beyond_two_to_the_53_are_sorted_by_numpy(is_positive):
    large = 2**60 + RNG.permutation(N)  # as floats these would tie
    for scores in (NOISE[:50], large):
        flags = is_positive[: len(scores)].copy()
        flags[:2] = [True, False]
        pos, neg = order.by_class(scores, flags)
        np.testing.assert_array_equal(pos, np.sort(scores[flags]))
        assert order.twice_pairs_won(scores, flags) == 2 * (pos[:, None] > neg).sum()


def test_a_fast_sort_of_numpy_is_used(monkeypatch):
    monkeypatch.setattr(order, "sort_in_counting_passes", lambda: 1.0)
    monkeypatch.setattr(order.Buckets, "of", None)
    np.testing.assert_array_equal(order.ascending(NOISE), np.sort(NOISE))


@pytest.mark.parametrize("n", [1, 2, 3, 10, 500])
def test_a_heap_sort_takes_over_where_insertion_would_move_too_much(n):
    values, rows = RNG.integers(0, n, n).astype(float), np.arange(n, dtype=np.uint32)
    ours, theirs = values.copy(), np.sort(values)
    order._heap_sort(ours, rows, n)
    np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(values[rows], theirs)


def test_the_largest_number_of_pairs_is_counted_in_whole_numbers():
    # 4·10⁷ equal rows beside one step: more pairs than any float of this size tells apart
    pos, neg = 9_000_001, 100_000
    scores = np.concatenate([np.ones(pos), np.ones(neg)])
    scores[:3] = 2
    count = order.twice_pairs_won(scores, np.arange(pos + neg) < pos)
    assert count == pos * neg + 3 * neg
