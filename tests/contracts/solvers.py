"""What every solver keeps."""

from __future__ import annotations

import warnings
from dataclasses import fields, replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, log_expit
from sklearn.exceptions import ConvergenceWarning

from podium import solvers as package
from podium.solvers import Solver
from registry import Case
from registry import cases as found

EXAMPLES = {"GradientAscent": [lambda cls: cls(), lambda cls: cls(n_steps=2000, step_size=0.3, tol=1e-9)]}
LIMITS = ("max_iter", "n_steps", "n_rounds")


def cases() -> list[Case]:
    return found(package, Solver, EXAMPLES)


class _Quadratic:
    """A concave quadratic, its axes not those of the coordinates."""

    matrix = np.array([[3.0, 1.0, 0.0], [1.0, 2.0, 0.5], [0.0, 0.5, 1.0]])
    slope = np.array([1.0, -2.0, 0.5])

    def __call__(self, theta):
        return float(self.slope @ theta - theta @ self.matrix @ theta / 2), self.slope - self.matrix @ theta

    def curvature(self, theta):
        return self.matrix


class _Likelihood:
    """The log-likelihood of a logistic regression that has a maximum, per row."""

    def __init__(self):
        rng = np.random.default_rng(0)
        self.X = 3 * rng.standard_normal((60, 3))
        self.sign = np.where(rng.random(60) < expit(self.X @ [0.3, -0.2, 0.1]), 1.0, -1.0)

    def __call__(self, theta):
        margins = self.sign * (self.X @ theta)
        return float(log_expit(margins).mean()), self.X.T @ (self.sign * expit(-margins)) / len(self.sign)

    def curvature(self, theta):
        p = expit(self.X @ theta)
        return (self.X.T * (p * (1 - p))) @ self.X / len(self.sign)


OBJECTIVES = (_Quadratic(), _Likelihood())
START = np.zeros(3)


def _solved(solver, objective, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return solver.maximize(objective, START, **options)


def it_climbs_and_reports_where_it_arrived(solver):
    for objective in OBJECTIVES:
        solution = _solved(solver, objective)
        assert solution.value > objective(START)[0]
        assert solution.value == pytest.approx(objective(solution.theta)[0], rel=1e-12)
        assert len(solution.path) == solution.n_iter + 1
        assert solution.path[[0, -1]] == pytest.approx([objective(START)[0], solution.value], rel=1e-12)
    assert not START.any()  # it was not written to


def it_reaches_the_maximum(solver):
    for objective in OBJECTIVES:
        best = -minimize(lambda theta, f=objective: -f(theta)[0], START, tol=1e-12).fun
        solution = _solved(solver, objective)
        assert best - solution.value < 0.01 * (best - objective(START)[0])
        if solution.converged:
            np.testing.assert_allclose(objective(solution.theta)[1], 0, atol=1e-4)


def one_that_stops_early_does_not_say_that_it_converged(solver):
    limit = [field.name for field in fields(solver) if field.name in LIMITS]
    assert limit, f"{type(solver).__name__} needs a limit of its steps, called max_iter."
    for objective in OBJECTIVES:
        solution = _solved(replace(solver, **{limit[0]: 1}), objective)
        assert solution.n_iter == 1
        assert not solution.converged
        assert "not converged" in repr(solution)


def it_calls_back_after_every_step(solver):
    steps = []
    solution = _solved(solver, _Quadratic(), callback=lambda step, value: steps.append(step))
    assert steps == list(range(1, solution.n_iter + 1))


def an_interrupt_keeps_the_best_point_so_far(solver):
    calls = []

    class Interrupted(_Quadratic):
        def __call__(self, theta):
            if len(calls) == 2:
                raise KeyboardInterrupt
            calls.append((super().__call__(theta)[0], theta.copy()))
            return super().__call__(theta)

    with pytest.warns(ConvergenceWarning, match="Interrupted"):
        solution = solver.maximize(Interrupted(), START)
    best = max(calls, key=lambda call: call[0])
    assert solution.value == best[0]
    np.testing.assert_array_equal(solution.theta, best[1])
    assert not solution.converged
