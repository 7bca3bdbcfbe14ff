"""The ascent of the authors' script, against its steps written out by double loop."""

import numpy as np
import pytest
from scipy.stats import norm

from podium.experiments.clv21 import script


def step_by_double_loop(X, is_positive, slope_of, theta):
    """The gradient with its factor 2, and the step (1/√n)·g/√‖g‖."""
    n_total, h = len(X), len(X) ** -0.2
    scores = [x @ theta if theta.ndim == 1 else x @ theta @ x for x in X]
    parts = [x if theta.ndim == 1 else np.outer(x, x) for x in X]
    gradient = np.zeros_like(theta)
    for i in np.flatnonzero(is_positive):
        u = np.mean([norm.cdf((scores[i] - s) / h) for s in scores])
        inner = sum(2 * norm.pdf((scores[i] - s) / h) * (parts[i] - p) for s, p in zip(scores, parts, strict=True))
        gradient = gradient + slope_of(u) * inner / (n_total * h)
    return gradient / np.sqrt(np.linalg.norm(gradient) * is_positive.sum())


def rtb_slope(u, n_total=24, u0=0.9):
    s = 1 / (1 + np.exp(-100 * (u - u0)))
    return 0.01 + u0 * 100 / (n_total + 1) * s * (1 - s)


@pytest.mark.parametrize("linear", [True, False])
@pytest.mark.parametrize(("phi", "slope"), [("power:3", lambda u: 3 * u**2), ("smooth-top:0.9", rtb_slope)])
def test_the_first_step_is_that_of_the_script(linear, phi, slope):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((24, 3)), np.arange(24) < 10
    start = script.start_of(linear, 3, rng)
    theta, path = script.ascend(X, y, phi, start, 2)
    expected = start / np.linalg.norm(start)
    np.testing.assert_allclose(theta, expected + step_by_double_loop(X, y, slope, expected), rtol=1e-10)
    assert len(path) == 1


def test_a_matrix_steps_if_an_odd_number_of_products_is_not_negative():
    # In the published code ``True & count`` is the last bit of the count, so that about half of the steps are left out.
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((24, 3)), np.arange(24) < 10
    start = script.start_of(False, 3, rng)
    theta, last, steps = start / np.linalg.norm(start), np.zeros((3, 3)), []
    for n_steps in range(1, 9):
        ahead = step_by_double_loop(X, y, np.ones_like, theta)
        count = sum(ahead[i] @ last[:, j] >= 0 for i in range(3) for j in range(3))
        last = ahead if count in (1, 3, 5, 7, 9) else np.zeros((3, 3))
        theta = theta + last
        steps.append(bool(last.any()))
        _, path = script.ascend(X, y, "mww", start, n_steps + 2)
        scores = np.einsum("ij,jk,ik->i", X, theta, X)
        expected = np.mean([np.sum(scores <= s) / 25 for s in scores[y]])
        assert path[-1] == pytest.approx(expected, rel=1e-12)
    assert steps[0]
    assert not all(steps)


def test_the_iterate_after_the_best_one_is_returned():
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((40, 3)), np.arange(40) < 20
    X[y, 0] += 0.3
    start = script.start_of(True, 3, rng)
    theta, path = script.ascend(X, y, "mww", start, 40)
    best = int(np.argmax(path))
    again, _ = script.ascend(X, y, "mww", start, best + 2)
    assert best < len(path) - 1
    np.testing.assert_array_equal(theta, again)
