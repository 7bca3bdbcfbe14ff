"""A test of the tests: something exported that breaks its contract is found, though no test names it."""

from dataclasses import dataclass

import numpy as np
import pytest

import podium
from contracts import bounds, contracts_of, criteria, displays, kernels, models, phi, rankers, solvers
from podium import _input
from podium._types import Sample
from podium.criteria import LogLoss
from podium.kernels import Gaussian
from podium.models import LinearModel
from podium.phi import Mww
from podium.plots import RocDisplay
from podium.rankers import LinearRanker
from podium.solvers import Lbfgs, Solution, Solver


class DecreasingPhi(Mww):
    def value(self, u):
        return -super().value(u)


class KernelOfMassTwo(Gaussian):
    def density(self, t):
        return 2 * super().density(t)


class CriterionWithReversedGradient(LogLoss):
    def evaluate(self, rows):
        value, gradient = super().evaluate(rows)
        return value, -gradient


class CriterionThatDeclaresTooMuch(LogLoss):
    is_scale_free = True


class CriterionThatIgnoresWeights(LogLoss):
    def evaluate(self, rows):
        return super().evaluate(Sample(rows.scores, rows.is_positive))


class ModelWithoutAdjoint(LinearModel):
    def vjp(self, X, theta, cotangent):
        return 0 * theta


@dataclass(frozen=True)
class SolverThatStays(Solver):
    max_iter: int = 1

    def maximize(self, objective, start, callback=None):
        value, _ = objective(start)
        return Solution(theta=start, value=value, n_iter=0, converged=True, path=np.array([value]))


class SolverThatIsAlwaysSure(Lbfgs):
    def maximize(self, objective, start, callback=None):
        solution = super().maximize(objective, start, callback)
        object.__setattr__(solution, "converged", True)
        return solution


class RankerThatIgnoresWeights(LinearRanker):
    def fit(self, X, y, sample_weight=None):
        return super().fit(X, y)


def growing_deviation(n_pos, n_neg, *, confidence_level=0.95):
    return np.sqrt(n_pos + n_neg) / (1 - confidence_level)


def deviation_of_an_unknown(n_pos, n_neg, temperature):
    return 1 / n_pos


class DisplayThatComputes(RocDisplay):
    def plot(self, ax=None, *, title=None):
        _input.check_scores([1, 2])
        return super().plot(ax, title=title)


class DisplayThatCannotBeMade:
    def __init__(self, arrays):
        self.arrays = arrays


@pytest.mark.parametrize(
    ("kind", "package", "wrong", "broken"),
    [
        (phi, "phi", DecreasingPhi, "it_never_decreases"),
        (kernels, "kernels", KernelOfMassTwo, "it_integrates_to_one"),
        (criteria, "criteria", CriterionWithReversedGradient, "its_gradient_is_the_slope_of_its_value"),
        (criteria, "criteria", CriterionThatDeclaresTooMuch, "what_it_declares_of_scale_and_intercept_holds"),
        (criteria, "criteria", CriterionThatIgnoresWeights, "a_weight_is_a_number_of_equal_rows"),
        (models, "models", ModelWithoutAdjoint, "its_vjp_is_the_adjoint_of_the_derivative_of_the_scores"),
        (solvers, "solvers", SolverThatStays, "it_climbs_and_reports_where_it_arrived"),
        (solvers, "solvers", SolverThatIsAlwaysSure, "one_that_stops_early_does_not_say_that_it_converged"),
        (rankers, "rankers", RankerThatIgnoresWeights, "weights_decide_whom_it_believes"),
        (bounds, "bounds", growing_deviation, "it_falls_as_the_sample_grows"),
        (bounds, "bounds", deviation_of_an_unknown, "it_falls_as_the_sample_grows"),
        (displays, "plots", DisplayThatCannotBeMade, "what_it_draws_was_computed_before"),
    ],
)
def test_what_breaks_its_contract_is_found_by_being_exported(monkeypatch, kind, package, wrong, broken):
    room = getattr(podium, package)
    known = {case.name for case in kind.cases()}
    monkeypatch.setattr(room, "__all__", [*room.__all__, wrong.__name__])
    monkeypatch.setattr(room, wrong.__name__, wrong, raising=False)
    (case,) = [case for case in kind.cases() if case.name not in known]
    assert broken in _failing(kind, case)


def _failing(kind, case):
    names = []
    for contract in contracts_of(kind):
        try:
            contract(case.make())
        except (AssertionError, pytest.fail.Exception):
            names.append(contract.__name__)
    return names


def test_a_class_that_cannot_be_made_gets_a_sentence(monkeypatch):
    monkeypatch.setattr(podium.plots, "__all__", ["DisplayThatCannotBeMade"])
    monkeypatch.setattr(podium.plots, "DisplayThatCannotBeMade", DisplayThatCannotBeMade, raising=False)
    (case,) = displays.cases()
    with pytest.raises(AssertionError, match=r"needs arrays. Give its parameters defaults, or an example"):
        case.make()


def test_a_bound_of_an_unknown_parameter_gets_a_sentence():
    with pytest.raises(AssertionError, match="no value of temperature is known"):
        bounds.it_falls_as_the_sample_grows(deviation_of_an_unknown)


def test_a_display_that_computes_is_caught():
    display = DisplayThatComputes.from_scores([0, 0, 1, 1], [1, 3, 2, 4])
    with pytest.raises(AssertionError):
        displays.what_it_draws_was_computed_before(display)
