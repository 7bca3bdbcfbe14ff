"""What the papers name in passing, each by a definition of its own."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, optimize, stats

from podium import bounds, criteria, inference, metrics, ranks
from podium.datasets import LocationModel, ScaleModel
from podium.exceptions import InputError
from podium.roc import RocCurve

RNG = np.random.default_rng(0)
Y = RNG.random(60) < 0.4
SCORES = np.round(RNG.normal(size=60) + 0.4 * Y, 1)


# CLV21 §2.1, CV08 §3.2: stochastic order.


def test_the_depth_below_the_diagonal_is_the_largest_gap_of_the_distributions():
    gaps = [np.mean(SCORES[Y] <= t) - np.mean(SCORES[~Y] <= t) for t in SCORES]
    curve = RocCurve.from_scores(Y, SCORES)
    assert curve.depth_below_diagonal() == pytest.approx(max(*gaps, 0))
    test = inference.stochastic_order_test(Y, SCORES)
    assert test.statistic == pytest.approx(curve.depth_below_diagonal())
    assert RocCurve.from_scores(Y, Y * 1.0).depth_below_diagonal() == 0


def test_the_order_test_has_exact_p_values_by_listing_all_orders():
    y, scores = np.array([1, 0, 1, 0, 0, 1, 0], dtype=bool), np.arange(7.0)
    depth = RocCurve.from_scores(y, scores).depth_below_diagonal()
    orders = [np.isin(np.arange(7), places) for places in itertools.combinations(range(7), 3)]
    as_deep = [RocCurve.from_scores(order, scores).depth_below_diagonal() >= depth - 1e-12 for order in orders]
    assert inference.stochastic_order_test(y, scores).pvalue == pytest.approx(np.mean(as_deep), rel=1e-9)


def test_the_order_test_rejects_a_curve_that_crosses_and_not_one_above():
    rng, y = np.random.default_rng(1), np.arange(400) < 200
    wide = np.where(y, rng.normal(0, 3, 400), rng.normal(size=400))  # below the diagonal at its right end
    assert inference.stochastic_order_test(y, wide).pvalue < 1e-3
    assert inference.stochastic_order_test(y, rng.normal(size=400) + y).pvalue > 0.5


# CV08, Remark 4: the L1 Mallows distance.


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_the_mallows_distance_is_that_of_the_distributions_on_the_scale_of_ranks(share):
    # Spread every tie group evenly over its interval of F, as the straight pieces of the curve do.
    rng, pooled = np.random.default_rng(2), {}
    for is_positive in (True, False):
        values = SCORES[is_positive == Y]
        low = share * np.mean(SCORES[Y][None] < values[:, None], axis=1)
        low = low + (1 - share) * np.mean(SCORES[~Y][None] < values[:, None], axis=1)
        high = share * np.mean(SCORES[Y][None] <= values[:, None], axis=1)
        high = high + (1 - share) * np.mean(SCORES[~Y][None] <= values[:, None], axis=1)
        pooled[is_positive] = (low[:, None] + (high - low)[:, None] * (np.arange(2_000) + rng.random()) / 2_000).ravel()
    expected = stats.wasserstein_distance(pooled[True], pooled[False])
    assert RocCurve.from_scores(Y, SCORES).mallows_distance(share) == pytest.approx(expected, abs=1e-3)


def test_the_mallows_distance_of_an_ordered_pair_is_the_auc_less_one_half():
    fpr = np.linspace(0, 1, 101)
    curve = RocCurve.from_points(fpr, LocationModel(0.3).roc(fpr))
    for share in (0.0, 0.3, 1.0):
        assert curve.mallows_distance(share) == pytest.approx(curve.auc() - 0.5, rel=1e-9)


# CLV21, Definitions 11 and 12: U-statistics.


def product(a, b):
    return a * b + np.cos(a - b)


def test_a_u_statistic_is_the_mean_over_pairs():
    x, y = RNG.normal(size=7), RNG.normal(size=9)
    assert metrics.u_statistic(product, x, y) == pytest.approx(np.mean([product(a, b) for a in x for b in y]))
    of_one = [product(a, b) for i, a in enumerate(x) for j, b in enumerate(x) if i != j]
    assert metrics.u_statistic(product, x) == pytest.approx(np.mean(of_one))
    ties = metrics.u_statistic(lambda a, b: (a > b) + (a == b) / 2, SCORES[Y], SCORES[~Y])
    assert ties == pytest.approx(metrics.auc(Y, SCORES))


def test_the_parts_add_up_and_the_remainder_is_degenerate():
    x, y = RNG.normal(size=7), RNG.normal(size=9)
    two = metrics.hoeffding_decomposition(product, x, y)
    np.testing.assert_allclose(two.value + two.by_x[:, None] + two.by_y + two.remainder, product(x[:, None], y))
    for axis in (0, 1):
        np.testing.assert_allclose(two.remainder.sum(axis=axis), 0, atol=1e-12)
    one = metrics.hoeffding_decomposition(product, x)
    off = ~np.eye(7, dtype=bool)
    np.testing.assert_allclose(
        (one.value + one.by_x[:, None] + one.by_x + one.remainder)[off], product(x[:, None], x)[off]
    )
    np.testing.assert_allclose(one.remainder.sum(axis=0), 0, atol=1e-12)
    assert one.by_x.sum() == pytest.approx(0, abs=1e-12)


def test_a_kernel_of_sums_has_no_remainder():
    found = metrics.hoeffding_decomposition(np.add, RNG.normal(size=6))
    assert np.abs(found.remainder).max() < 1e-12
    with pytest.raises(InputError, match="needs a symmetric kernel"):
        metrics.hoeffding_decomposition(np.subtract, [1.0, 2.0, 4.0])
    with pytest.raises(InputError, match="one number for each of 2 × 1 pairs"):
        metrics.u_statistic(lambda a, b: 1.0, [1.0, 2.0], [3.0])


# CLV21, Lemma 23.


def test_lemma_23_is_above_what_is_simulated_and_inverts_its_printed_deviation():
    c = 6 * (1 + 9 * 3**2 + 9 * 6**2)  # φ(u) = u³
    epsilon = math.sqrt(c * math.log(1 / 0.05) / (0.25 * 300))
    assert bounds.paper_supremum_tail(epsilon, 300, 0.5, "power:3") == pytest.approx(0.05)
    rng, y = np.random.default_rng(3), np.arange(40) < 20
    values = np.array([metrics.rank_statistic(y, rng.normal(size=40), scale="mean") for _ in range(500)])
    off = np.abs(values - 0.5)  # a class of one scorer
    for extra in (0.05, 0.1):
        assert np.mean(off >= off.mean() + extra) <= bounds.paper_supremum_tail(extra, 40, 0.5, "auc")
    with pytest.raises(InputError, match="bounded φ"):
        bounds.paper_supremum_tail(0.1, 40, 0.5, "logrank")


# Menon and Williamson: the p-classification loss has the scores of the P-Norm Push.


@pytest.mark.parametrize("p", [2.0, 4.0])
def test_the_p_classification_loss_is_the_push_with_an_intercept(p):
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(50, 2)), np.arange(50) < 20
    X[y] += 0.7

    def classification(w):
        s = X @ w[:2] + w[2]
        return np.exp(-s[y]).sum() + np.exp(p * s[~y]).sum() / p

    def push(w):
        return -criteria.PNormPush(p).value_and_gradient(X @ w, y)[0]

    one = optimize.minimize(classification, np.zeros(3), tol=1e-12).x[:2]
    np.testing.assert_allclose(one, optimize.minimize(push, np.zeros(2), tol=1e-12).x, rtol=1e-4)


# R09: the push of any rule in the models, prices of reverse heights, §11.


def test_the_push_of_any_rule_in_a_population_is_the_limit_of_that_of_samples():
    location, scale = LocationModel(0.3, dimension=4), ScaleModel(0.9, dimension=8)
    weights, matrix = np.array([1.0, 0.0, 2.0, 0.5]), np.diag(np.arange(1.0, 9.0))
    for model, score, arguments in (
        (location, lambda X: X @ weights, (weights,)),
        (scale, lambda X: np.einsum("ij,jk,ik->i", X, matrix, X), (matrix,)),
    ):
        X, y = model.sample(100_000, 100_000, 0)
        for p in (1, 4):
            found = metrics.push_risk(y, score(X), p, normalize=True)
            assert model.push_risk(p, *arguments) == pytest.approx(found, abs=4e-3)
        assert model.push_risk(4, *arguments) > model.push_risk(4)
    assert location.push_risk(4, 7 * location.theta) == pytest.approx(location.push_risk(4))
    exact, _ = integrate.quad(lambda a: (1 - location.roc_of(weights, np.array(a))) ** 4, 0, 1)
    assert location.push_risk(4, weights) == pytest.approx(exact**0.25, rel=1e-5)


def test_a_price_of_reverse_heights_by_its_definition():
    for price in (np.log1p, np.sqrt, lambda r: 1 / (1 + r)):
        expected = sum(price(np.float64(np.sum(SCORES[~Y] >= s))) for s in SCORES[Y])
        assert price(metrics.reverse_heights(Y, SCORES)).sum() == pytest.approx(expected)


def gamma(q, p):
    return np.log(q / (p ** (1 / p) * q.sum(axis=0) ** ((p - 1) / p)))


@pytest.mark.parametrize("p", [1.0, 2.5])
def test_the_potential_its_gradient_and_its_distance(p):
    rng = np.random.default_rng(5)
    a, b = rng.uniform(0.1, 2, (2, 4, 3))
    assert criteria.push_potential(a, p) == pytest.approx(np.sum(a * gamma(a, p)))
    gradient = 1 / p + gamma(b, p)  # (11)
    bregman = criteria.push_potential(a, p) - criteria.push_potential(b, p) - np.sum(gradient * (a - b))
    assert criteria.push_distance(a, b, p) == pytest.approx(bregman)
    assert criteria.push_distance(a, a, p) == pytest.approx(0, abs=1e-12)
    holes = np.where(rng.random(a.shape) < 0.4, 0.0, a)
    assert criteria.push_distance(holes, b, p) > 0
    assert criteria.push_distance(a, np.zeros_like(a), p) == np.inf
    if p == 1:
        assert criteria.push_distance(a, b, p) == pytest.approx(np.sum(a * np.log(a / b) - a + b))  # relative entropy


@pytest.mark.parametrize("p", [1.0, 3.0])
def test_the_projection_is_the_maximizer_and_the_dual_is_the_push(p):
    rng = np.random.default_rng(6)
    q, v = rng.uniform(0.5, 2, (2, 2, 2))
    best = criteria.push_projection(q, v, p)
    np.testing.assert_allclose(gamma(best, p), gamma(q, p) + v, rtol=1e-10)  # (10)
    attained = np.sum(v * best) - criteria.push_distance(best, q, p)
    for other in rng.uniform(0.1, 4, (50, 2, 2)):
        assert np.sum(v * other) - criteria.push_distance(other, q, p) <= attained + 1e-12
    scores, y = rng.normal(size=9), np.arange(9) < 5
    margins = scores[y][:, None] - scores[~y]
    start = np.full(margins.shape, 5.0 ** (p - 1))
    member = criteria.push_projection(start, -margins, p)
    assert criteria.push_distance(np.zeros_like(member), member, p) == pytest.approx(
        metrics.push_risk(y, scores, p, "exponential") / p
    )


def test_the_primal_has_the_minimizer_of_the_dual():
    # Theorem 10: the point of the family nearest to 0 satisfies the constraints of the primal, qᵀM = 0.
    rng, p = np.random.default_rng(7), 2.0
    X, y = rng.normal(size=(12, 2)), np.arange(12) < 6
    M = (X[y][:, None] - X[~y][None]).reshape(-1, 2)
    start = np.full((6, 6), 6.0 ** (p - 1))

    def dual(weights):
        return criteria.push_distance(
            np.zeros((6, 6)), criteria.push_projection(start, -(M @ weights).reshape(6, 6), p), p
        )

    weights = optimize.minimize(dual, np.zeros(2), tol=1e-12).x
    best = criteria.push_projection(start, -(M @ weights).reshape(6, 6), p)
    np.testing.assert_allclose(best.ravel() @ M, 0, atol=1e-3 * best.sum())
    away = np.linalg.svd(M.T)[2][-1].reshape(6, 6)  # stays in the feasible set
    nearest = criteria.push_distance(best, start, p)
    for step in (-1e-2, 1e-2):
        assert criteria.push_distance(best + step * away * best.min(), start, p) > nearest


# A05, Theorem 4.3; Cortes and Mohri (2005).


@pytest.mark.parametrize("shape", [(1, 3), (2, 2), (2, 3)])
def test_acyclic_mixed_graphs_are_the_rank_matrices(shape):
    n_pos, n_neg = shape
    y = np.arange(n_pos + n_neg) < n_pos
    shown = {
        tuple(ranks.bipartite_rank_matrix(y, scores).ravel())
        for scores in itertools.product(range(n_pos + n_neg), repeat=n_pos + n_neg)
    }
    accepted = {
        entries
        for entries in itertools.product((0.0, 0.5, 1.0), repeat=n_pos * n_neg)
        if ranks.is_bipartite_rank_matrix(np.reshape(entries, shape))
    }
    assert accepted == shown
    assert len(accepted) == bounds.count_rank_matrices(n_pos, n_neg)
    with pytest.raises(InputError, match="entries 0, ½ and 1"):
        ranks.is_bipartite_rank_matrix([[0.2]])


def test_limits_from_an_interval_of_errors_contain_those_of_every_number_in_it():
    low, high = bounds.auc_given_error_interval(20, 30, 3, 9)
    each = [bounds.auc_given_errors(20, 30, k) for k in range(3, 10)]
    assert (low, high) == (min(e.low for e in each), max(e.high for e in each))
    assert bounds.auc_given_error_interval(20, 30, 5, 5) == (each[2].low, each[2].high)
    with pytest.raises(InputError, match="most"):
        bounds.auc_given_error_interval(20, 30, 5, 4)
