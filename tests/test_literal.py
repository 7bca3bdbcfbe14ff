"""The methods of the papers beside their literal loops."""

import numpy as np
import pytest

import literal
from podium import BoostedRanker, LinearRanker, QuadraticRanker, TreeRanker
from podium.criteria import RankStatistic
from podium.datasets import LocationModel, ScaleModel
from podium.exceptions import InputError
from podium.phi import resolve
from podium.selection import PenalizedSelection
from rankers import naive_boosting

STEPS = {"mww": 50, "power:3": 50, "smooth-top:0.9": 20}  # RTB is chaotic: rounding alone is far apart after 50
LOC2, SCALE2 = (model.sample(150, 150, 4) for model in (LocationModel(0.2), ScaleModel(0.8)))
CLOSE = {"rtol": 1e-8, "atol": 1e-8}


def loop(make, sample, theta, phi, **settings):
    X, y = sample
    return literal.algorithm_1(*make(X), theta, y, resolve(phi).derivative, STEPS[phi], **settings)


@pytest.mark.parametrize("phi", STEPS)
def test_algorithm_1_for_linear_scores(phi):
    start = np.random.default_rng(14).standard_normal(15)
    fitted = LinearRanker.algorithm_1(phi, n_steps=STEPS[phi], start=start).fit(*LOC2)
    np.testing.assert_allclose(fitted.coef_, loop(literal.linear, LOC2, start, phi), **CLOSE)


@pytest.mark.parametrize("phi", STEPS)
def test_algorithm_1_for_symmetric_matrices(phi):
    # Five times as large as standard normal: from there two runs of the loop 1e-15 apart end as far apart as 1e-3.
    start = 5 * np.random.default_rng(4).standard_normal((15, 15))
    start = (start + start.T) / 2
    fitted = QuadraticRanker.algorithm_1(phi, n_steps=STEPS[phi], start=start).fit(*SCALE2)
    np.testing.assert_allclose(fitted.matrix_, loop(literal.symmetric, SCALE2, start, phi), **CLOSE)
    assert not fitted.coef_.any()


@pytest.mark.parametrize("phi", STEPS)
def test_algorithm_1_for_the_definite_matrices_of_the_paper(phi):
    start = 5 * np.eye(15)
    settings = {"step": 0.05, "bandwidth": 0.2}
    ranker = QuadraticRanker.algorithm_1(
        phi, definite=True, n_steps=STEPS[phi], step_size=0.05, bandwidth=0.2, start=start
    )
    expected = loop(literal.definite, SCALE2, start, phi, **settings)
    fitted = ranker.fit(*SCALE2)
    assert np.linalg.norm(expected - start) > 0.01
    np.testing.assert_allclose(np.linalg.inv(fitted.matrix_), expected, **CLOSE)
    gaps = fitted.decision_function(SCALE2[0]) - literal.definite(SCALE2[0])[0](expected)
    assert np.ptp(gaps) < 1e-8  # a constant, which does not change ranks


def test_the_definite_class_is_left_with_the_printed_step_and_says_so():
    with pytest.raises(InputError, match="must be positive definite; its least eigenvalue is -"):
        QuadraticRanker.algorithm_1("auc", definite=True, start=np.eye(15)).fit(*SCALE2)


@pytest.mark.parametrize(
    "ranker",
    [
        QuadraticRanker.algorithm_1(definite=True),
        QuadraticRanker(definite=True, start=np.eye(15)),
        QuadraticRanker.algorithm_1(definite=True, start=np.eye(15)).set_params(linear_term=True),
    ],
)
def test_the_definite_class_says_what_it_needs(ranker):
    with pytest.raises(InputError, match="definite=True needs fixed steps"):
        ranker.fit(*SCALE2)


def test_a_second_fit_of_the_definite_class_goes_on_where_the_first_ended():
    settings = {"definite": True, "start": 5 * np.eye(15), "step_size": 0.05}
    once = QuadraticRanker.algorithm_1("auc", n_steps=20, **settings).fit(*SCALE2)
    twice = QuadraticRanker.algorithm_1("auc", n_steps=10, **settings).set_params(warm_start=True)
    twice.fit(*SCALE2)
    twice.fit(*SCALE2)
    np.testing.assert_allclose(twice.matrix_, once.matrix_, rtol=1e-9)


def test_own_kernel_bandwidth_and_step_are_taken():
    ranker = LinearRanker.algorithm_1("power:3", kernel="logistic", bandwidth=0.4, n_steps=7, step_size=0.03)
    assert (ranker.criterion.bandwidth, ranker.criterion.relative) == (0.4, False)
    assert type(ranker.criterion.kernel).__name__ == "LogisticKernel"
    assert (ranker.solver.n_steps, ranker.solver.step_size) == (7, 0.03)
    first, second = (
        LinearRanker.algorithm_1("auc", bandwidth=0.4, n_steps=3, start=np.eye(15)[0], **settings).fit(*LOC2)
        for settings in ({}, {"kernel": "logistic"})
    )
    assert np.abs(first.coef_ - second.coef_).max() > 1e-3


def test_a_bandwidth_that_follows_the_scores_is_not_algorithm_1():
    ranker = LinearRanker(RankStatistic("auc"), solver="gradient-ascent", scaling=None, start="random")
    with pytest.warns(UserWarning, match="that is not Algorithm 1 of CLV21, whose h is fixed"):
        ranker.fit(*LOC2)


def test_the_push_and_rankboost():
    X, y = LocationModel(0.3, dimension=4).sample(60, 80, 0)
    unit = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    weights, _ = naive_boosting.figure_2(unit, y, 4, 30)
    fitted = BoostedRanker("push:4", n_rounds=30).fit(X, y)
    np.testing.assert_allclose(fitted.coef_ * np.ptp(X, axis=0), weights, **CLOSE)
    X = np.round(X)
    rounds = naive_boosting.rankboost(X, y, 8)
    stumps = BoostedRanker("push:1", weak="stumps", n_rounds=8).fit(X, y)
    np.testing.assert_allclose(stumps.rounds_["alpha"], [alpha for *_, alpha in rounds], rtol=1e-8)


def test_the_ir_push():
    X, y = LocationModel(0.5, dimension=4).sample(30, 40, 0)
    fitted = LinearRanker("ir-push", shrinkage=0, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(fitted.coef_, literal.ir_push(X, y), rtol=1e-6)


def test_penalized_selection():
    X, y = ScaleModel(0.9, dimension=3).sample(60, 80, rng=0)
    classes = [LinearRanker(), QuadraticRanker()]
    selection = PenalizedSelection(classes, "auc", penalty="paper", b1=0.05).fit(X, y)
    scores = [ranker.fit(X, y).decision_function(X) for ranker in classes]
    chosen, values = literal.penalized_selection(scores, (3, 9), y, 0.05)
    np.testing.assert_allclose(selection.table_["penalized"], values, **CLOSE)
    assert selection.selected_ == chosen


def test_treerank():
    X, y = LocationModel(0.6, dimension=3).sample(60, 60, 0)
    fitted = TreeRanker(max_depth=2, rule_depth=1, min_samples_leaf=1, penalty=0.0).fit(X, y)
    scores = fitted.decision_function(X)
    cells = literal.treerank(X, y, 2)
    assert {frozenset(np.flatnonzero(scores == s)) for s in np.unique(scores)} == set(map(frozenset, cells))
