import numpy as np
import pytest

from criteria import naive_smoothed
from podium import metrics
from podium._types import Sample
from podium.criteria import PNormPush, SmoothPartialAuc
from samples import weighted_rows


@pytest.mark.parametrize("relative", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_the_smooth_partial_auc_equals_its_definition(weighted, relative):
    s, y, w = weighted_rows(60)
    w = w if weighted else None
    for max_fpr in (0.1, 0.4, 1.0):
        value, _ = SmoothPartialAuc(max_fpr, 0.2, relative, tol=1e-12).value_and_gradient(3 * s, y, w)
        assert value == pytest.approx(naive_smoothed.smooth_partial_auc(y, 3 * s, max_fpr, 0.2, w, relative), rel=1e-10)


def test_a_bandwidth_of_its_own_is_that_relative_to_the_spread_at_the_same_scores():
    s, y, _ = weighted_rows(60)
    relative = SmoothPartialAuc(0.4, 0.2)
    own = SmoothPartialAuc(0.4, 0.2 * s.std(), relative=False)
    assert own.value_and_gradient(s, y)[0] == pytest.approx(relative.value_and_gradient(s, y)[0], rel=1e-6)
    assert (own.is_scale_free, relative.is_scale_free) == (False, True)
    assert own.relative_bandwidth(Sample(s, y, None)) == pytest.approx(0.2)


def test_the_smooth_partial_auc_tends_to_the_partial_auc_as_the_bandwidth_vanishes():
    s, y, _ = weighted_rows(200)
    # with a whole number of negatives among the worst share, no positive is cut in part
    max_fpr = 9 / (~y).sum()
    value, _ = SmoothPartialAuc(max_fpr, 1e-7).value_and_gradient(s, y)
    assert value == pytest.approx(metrics.partial_auc(y, s, max_fpr=max_fpr), abs=1e-9)


def test_the_smooth_partial_auc_is_bounded_where_the_exponential_push_is_not():
    s, y, _ = weighted_rows(200)
    wrong = np.flatnonzero(~y)[0]
    far = np.where(np.arange(200) == wrong, 50.0, s)
    value, _ = SmoothPartialAuc(0.5).value_and_gradient(s, y)
    moved, _ = SmoothPartialAuc(0.5, 0.1 * s.std() / far.std()).value_and_gradient(far, y)  # the same h
    assert abs(moved - value) < 1 / (0.5 * (~y).sum()) + 1e-6
    _, gradient = PNormPush(4).value_and_gradient(far, y)
    assert gradient[wrong] < -0.99  # all of the push goes into one negative


def test_equal_scores_give_no_direction_to_a_criterion_that_ignores_scale():
    value, gradient = SmoothPartialAuc(1.0).value_and_gradient([0.3] * 4, [True, False, True, False])
    assert value == pytest.approx(0.5)
    assert not gradient.any()
