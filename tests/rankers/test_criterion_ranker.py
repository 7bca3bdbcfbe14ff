import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from podium import CriterionRanker, LinearRanker, metrics
from podium.criteria import PNormPush
from podium.datasets import LocationModel
from podium.models import LinearModel, Model
from podium.phi import Power
from podium.solvers import CoordinateAscent, Newton


class Distances(Model):
    """Scores linear in the distances from some points: two methods and the features."""

    points = np.random.default_rng(0).standard_normal((8, 2)) * 2

    def features(self, X):
        return np.linalg.norm(X[:, None] - self.points, axis=2)

    def scores(self, X, theta):
        return self.features(X) @ theta

    def vjp(self, X, theta, cotangent):
        return self.features(X).T @ cotangent


@pytest.mark.parametrize("criterion", ["auc", "power:3", "logloss", "push:2", "partial-auc:0.3"])
def test_a_model_of_ones_own_trains(criterion):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((600, 2)) * 2
    y = np.linalg.norm(X, axis=1) + 0.5 * rng.standard_normal(600) < 2  # a disk: no line ranks it
    ranker = CriterionRanker(Distances(), criterion, alpha=1e-4).fit(X[:400], y[:400])
    assert metrics.auc(y[400:], ranker.decision_function(X[400:])) > 0.93
    assert metrics.auc(y[400:], LinearRanker().fit(X[:400], y[:400]).decision_function(X[400:])) < 0.65
    assert ranker.class_dimension_ == (9 if criterion == "logloss" else 8)


def test_with_log_loss_it_is_logistic_regression():
    X, y = LocationModel(0.5, dimension=3).sample(60, 240, rng=0)
    weight = np.random.default_rng(0).integers(0, 3, 300)
    theirs = LogisticRegression(C=1 / (0.02 * weight.sum()), tol=1e-10).fit(X, y, weight)
    ours = CriterionRanker(criterion="logloss", alpha=0.02).fit(X, y, weight)
    np.testing.assert_allclose(ours.theta_, [*theirs.coef_[0], theirs.intercept_[0]], atol=1e-4)


class Squares(LinearModel):
    """Linear in the squares of the columns, which no intercept shifts."""

    def features(self, X):
        return X**2

    def scores(self, X, theta):
        return self.features(X) @ theta

    def vjp(self, X, theta, cotangent):
        return self.features(X).T @ cotangent


def test_rows_are_centered_for_a_linear_model_alone_and_by_weight():
    X, y = LocationModel(0.5, dimension=3).sample(60, 240, rng=0)
    plain = CriterionRanker(criterion="logloss", alpha=0.02).fit((X + 2) ** 2, y)
    ours = CriterionRanker(Squares(), "logloss", alpha=0.02).fit(X + 2, y)
    np.testing.assert_allclose(ours.theta_, plain.theta_, atol=1e-4)
    times = 1 + np.arange(300) % 3
    repeated = CriterionRanker(criterion="logloss").fit((X + 1e4).repeat(times, axis=0), y.repeat(times))
    weighted = CriterionRanker(criterion="logloss").fit(X + 1e4, y, times)
    np.testing.assert_allclose(weighted.path_, repeated.path_, rtol=1e-10)


def test_any_solver_climbs_and_reaches_the_same():
    X, y = LocationModel(0.3, dimension=3).sample(100, 150, rng=0)
    fits = [
        CriterionRanker(LinearModel(), PNormPush(2), solver, alpha=0.1).fit(X, y)
        for solver in (None, Newton(), CoordinateAscent(500))
    ]
    for fit in fits[1:]:
        np.testing.assert_allclose(fit.theta_, fits[0].theta_, rtol=1e-3)
    assert fits[0].path_[-1] > fits[0].path_[0]


def test_its_certificate_is_about_the_phi_it_was_trained_for():
    X, y = LocationModel(0.3, dimension=3).sample(100, 150, rng=0)
    ranker = CriterionRanker(criterion="power:3").fit(X, y)
    assert ranker._trained_phi() == Power(3)
