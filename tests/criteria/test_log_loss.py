"""The log-likelihood against scikit-learn's, and where sums of costs would overflow against fractions."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.special import expit
from sklearn.metrics import log_loss

from podium.criteria import LogLoss


@pytest.mark.parametrize("weighted", [False, True])
def test_it_is_minus_the_log_loss(weighted):
    rng = np.random.default_rng(0)
    scores, y = rng.normal(size=200), rng.random(200) < 0.3
    weight = rng.exponential(size=200) if weighted else None
    value, _ = LogLoss().value_and_gradient(scores, y, weight)
    assert value == pytest.approx(-log_loss(y, expit(scores), sample_weight=weight), rel=1e-13)


@pytest.mark.parametrize("weight", [None, [1e74, 1e-74, 1.0, 1e74]])
def test_costs_near_the_largest_number_do_not_overflow(weight):
    scores, y = np.array([1.7e308, 1.6e308, -1.5e308, -1.7e308]), np.array([False, False, True, True])
    value, _ = LogLoss().value_and_gradient(scores, y, weight)
    weights = [Fraction(each) for each in (weight or [1.0] * 4)]
    exact = sum(Fraction(abs(s)) * w for s, w in zip(scores, weights, strict=True)) / sum(weights)
    assert value == pytest.approx(-float(exact), rel=1e-15)
