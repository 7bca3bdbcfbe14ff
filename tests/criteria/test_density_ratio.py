import math

import numpy as np
import pytest
from scipy.optimize import minimize

from podium import LinearRanker, QuadraticRanker, metrics
from podium.criteria import DensityRatio, PNormPush
from podium.datasets import LocationModel
from samples import CASES, draw


@pytest.mark.parametrize("case", CASES)
def test_it_equals_its_definition_by_loops(case):
    y, s = draw(*case)
    weight = np.random.default_rng(0).random(len(s)) + 0.2
    for w in (np.ones(len(s)), weight):
        rows = list(zip(s, y, w, strict=True))
        positive = sum(v * t for t, up, v in rows if up) / sum(v for _, up, v in rows if up)
        negative = sum(v * math.exp(t) for t, up, v in rows if not up) / sum(v for _, up, v in rows if not up)
        assert DensityRatio().value_and_gradient(s, y, w)[0] == pytest.approx(positive - math.log(negative), rel=1e-12)


def test_the_largest_value_in_the_population_is_the_divergence_of_the_classes():
    # N(μ, Σ) and N(0, Σ): KL = separation²/2, at the score ⟨θ*, z⟩; closed form, in standard errors of both means.
    model = LocationModel(0.4, dimension=4)
    X, y = model.sample(100_000, 100_000, 0)
    scores = model.optimal_scores(X)
    value, gradient = DensityRatio().value_and_gradient(scores, y)
    ratio = np.exp(scores[~y] - scores[~y].mean())
    error = np.hypot(scores[y].std() / 316, ratio.std() / ratio.mean() / 316)
    assert value == pytest.approx(model.separation**2 / 2, abs=4 * error)
    by_weight = X.T @ gradient  # no direction raises it
    share = -gradient[~y] * 100_000
    errors = np.hypot(X[y].std(axis=0), (share[:, None] * (X[~y] - X[y].mean(axis=0))).std(axis=0)) / 316
    assert np.all(np.abs(by_weight) < 4.5 * errors)


def test_newton_finds_what_scipy_finds():
    X, y = LocationModel(0.5, dimension=3).sample(60, 200, 1)
    fitted = LinearRanker(DensityRatio(), shrinkage=0, solver="newton", tol=1e-9).fit(X, y)

    def loss(theta):
        s = X @ theta
        return np.log(np.mean(np.exp(s[~y]))) - s[y].mean()

    theirs = minimize(loss, np.zeros(3), tol=1e-10).x
    np.testing.assert_allclose(fitted.coef_, theirs, rtol=1e-3)


def test_rankers_take_it_by_name():
    model = LocationModel(0.3, dimension=4)
    X, y = model.sample(2_000, 2_000, 0)
    assert model.auc_of(LinearRanker("density-ratio").fit(X, y).coef_) > model.auc - 0.005
    quadratic = QuadraticRanker("density-ratio").fit(X, y)
    assert metrics.auc(y, quadratic.decision_function(X)) > model.auc - 0.01


def test_the_free_push_tends_to_it_as_p_grows():
    # p·λ_p of the unregularized P-Norm Push tends to the maximizer of this criterion.
    X, y = LocationModel(0.3, dimension=2).sample(80, 80, 3)
    options = {"shrinkage": 0, "solver": "newton", "tol": 1e-9, "max_iter": 1_000}
    limit = LinearRanker(DensityRatio(), **options).fit(X, y).coef_
    gaps = [np.linalg.norm(p * LinearRanker(PNormPush(p), **options).fit(X, y).coef_ - limit) for p in (4, 16, 64)]
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 0.1 * np.linalg.norm(limit)
