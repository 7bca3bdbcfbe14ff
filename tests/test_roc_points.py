import numpy as np
import pytest
from hypothesis import given
from scipy.stats import beta, norm
from sklearn.metrics import confusion_matrix

from inference.asah import NDKA, POOR, S100B, WFNS
from podium.exceptions import InputError
from podium.inference import roc_band
from podium.roc import RocCurve, points
from samples import labeled_scores


def clopper_pearson(k, n, level):
    tail = (1 - level) / 2
    low = beta.ppf(tail, k, n - k + 1) if k else 0.0
    return low, beta.isf(tail, k + 1, n - k) if k < n else 1.0


# R: coords(s, "best", ret=c("threshold", "specificity", "sensitivity", "ppv", "npv"), best.method=, best.weights=)
AT_S100B = (0.205, 0.805555555556, 0.634146341463, 0.65, 0.794520547945)


def rates(point):
    return tuple(rate.estimate for rate in (point.specificity, point.sensitivity, point.ppv, point.npv))


@pytest.mark.parametrize(
    ("scores", "by", "wanted"),
    [
        (S100B, "youden", AT_S100B),
        (S100B, "closest", AT_S100B),
        (WFNS, "youden", (3.5, 0.833333333333, 0.634146341463, 0.684210526316, 0.8)),
        (NDKA, "youden", (11.08, 0.513888888889, 0.707317073171, 0.453125, 0.755102040816)),
    ],
)
def test_best_points_are_those_of_proc(scores, by, wanted):
    best = points(POOR, scores).best(by, n_resamples=20, rng=0)
    assert (best.threshold, *rates(best)) == pytest.approx(wanted, rel=1e-10)


def test_rates_at_a_threshold_are_those_of_proc():
    assert rates(points(POOR, S100B, thresholds=[0.205])[0]) == pytest.approx(AT_S100B[1:], rel=1e-10)


# coords(s, "best", best.weights=c(5, .1)): threshold 0.51, specificity 1, sensitivity 0.292682926829;
# with best.method="closest.topleft" 0.205.
def test_costs_and_prevalence_move_the_best_point_as_in_proc():
    found = points(POOR, S100B, prevalence=0.1)
    best = found.best(cost_ratio=5, n_resamples=20, rng=0)
    assert best.threshold == pytest.approx(0.51)
    assert rates(best)[:2] == pytest.approx((1, 0.292682926829))
    assert found.best("closest", cost_ratio=5, n_resamples=20, rng=0).threshold == pytest.approx(0.205)


def test_the_cost_weighted_best_has_the_least_expected_cost():
    found = points(POOR, S100B, prevalence=0.3)
    best = found.best(cost_ratio=4, n_resamples=2, rng=0)
    costs = [0.3 * 4 * (1 - p.sensitivity.estimate) + 0.7 * (1 - p.specificity.estimate) for p in found]
    mine = 0.3 * 4 * (1 - best.sensitivity.estimate) + 0.7 * (1 - best.specificity.estimate)
    assert mine == pytest.approx(min(costs))


@given(labeled_scores())
def test_counts_and_rates_are_those_of_the_confusion_matrix(sample):
    y, s = sample
    found = points(y, s, thresholds=[1])[0]
    (tn, fp), (fn, tp) = confusion_matrix(y, s >= 1)
    counts = found.true_negatives, found.false_positives, found.false_negatives, found.true_positives
    assert counts == (tn, fp, fn, tp)
    assert found.sensitivity == pytest.approx((tp / (tp + fn), *clopper_pearson(tp, tp + fn, 0.95)))
    assert found.specificity == pytest.approx((tn / (tn + fp), *clopper_pearson(tn, tn + fp, 0.95)))
    if tp + fp:
        assert found.ppv.estimate == pytest.approx(tp / (tp + fp))
    for rate in (found.sensitivity, found.specificity, found.youden):
        assert rate.low <= rate.estimate <= rate.high


