"""Where a function rises for ever, and where it only seems to."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from podium.solvers import Lbfgs


def test_a_function_without_maximum_ends_with_a_finite_point_and_a_sentence():
    def plane(theta):
        return float(theta @ [2.0, -1.0]), np.array([2.0, -1.0])

    with pytest.warns(ConvergenceWarning, match="increases without bound along a line"):
        solution = Lbfgs().maximize(plane, np.zeros(2))
    assert not solution.converged
    assert solution.n_iter <= 5
    assert np.isfinite(solution.theta).all()


def slowly_bending(theta):
    """Its slope falls by a fifth when the way doubles; the top is at 0.1^(−1/0.3) = 2154.4."""
    x = theta[0]
    return float(x**0.7 / 0.7 - 0.1 * x), np.array([x**-0.3 - 0.1])


def even_for_long(theta):
    """Its slope is one until shortly before the top at 1.3e12, which is many of the solver's longest steps away."""
    z = (theta[0] - 1.3e12) / 1e10
    return float(-1e10 * np.logaddexp(z, -z)), np.array([-np.tanh(z)])


@pytest.mark.parametrize(
    ("hill", "start", "top"), [(slowly_bending, 1.0, 0.1 ** (-1 / 0.3)), (even_for_long, 1e12, 1.3e12)]
)
def test_a_maximum_far_away_is_reached_without_complaint(hill, start, top):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solution = Lbfgs(tol=1e-8).maximize(hill, np.array([start]))
    assert solution.theta[0] == pytest.approx(top, rel=1e-6)
    assert solution.converged
