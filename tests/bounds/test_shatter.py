"""How many orders there are: every count against an enumeration."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from podium.bounds import (
    count_rank_matrices,
    count_sign_patterns,
    log_rank_shatter,
    log_sign_patterns,
    polynomial_dimension,
)


def sign_patterns(forms):
    """All sign patterns of integer forms on R, R² or R³, by one exact point in the inside of each face.

    The rays of the arrangement, and sums of up to d of them, meet every face; forms and 0 serve a single form.
    """
    forms = np.asarray(forms, dtype=np.int64)
    d = forms.shape[1]
    if d == 1:
        rays = np.array([[1]])
    elif d == 2:
        rays = np.stack([-forms[:, 1], forms[:, 0]], axis=1)
    else:
        rays = np.array([np.cross(a, b) for a, b in itertools.combinations(forms, 2)]).reshape(-1, 3)
    rays = np.concatenate([rays, -rays, np.zeros((1, d), dtype=np.int64)])
    points = rays
    for _ in range(d - 1):
        points = np.unique((points[:, None, :] + rays[None, :, :]).reshape(-1, d), axis=0)
    points = np.concatenate([points, forms, -forms])
    return {tuple(row) for row in np.sign(points @ forms.T)}


@pytest.mark.parametrize(
    ("d", "n_forms"), [(1, 1), (1, 5), (2, 1), (2, 2), (2, 3), (2, 7), (2, 12), (3, 3), (3, 4), (3, 6)]
)
def test_sign_patterns_of_forms_in_general_position_are_counted_exactly(d, n_forms):
    on_the_moment_curve = [[t**power for power in range(d)] for t in range(1, n_forms + 1)]
    assert len(sign_patterns(on_the_moment_curve)) == count_sign_patterns(d, n_forms)


@pytest.mark.parametrize("seed", range(5))
def test_no_forms_show_more_sign_patterns(seed):
    forms = np.random.default_rng(seed).integers(-2, 3, (6, 2))  # repeated and zero forms among them
    assert len(sign_patterns(forms)) <= count_sign_patterns(2, 6)


def test_sign_patterns_follow_the_printed_double_sum():
    for d, n_forms in itertools.product((1, 2, 5, 15), (16, 40, 1000)):
        double_sum = 1 + sum(
            2 * math.comb(n_forms, d - j) * sum(math.comb(n_forms - d + j - 1, i) for i in range(j))
            for j in range(1, d + 1)
        )
        assert count_sign_patterns(d, n_forms) == double_sum


@pytest.mark.parametrize("d", [1, 2, 15, 300])
@pytest.mark.parametrize("n_forms", [1, 300, 301, 10**7, 4 * 10**14])
def test_log_of_sign_patterns_agrees_with_the_exact_count(d, n_forms):
    exact = n_forms * math.log(3) if n_forms <= d else math.log(count_sign_patterns(d, n_forms))
    assert log_sign_patterns(d, n_forms) == pytest.approx(exact, rel=1e-13)


def rank_matrices(m, n):
    """All distinct sign matrices of m against n scores, from every weak order of the m + n."""
    scores = np.array(list(itertools.product(range(m + n), repeat=m + n)))
    signs = np.sign(scores[:, :m, None] - scores[:, None, m:]).reshape(len(scores), -1)
    return len(np.unique(signs, axis=0))


@pytest.mark.parametrize(
    ("m", "n", "count"),
    [(1, 1, 3), (1, 2, 9), (2, 2, 51), (1, 3, 27), (2, 3, 261), (3, 3, 2067), (2, 4, None), (1, 5, 243)],
)
def test_rank_matrices_are_counted_as_by_listing_all_weak_orders(m, n, count):
    assert count_rank_matrices(m, n) == rank_matrices(m, n)
    assert count in (None, count_rank_matrices(m, n))


def test_rank_matrices_are_symmetric_and_between_the_bounds_stated_in_the_paper():
    for m, n in itertools.product(range(1, 9), repeat=2):
        count = count_rank_matrices(m, n)
        assert count == count_rank_matrices(n, m)
        assert 3 ** max(m, n) <= count <= min(3 ** (m * n), math.factorial(m + n) * 2 ** (m + n - 1))


def test_orders_that_linear_scorers_give_to_points_of_the_plane_are_at_most_the_bounds():
    rng = np.random.default_rng(0)
    positives, negatives = rng.integers(-9, 10, (4, 2)), rng.integers(-9, 10, (3, 2))
    differences = (positives[:, None, :] - negatives[None, :, :]).reshape(-1, 2)
    orders = math.log(len(sign_patterns(differences)))
    assert orders <= log_rank_shatter(4, 3, 2, method="central") <= log_rank_shatter(4, 3, 2)


def test_polynomials_are_linear_in_their_monomials():
    for d, q in itertools.product((1, 2, 3, 4), (1, 2, 3)):
        monomials = [powers for powers in itertools.product(range(q + 1), repeat=d) if 1 <= sum(powers) <= q]
        assert polynomial_dimension(d, q) == len(monomials)
        for method in ("agarwal", "central"):
            assert log_rank_shatter(9, 9, d, degree=q, method=method) == log_rank_shatter(
                9, 9, len(monomials), method=method
            )


def test_printed_bound_on_rank_shatter_is_kept_where_it_is_true_and_replaced_where_it_is_not():
    assert log_rank_shatter(300, 300, 15) == pytest.approx(15 * math.log(2 * math.e * 90_000 / 15), rel=1e-14)
    # 4 pairs in 30 dimensions: all 81 patterns occur, the printed (8e/30)^30 is below 1/18
    assert 30 * math.log(2 * math.e * 4 / 30) < 0
    assert log_rank_shatter(2, 2, 30) == log_rank_shatter(2, 2, 30, method="central") == pytest.approx(math.log(81))


def test_central_count_is_never_above_the_printed_bound():
    for d, pairs in itertools.product((1, 2, 3, 7, 20), (1, 2, 3, 10, 50, 1000)):
        assert log_rank_shatter(pairs, 1, d, method="central") <= log_rank_shatter(pairs, 1, d) + 1e-12