@given(labeled_scores())
def test_all_points_are_those_of_the_curve_and_of_its_thresholds(sample):
    y, s = sample
    curve = RocCurve.from_scores(y, s)
    every = points(y, s)
    np.testing.assert_allclose(every.sensitivity.estimate, curve.tpr)
    np.testing.assert_allclose(1 - every.specificity.estimate, curve.fpr)
    again = curve.points(curve.thresholds[1:])
    np.testing.assert_array_equal(again.true_positives, every.true_positives[1:])
    np.testing.assert_array_equal(again.false_positives, every.false_positives[1:])
    assert (every.sensitivity.low[1:] <= again.sensitivity.low).all()  # at once is wider than each by itself


def test_limits_of_all_points_are_those_of_the_guaranteed_band():
    every = points(POOR, WFNS)
    band = roc_band(POOR, WFNS, method="ell")
    low, high = band.at(1 - every.specificity.estimate)
    assert (low <= every.sensitivity.estimate).all()
    assert (every.sensitivity.estimate <= high).all()
    # A corner of the band is the corner of a rectangle of limits.
    corners = np.column_stack([band.fpr, band.low])
    own = np.column_stack([1 - every.specificity.low, every.sensitivity.low])[1:-1]
    assert all(np.isclose(corners, corner).all(axis=1).any() for corner in own)


def test_predictive_values_are_those_of_a_population_with_the_prevalence():
    found = points(POOR, S100B, thresholds=[0.205], prevalence=0.02)[0]
    se, sp = found.sensitivity.estimate, found.specificity.estimate
    assert found.ppv.estimate == pytest.approx(0.02 * se / (0.02 * se + 0.98 * (1 - sp)))
    assert found.npv.estimate == pytest.approx(0.98 * sp / (0.98 * sp + 0.02 * (1 - se)))
    assert found.ppv.low < found.ppv.estimate < found.ppv.high


def test_rates_at_a_threshold_chosen_on_the_same_rows_are_covered():
    # What is covered: the true rates of the threshold that was chosen, both at once.
    rng, covered, naive = np.random.default_rng(0), 0, 0
    y = np.repeat([True, False], [40, 60])
    for _ in range(200):
        s = rng.standard_normal(100) + y
        found = points(y, s).best(n_resamples=2, rng=rng)
        true = norm.sf(found.threshold - 1), norm.cdf(found.threshold)
        chosen = found.sensitivity, found.specificity
        covered += all(rate.low <= t <= rate.high for rate, t in zip(chosen, true, strict=True))
        limits = [clopper_pearson(round(r.estimate * n), n, 0.95) for r, n in zip(chosen, (40, 60), strict=True)]
        naive += all(low <= t <= high for (low, high), t in zip(limits, true, strict=True))
    assert covered / 200 >= 0.95
    assert naive < covered


def test_the_best_threshold_is_between_its_limits_and_the_true_one_mostly_too():
    rng, covered = np.random.default_rng(1), 0
    y = np.repeat([True, False], 60)
    for _ in range(60):
        s = rng.standard_normal(120) + 1.5 * y
        found = points(y, s).best(n_resamples=200, rng=rng)
        assert found.threshold_low <= found.threshold <= found.threshold_high
        covered += found.threshold_low <= 0.75 <= found.threshold_high
    assert covered / 60 >= 0.95 - 4 * np.sqrt(0.05 * 0.95 / 60)


def test_a_best_threshold_parts_neighbours_among_the_floating_point_numbers():
    s = np.array([1.0, np.nextafter(1.0, 2.0)])
    best = points([0, 1], s).best(n_resamples=2, rng=0)
    assert ((s >= best.threshold) == [False, True]).all()


def test_the_best_of_given_thresholds_is_refused_and_so_are_curves_without_rows():
    with pytest.raises(InputError, match="all points of the curve"):
        points(POOR, S100B, thresholds=[0.2, 0.3]).best()
    with pytest.raises(InputError, match="counted rows"):
        RocCurve.from_points([0.1], [0.5]).points()
    with pytest.raises(InputError, match="counted rows"):
        RocCurve.from_scores([0, 1], [1, 2], sample_weight=[1, 2]).points()
    nobody = points(POOR, S100B, thresholds=[99])[0]
    assert (nobody.sensitivity.estimate, nobody.specificity.estimate) == (0, 1)
    assert np.isnan(nobody.ppv.estimate)
