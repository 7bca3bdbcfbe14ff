import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression

from podium.exceptions import DegenerateSampleError, InputError
from podium.inference import calibration


def rows(n=80, intercept=0.4, slope=0.7, seed=0):
    rng = np.random.default_rng(seed)
    x = -0.5 + 1.2 * rng.standard_normal(n)
    return rng.random(n) < expit(intercept + slope * x), expit(x)


def penalized(y, p, alpha, beta):
    """Log-likelihood with Firth's penalty, row by row; of the intercept alone if the slope is None."""
    x, total, information = logit(p), 0.0, np.zeros((2, 2))
    for label, at in zip(y, x, strict=True):
        chance = expit(alpha + (1 if beta is None else beta) * at)
        total += np.log(chance if label else 1 - chance)
        information += chance * (1 - chance) * np.outer([1, at], [1, at])
    return total + np.log(information[0, 0] if beta is None else np.linalg.det(information)) / 2


@pytest.mark.parametrize("seed", [0, 1])
def test_intercept_and_slope_maximize_the_penalized_likelihood_and_limits_are_where_it_has_fallen(seed):
    y, p = rows(seed=seed)
    found = calibration(y, p, confidence_level=0.9)
    drop = 1.6448536269514722**2 / 2

    def profile(beta):
        return -minimize(lambda a: -penalized(y, p, a[0], beta), [0.0], method="Nelder-Mead", tol=1e-10).fun

    best = penalized(y, p, found.intercept, None)
    assert best >= max(penalized(y, p, found.intercept + step, None) for step in (-1e-3, 1e-3))
    for limit in (found.intercept_low, found.intercept_high):
        assert penalized(y, p, limit, None) == pytest.approx(best - drop, abs=1e-6)
    best = profile(found.slope)
    assert best >= max(profile(found.slope + step) for step in (-1e-2, 1e-2))
    for limit in (found.slope_low, found.slope_high):
        assert profile(limit) == pytest.approx(best - drop, abs=1e-6)
    assert (found.observed, found.expected) == (y.sum(), pytest.approx(p.sum()))


def test_of_many_rows_the_slope_is_that_of_logistic_regression():
    y, p = rows(60_000)
    fitted = LogisticRegression(C=np.inf).fit(logit(p)[:, None], y)
    assert calibration(y, p).slope == pytest.approx(fitted.coef_[0, 0], abs=2e-3)


def test_probabilities_that_separate_the_classes_have_a_finite_slope_and_no_upper_limit_that_is_made_up():
    y = np.arange(40) >= 25
    found = calibration(y, np.linspace(0.01, 0.99, 40))
    assert found.slope_low > 1
    assert np.isfinite(found.slope)
    assert found.slope_high > found.slope


@pytest.mark.parametrize(
    ("y", "p", "error", "words"),
    [
        ([0, 1, 1], [0.2, 0.5, 1.2], InputError, "probabilities"),
        ([0, 1, 1], [0.4, 0.4, 0.4], DegenerateSampleError, "differ"),
    ],
)
def test_what_is_no_probability_gets_a_sentence(y, p, error, words):
    with pytest.raises(error, match=words):
        calibration(y, p)


def test_probabilities_that_are_nearly_the_same_have_wide_limits_of_their_slope():
    rng = np.random.default_rng(2)
    p = 0.2 + 0.01 * rng.random(300)
    found = calibration(rng.random(300) < p, p)
    assert found.slope_low < found.slope < found.slope_high
    assert found.slope_high - found.slope_low > 20
    assert np.isfinite([found.intercept_low, found.intercept_high]).all()
