"""The p-norm risk of the population, limited by Theorem 3 of R09."""

import math
from functools import partial

import numpy as np
import pytest

from podium import bounds, inference, metrics
from podium.datasets import LocationModel
from podium.exceptions import InputError


def test_the_limit_is_the_risk_plus_the_deviation_at_which_the_tail_is_delta():
    model = LocationModel(0.3)
    X, y = model.sample(4_000, 6_000, 0)
    scores = model.optimal_scores(X)
    found = inference.push_risk_certificate(y, scores, 1, margin=0.1, confidence_level=0.9)
    assert found.risk == metrics.push_risk(y, scores, 1, margin=0.1, normalize=True)
    tail = bounds.push_log_tail(4_000, 6_000, found.epsilon, 1, method="sharp")
    assert tail == pytest.approx(math.log(0.1), abs=1e-9)
    assert found.bound == pytest.approx(found.risk + found.epsilon)
    assert found.bound > model.push_risk(1)


def test_the_population_is_above_the_limit_no_more_often_than_promised():
    model, rng = LocationModel(0.3, dimension=3), np.random.default_rng(1)
    truth = model.push_risk(1)
    missed = 0
    for _ in range(60):
        X, y = model.sample(400, 400, rng)
        missed += truth > inference.push_risk_certificate(y, model.optimal_scores(X), 1, confidence_level=0.5).bound
    assert missed <= 30


def test_a_class_needs_a_margin_and_costs_more_and_small_samples_say_nothing():
    X, y = LocationModel(0.3, dimension=2).sample(50_000, 50_000, 0)
    scores = X @ np.array([0.6, 0.8])
    covering = partial(bounds.log_covering_linear, dimension=2, weight_norm=1.0, feature_norm=6.0)
    fixed, learned = (
        inference.push_risk_certificate(y, scores, 1, margin=0.2, log_covering=c) for c in (None, covering)
    )
    assert fixed.bound < learned.bound < 1
    at = learned.epsilon
    tail = bounds.push_log_tail(50_000, 50_000, at, 1, log_covering=covering(at * 0.2 / 8), method="sharp")
    assert tail == pytest.approx(math.log(0.05), abs=1e-6)
    with pytest.raises(InputError, match="margin must be in"):
        inference.push_risk_certificate(y, scores, 1, log_covering=covering)
    few = inference.push_risk_certificate(y[49_990:50_010], scores[49_990:50_010], 4)
    assert few.bound == 1
    assert "vacuous" in repr(few)
