"""The AUC against true negatives, from positives and unlabeled rows."""

import numpy as np
import pytest
from scipy.stats import norm

from podium.inference import interval, unmixed_interval
from podium.roc import RocCurve


def positives_and_unlabeled(rng, n_labeled, n_unlabeled, share):
    labeled = np.arange(n_labeled + n_unlabeled) < n_labeled
    is_positive = labeled | (rng.random(len(labeled)) < share)
    return labeled, rng.standard_normal(len(labeled)) + 1.5 * is_positive


def test_the_estimate_is_the_area_under_the_unmixed_curve():
    labeled, s = positives_and_unlabeled(np.random.default_rng(0), 500, 3000, 0.3)
    found = unmixed_interval(labeled, s, share=0.3)
    # The curve is cut to [0, 1] where rates fall outside, which moves its area a little.
    assert found.estimate == pytest.approx(RocCurve.from_scores(labeled, s).unmixed(0.3).auc(), abs=3e-3)
    plain = interval(labeled, s)
    assert unmixed_interval(labeled, s, share=0).low == plain.low
    assert found.low - 0.3 * found.low == pytest.approx(plain.low - 0.15)


def test_the_level_holds():
    rng, truth, held = np.random.default_rng(1), norm.cdf(1.5 / np.sqrt(2)), 0
    for _ in range(300):
        found = unmixed_interval(*positives_and_unlabeled(rng, 60, 300, 0.2), share=0.2)
        held += found.low <= truth <= found.high
    assert held / 300 > 0.95 - 3 * np.sqrt(0.05 * 0.95 / 300)


def test_a_share_that_the_list_contradicts_is_said_to_be_one():
    labeled = np.arange(100) < 50
    found = unmixed_interval(labeled, np.where(labeled, 1.0, 0.0) + np.arange(100) / 1000, share=0.3)
    assert found.estimate == 1
    assert "beyond what this share allows" in found.note
