"""The common scale of members' scores."""

import numpy as np
import pytest

from podium.rankers.stack.weights import NormalScale, PlattScale


def test_the_normal_scale_makes_negatives_normal_and_still_rises_beyond_what_it_knows():
    known = np.random.default_rng(0).exponential(size=501)
    positives = np.full(200, known.mean())  # of no influence
    is_positive = np.arange(701) >= 501
    scale = NormalScale.fit(np.concatenate([known, positives]), is_positive, None)
    assert np.median(scale(known)) == pytest.approx(0, abs=1e-12)
    assert scale(known).std() == pytest.approx(1, abs=0.02)
    beyond = scale(known.max() + np.array([0, 1e-3, 1, 10]))
    assert (np.diff(beyond) > 0).all()
    assert np.ptp(beyond) <= 1


def test_the_normal_scale_of_many_scores_keeps_the_order_at_the_top():
    known = np.random.default_rng(0).standard_normal(50_000)
    top = np.sort(known)[-50:]
    assert (np.diff(NormalScale.fit(known, known > np.inf, None)(top)) > 0).all()


def test_the_platt_scale_is_log_odds():
    rng = np.random.default_rng(0)
    s = rng.standard_normal(20_000) * 3
    y = rng.random(20_000) < 1 / (1 + np.exp(-(2 * s - 1)))
    assert PlattScale.fit(s, y, None)(np.array([0.0, 1.0])) == pytest.approx([-1, 1], abs=0.1)
