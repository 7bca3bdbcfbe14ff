"""Calibration pools the scores of models that share no scale: units and origins of columns and scores do not matter."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss

from contracts import rankers as contract
from podium import CriterionRanker, GradientBoostedRanker, LinearRanker, QuadraticRanker, StackedRanker
from podium.rankers.calibration.left_out import LeftOutScores

CASES = [pytest.param(case.make, id=case.name) for case in contract.cases()]
CASES.append(pytest.param(lambda: GradientBoostedRanker(backend="xgboost", n_estimators=20), id="XGBoost"))
METHODS = pytest.mark.parametrize("method", ["platt", "isotonic"])


def table(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    return X, rng.random(n) < 1 / (1 + np.exp(1 - 1.5 * X[:, 0] + X[:, 1]))


UNITS, ORIGIN = np.array([1, 1e-3, 1e3]), np.array([1e6, 2000, -100])
X, Y = table(200, 0)
X_NEW, Y_NEW = table(2000, 1)


def calibrated(ranker, X, method):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return clone(ranker).set_params(calibrate=method).fit(X, Y)


def suited(make):
    """The ranker, the units of its columns, and where these lie at first."""
    ranker = make()
    match type(ranker).__name__:
        case "StackedRanker":  # with members that do not mind units themselves
            return clone(ranker).set_params(estimators=[LinearRanker(), QuadraticRanker()]), UNITS, 0
        case "CriterionRanker":  # does nothing to columns: a solver finds no way where all have other units
            return ranker, np.array([1, 1, 1e3]), 0
        case "GradientBoostedRanker" if ranker.backend == "lightgbm":  # has bins of their own on either side of zero
            return ranker, UNITS, 5
    return ranker, UNITS, 0


@METHODS
@pytest.mark.parametrize("make", CASES)
def test_units_and_origins_of_columns_do_not_matter(make, method):
    ranker, unit, first = suited(make)
    origin = unit * first + ORIGIN
    moved = calibrated(ranker, unit * X + origin, method)
    found = moved.predict_proba(unit * X_NEW + origin)
    centered = log_loss(Y_NEW, calibrated(ranker, X + first, method).predict_proba(X_NEW + first))
    assert log_loss(Y_NEW, found) == pytest.approx(centered, rel=0.01)
    assert centered < 0.9 * log_loss(Y_NEW, np.full(len(Y_NEW), Y.mean()))
    order = np.argsort(moved.decision_function(unit * X_NEW + origin))
    assert (np.diff(found[order, 1]) >= 0).all()


class Wandering(LinearRanker):
    """A ranker whose every fit has a unit and an origin of its own."""

    def _scores(self, X):
        a, b = 1e3 * self.coef_[:2] % 7
        return (1 + a) * super()._scores(X) + 50 * b


@METHODS
def test_units_and_origins_of_scores_do_not_matter(method):
    found, still = (calibrated(ranker, X, method) for ranker in (Wandering(), LinearRanker()))
    np.testing.assert_allclose(found.predict_proba(X_NEW), still.predict_proba(X_NEW), atol=1e-6)


@pytest.mark.parametrize("origin", [1e6, -1e9])
def test_a_quadratic_scores_alike_far_from_zero(origin):
    near, far = (QuadraticRanker().fit(X + shift, Y).decision_function(X_NEW + shift) for shift in (0, origin))
    np.testing.assert_allclose(far, near, atol=1e-10 * abs(origin) * np.ptp(near))


def test_folds_of_a_stack_share_an_origin():
    origin = np.array([0, 0, 1e4])
    stacks = [StackedRanker([LinearRanker()], random_state=0).fit(X + shift, Y) for shift in (0, origin)]
    np.testing.assert_allclose(stacks[0].oof_scores_, stacks[1].oof_scores_, atol=1e-6)
    # Two percent of positives: where each fold has its cut is chance.
    rare = np.arange(len(Y)) * Y % 17 == 5
    within = StackedRanker([LinearRanker()], random_state=0).fit(X, rare)
    for fitted in within._models[0]:
        scores = fitted.decision_function(X)
        assert abs(scores.mean()) < 0.3 * scores.std()


@pytest.mark.parametrize("unit", [1e-3, 1, 1e3])
def test_a_criterion_with_an_intercept_finds_it_anywhere(unit):
    origin = np.array([1e6, 0, -100])
    near, far = (CriterionRanker(criterion="logloss").fit(unit * X + at, Y) for at in (0, unit * origin))
    expected = near.decision_function(unit * X_NEW)
    np.testing.assert_allclose(far.decision_function(unit * (X_NEW + origin)), expected, atol=1e-4)


def test_an_order_lost_between_folds_is_said():
    rng = np.random.default_rng(0)
    fold, y = np.arange(400) % 5, rng.random(400) < 0.4
    scores = y + rng.standard_normal(400)
    left_out = LeftOutScores(scores, fold)
    left_out.warn_if_order_is_lost(scores, y, None)  # warnings are errors here
    for weight in (None, rng.integers(1, 4, 400).astype(float)):
        with pytest.warns(UserWarning, match=r"worse than the scores do: .* 0\.5\d\d by probability, and 0\.7"):
            left_out.warn_if_order_is_lost(scores + 100 * fold, y, weight)
