import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from podium.exceptions import InputError
from podium.solvers import GradientAscent, Lbfgs

CENTER = np.array([1.0, -2.0, 0.5])
CURVATURE = np.array([1.0, 3.0, 0.2])


def hill(theta):
    away = theta - CENTER
    return -float(CURVATURE @ away**2) / 2, -CURVATURE * away


def test_gradient_ascent_takes_the_printed_steps():
    # θ(t+1) = θ(t) + η∇f on a quadratic hill: each coordinate shrinks by 1 − ηc
    solution = GradientAscent(n_steps=7, step_size=0.1).maximize(hill, np.zeros(3))
    np.testing.assert_allclose(solution.theta, CENTER * (1 - (1 - 0.1 * CURVATURE) ** 7))
    assert solution.n_iter == 7
    assert len(solution.path) == 8
    assert solution.path[-1] == solution.value == hill(solution.theta)[0]


def test_the_step_is_one_over_the_root_of_the_number_of_steps_by_default():
    solution = GradientAscent(n_steps=4).maximize(hill, np.zeros(3))
    np.testing.assert_allclose(solution.theta, CENTER * (1 - (1 - 0.5 * CURVATURE) ** 4))


def test_gradient_ascent_stops_at_its_tolerance_or_says_it_did_not():
    solution = GradientAscent(n_steps=1000, step_size=0.3, tol=1e-6).maximize(hill, np.zeros(3))
    assert solution.converged
    assert solution.n_iter < 1000
    with pytest.warns(ConvergenceWarning, match="stopped after 3 steps"):
        assert not GradientAscent(3, 0.1, tol=1e-6).maximize(hill, np.zeros(3)).converged


def test_lbfgs_finds_the_top_and_records_a_rising_path():
    steps = []
    solution = Lbfgs(tol=1e-8).maximize(hill, np.zeros(3), callback=lambda step, value: steps.append((step, value)))
    np.testing.assert_allclose(solution.theta, CENTER, atol=1e-7)
    assert solution.converged
    assert (np.diff(solution.path) >= 0).all()
    assert [s for s, _ in steps] == list(range(1, solution.n_iter + 1))


def rosenbrock(theta):
    x, y = theta
    return -((1 - x) ** 2 + 100 * (y - x * x) ** 2), np.array([2 * (1 - x) + 400 * x * (y - x * x), -200 * (y - x * x)])


def test_lbfgs_warns_when_it_runs_out_of_steps():
    with pytest.warns(ConvergenceWarning, match="L-BFGS stopped after 3 steps without convergence"):
        solution = Lbfgs(max_iter=3, tol=1e-8).maximize(rosenbrock, np.array([-1.2, 1.0]))
    assert not solution.converged
    assert "not converged after 3 steps" in repr(solution)


def test_a_start_at_the_top_is_converged_at_once():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Lbfgs().maximize(hill, CENTER).n_iter == 0


@pytest.mark.parametrize("make", [lambda: GradientAscent(0), lambda: GradientAscent(step_size=0), lambda: Lbfgs(tol=0)])
def test_bad_settings_are_refused(make):
    with pytest.raises(InputError, match="must be"):
        make()
