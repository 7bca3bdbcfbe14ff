import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from podium._fast.chances import line_of_chances
from podium.labels.chances import firth


@pytest.mark.parametrize("seed", range(6))
def test_a_line_of_chances_is_firths_regression_on_one_predictor(seed):
    rng = np.random.default_rng(seed)
    x, known = rng.normal(size=60), rng.integers(1, 4, 60).astype(float)
    positives = np.floor(known * rng.random(60) * (x > seed / 2 - 1))
    wanted = firth(np.column_stack([np.ones(60), x]), positives, known)[0]
    assert line_of_chances(x, positives, known) == pytest.approx(tuple(wanted), abs=1e-5)


def test_classes_that_are_apart_have_a_finite_slope_and_many_rows_that_of_maximum_likelihood():
    x = np.linspace(-1, 1, 40)
    level, slope = line_of_chances(x, (x > 0).astype(float), np.ones(40))
    assert 5 < slope < 100
    assert abs(level) < 1e-6
    rng = np.random.default_rng(0)
    x = rng.normal(size=30_000)
    y = rng.random(30_000) < 1 / (1 + np.exp(1 - x))
    fitted = LogisticRegression(C=np.inf).fit(x[:, None], y)
    found = line_of_chances(x, y.astype(float), np.ones(30_000))
    assert found == pytest.approx((fitted.intercept_[0], fitted.coef_[0, 0]), abs=2e-3)
