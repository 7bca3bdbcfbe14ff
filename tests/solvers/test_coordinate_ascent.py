import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from podium._types import Sample
from podium.criteria import BottomPush, PNormPush
from podium.criteria.base import CriterionLine, ExponentialLine
from podium.exceptions import InputError
from podium.solvers import CoordinateAscent, Newton
from podium.solvers.coordinate_ascent import top_of_line


def quadratic(theta):
    A = np.array([[3.0, 1.0, 0.0], [1.0, 2.0, 0.5], [0.0, 0.5, 1.0]])
    b = np.array([1.0, -2.0, 0.5])
    return float(b @ theta - theta @ A @ theta / 2), b - A @ theta


def test_it_finds_the_top_of_a_concave_function():
    solution = CoordinateAscent(n_rounds=500, tol=1e-10).maximize(quadratic, np.zeros(3))
    assert solution.converged
    np.testing.assert_allclose(quadratic(solution.theta)[1], 0, atol=1e-9)
    assert (np.diff(solution.path) >= -1e-14).all()
    assert solution.n_iter == len(solution.path) - 1


def test_the_first_round_goes_along_the_steepest_coordinate_to_the_top_of_its_line():
    solution = CoordinateAscent(n_rounds=1).maximize(quadratic, np.zeros(3))
    np.testing.assert_allclose(solution.theta, [0, -1, 0], atol=1e-9)  # |−2| is the largest derivative, −2/2 the top


def test_a_learning_rate_takes_a_part_of_each_step():
    solution = CoordinateAscent(n_rounds=1, learning_rate=0.25).maximize(quadratic, np.zeros(3))
    np.testing.assert_allclose(solution.theta, [0, -0.25, 0], atol=1e-9)


def test_a_function_that_rises_for_ever_ends_with_a_finite_point_and_a_sentence():
    def rising(theta):
        return float(theta[0] - np.logaddexp(0, -theta[0])), np.array([1 + 1 / (1 + np.exp(theta[0]))])

    with pytest.warns(ConvergenceWarning, match="increases without bound along a line"):
        solution = CoordinateAscent().maximize(rising, np.zeros(1))
    assert np.isfinite(solution.theta).all()
    assert not solution.converged


class Plateau:
    """1 − e^(−step): rises towards a bound that it never reaches."""

    def derivatives(self, step):
        return float(np.exp(-step)), float(-np.exp(-step))


def test_a_line_towards_a_bound_ends_where_nothing_is_left_to_gain():
    step, bounded = top_of_line(Plateau(), 1.0)
    assert bounded
    assert 10 < step < 50


@pytest.mark.parametrize("p", [1, 4, 64])
@pytest.mark.parametrize("binary", [True, False])
def test_the_line_of_an_exponential_push_agrees_with_the_criterion_itself(p, binary):
    rng = np.random.default_rng(p)
    y = rng.random(50) < 0.4
    s = rng.standard_normal(50)
    h = rng.random(50)
    h = (h > 0.5) * 1.0 if binary else h
    criterion = PNormPush(p)
    weight = rng.integers(1, 4, 50).astype(float)
    value, gradient = criterion.value_and_gradient(s, y, weight)
    line = criterion.along(Sample(s, y, weight), value, gradient, h)
    assert isinstance(line, ExponentialLine)
    generic = CriterionLine(criterion, Sample(s, y, weight), h)
    for step in (-2.0, 0.0, 0.3, 700.0):  # e^(64 · 700) would overflow
        slope, _ = line.derivatives(step)
        assert slope == pytest.approx(generic.derivatives(step)[0], abs=1e-10)
        (v, g), (w, k) = line.at(step), generic.at(step)
        assert v == pytest.approx(w, rel=1e-12)
        np.testing.assert_allclose(g, k, rtol=1e-9, atol=1e-10)
    curvature = (line.derivatives(1e-5)[0] - line.derivatives(-1e-5)[0]) / 2e-5
    assert line.derivatives(0.0)[1] == pytest.approx(curvature, rel=1e-6)
    best, bounded = top_of_line(line, line.derivatives(0.0)[0])
    assert bounded
    assert line.derivatives(best)[0] == pytest.approx(0, abs=1e-9)
    if binary:
        assert line.exact_step() == pytest.approx(best, rel=1e-9)  # closed for every p, not for p = 1 only
    else:
        assert line.exact_step() is None


def test_other_criteria_along_a_line_are_searched_by_their_slope():
    rng = np.random.default_rng(0)
    y, s, h = rng.random(50) < 0.4, rng.standard_normal(50), rng.random(50)
    for criterion in (PNormPush(4, "hinge"), PNormPush(4, "logistic"), PNormPush(2) + BottomPush(2)):
        value, gradient = criterion.value_and_gradient(s, y)
        line = criterion.along(Sample(s, y), value, gradient, h)
        best, bounded = top_of_line(line, float(gradient @ h))
        assert bounded
        top, _ = line.at(best)
        for near in (-1e-3, 1e-3):
            assert line.at(best + near)[0] < top


def test_newton_needs_a_curvature():
    with pytest.raises(TypeError, match="curvature"):
        Newton().maximize(quadratic, np.zeros(3))


@pytest.mark.parametrize("arguments", [{"n_rounds": 0}, {"learning_rate": 0.0}, {"learning_rate": 1.5}, {"tol": -1}])
def test_unusable_parameters_are_refused(arguments):
    with pytest.raises(InputError):
        CoordinateAscent(**arguments)
