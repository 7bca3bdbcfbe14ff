import numpy as np
import pytest
from scipy import sparse

from podium import Objective
from podium.criteria import LogLoss, PNormPush, RankStatistic, SmoothPartialAuc
from podium.exceptions import DegenerateSampleError, InputError, InputTypeError
from podium.models import LinearModel, Model, QuadraticModel, WithIntercept
from podium.solvers import Lbfgs, Newton

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 3))
Y = X @ [1.0, -0.5, 0.0] + RNG.standard_normal(60) > 0
CRITERIA = [
    LogLoss(),
    PNormPush(2),
    PNormPush(3, "logistic", tol=1e-10),
    RankStatistic("power:3", tol=1e-10),
    SmoothPartialAuc(0.5, 0.5, tol=1e-10),
    PNormPush(2) + 0.5 * LogLoss(),
]


class Cubes(Model):
    """A model as a user would write it: two methods and its features."""

    def scores(self, X, theta):
        return self.features(X) @ theta

    def vjp(self, X, theta, cotangent):
        return self.features(X).T @ cotangent

    def features(self, X):
        return np.hstack([X, X**3])


class Bent(Model):
    """A model that is not linear in its parameter."""

    def scores(self, X, theta):
        return np.tanh(X @ theta)

    def vjp(self, X, theta, cotangent):
        return X.T @ (cotangent * (1 - np.tanh(X @ theta) ** 2))

    def n_features(self, n_columns):
        return n_columns


MODELS = [LinearModel(), QuadraticModel(), WithIntercept(), WithIntercept(Cubes()), Cubes(), Bent()]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("criterion", CRITERIA, ids=lambda criterion: type(criterion).__name__)
def test_value_and_gradient_are_those_of_criterion_after_model_less_the_penalty(criterion, model):
    weight = RNG.integers(0, 4, 60).astype(float)
    objective = Objective(criterion, model, X, Y, weight, alpha=0.3)
    theta = RNG.standard_normal(objective.n_parameters)
    value, gradient = objective(theta)
    plain, _ = criterion.value_and_gradient(model.scores(X, theta), Y, weight)
    assert value == pytest.approx(plain - 0.15 * theta @ theta)
    step = 1e-5
    numeric = [
        (objective(theta + step * e)[0] - objective(theta - step * e)[0]) / (2 * step) for e in np.eye(len(theta))
    ]
    np.testing.assert_allclose(gradient, numeric, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("model", [LinearModel(), Cubes(), WithIntercept()], ids=lambda model: type(model).__name__)
def test_the_curvature_is_minus_the_derivative_of_the_gradient(model):
    objective = Objective(PNormPush(3), model, X, Y, alpha=np.linspace(0, 1, model.n_features(3)))
    theta, step = RNG.standard_normal(objective.n_parameters) / 4, 1e-6
    numeric = [
        (objective(theta + step * e)[1] - objective(theta - step * e)[1]) / (2 * step) for e in np.eye(len(theta))
    ]
    objective(np.zeros(len(theta)))  # the gradient kept last is that of another point
    np.testing.assert_allclose(objective.curvature(theta), -np.array(numeric), rtol=1e-6, atol=1e-7)


def test_a_weight_of_three_is_three_rows_and_sparse_rows_are_rows():
    times = RNG.integers(0, 4, 60)
    theta = np.array([1.0, -2.0, 0.5])
    weighted = Objective("auc", LinearModel(), sparse.csr_array(X), Y, times)(theta)
    repeated = Objective("auc", LinearModel(), X.repeat(times, axis=0), Y.repeat(times))(theta)
    assert weighted[0] == pytest.approx(repeated[0])
    np.testing.assert_allclose(weighted[1], repeated[1], atol=1e-7)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_the_start_is_better_than_chance_and_its_scores_have_unit_spread(model):
    objective = Objective("auc", model, X, Y)
    scores = model.scores(X, objective.start())
    assert scores[Y].mean() > scores[~Y].mean()
    if model.is_linear:
        assert scores.std() == pytest.approx(1)


def test_where_no_direction_leads_up_the_start_is_drawn():
    objective = Objective("auc", LinearModel(), np.vstack([X, X]), np.repeat([False, True], 60))
    assert objective.start(0).any()
    np.testing.assert_array_equal(objective.start(0), objective.start(0))


def test_what_a_solver_needs_and_does_not_get_is_a_sentence():
    for objective in (Objective("auc", LinearModel(), X, Y), Objective("push:2", Bent(), X, Y)):
        assert not objective.has_curvature
        with pytest.raises(InputError, match="Newton needs a criterion whose curvature is known and a model linear"):
            objective.climb(Newton(), np.ones(3))
    with pytest.raises(InputTypeError, match="Newton needs a function with a method curvature"):
        Newton().maximize(lambda theta: (0.0, theta), np.ones(2))
    newton = Objective("push:2", LinearModel(), X, Y).climb(Newton(), np.zeros(3))
    lbfgs = Objective("push:2", LinearModel(), X, Y).climb(Lbfgs(tol=1e-9), np.zeros(3))
    np.testing.assert_allclose(newton.theta, lbfgs.theta, rtol=1e-4)


def test_bad_data_are_refused_at_the_door():
    with pytest.raises(DegenerateSampleError, match="one positive and one negative"):
        Objective("auc", LinearModel(), X, np.ones(60))
    with pytest.raises(DegenerateSampleError, match="one positive and one negative"):
        Objective("auc", LinearModel(), X, Y, Y)
    with pytest.raises(ValueError, match="inconsistent numbers"):
        Objective("auc", LinearModel(), X, Y[:-1])
    with pytest.raises(ValueError, match="NaN"):
        Objective("auc", LinearModel(), np.where(X > 1, np.nan, X), Y)
    with pytest.raises(InputError, match="alpha must be in"):
        Objective("auc", LinearModel(), X, Y, alpha=-1.0)


def test_a_model_that_says_neither_features_nor_their_number_is_told_so():
    class Unfinished(Bent):
        n_features = Model.n_features

    with pytest.raises(InputError, match="Unfinished names no features"):
        _ = Objective("auc", Unfinished(), X, Y).n_parameters
