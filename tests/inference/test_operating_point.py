import numpy as np
import pytest
from hypothesis import given
from scipy.stats import beta, norm
from sklearn.metrics import confusion_matrix

from inference.asah import NDKA, POOR, S100B, WFNS
from podium.exceptions import InputError
from podium.inference import operating_point
from samples import labelled_scores


def clopper_pearson(k, n, level):
    tail = (1 - level) / 2
    low = beta.ppf(tail, k, n - k + 1) if k else 0.0
    return low, beta.isf(tail, k + 1, n - k) if k < n else 1.0


# R: coords(s, "best", ret=c("threshold", "specificity", "sensitivity", "ppv", "npv"), best.method=, best.weights=)
@pytest.mark.parametrize(
    ("scores", "asked", "wanted"),
    [
        (S100B, {"best": "youden"}, (0.205, 0.805555555556, 0.634146341463, 0.65, 0.794520547945)),
        (S100B, {"best": "closest"}, (0.205, 0.805555555556, 0.634146341463, 0.65, 0.794520547945)),
        (S100B, {"threshold": 0.205}, (0.205, 0.805555555556, 0.634146341463, 0.65, 0.794520547945)),
        (WFNS, {"best": "youden"}, (3.5, 0.833333333333, 0.634146341463, 0.684210526316, 0.8)),
        (NDKA, {"best": "youden"}, (11.08, 0.513888888889, 0.707317073171, 0.453125, 0.755102040816)),
    ],
)
def test_points_are_those_of_proc(scores, asked, wanted):
    found = operating_point(POOR, scores, n_resamples=20, rng=0, **asked)
    rates = (rate.estimate for rate in (found.specificity, found.sensitivity, found.ppv, found.npv))
    assert (found.threshold, *rates) == pytest.approx(wanted, rel=1e-10)


# coords(s, "best", best.weights=c(5, .1)): threshold 0.51, specificity 1, sensitivity 0.292682926829;
# with best.method="closest.topleft" 0.205.
def test_costs_and_prevalence_move_the_best_point_as_in_proc():
    asked = {"cost_ratio": 5, "prevalence": 0.1, "n_resamples": 20, "rng": 0}
    found = operating_point(POOR, S100B, best="youden", **asked)
    assert found.threshold == pytest.approx(0.51)
    assert (found.specificity.estimate, found.sensitivity.estimate) == pytest.approx((1, 0.292682926829))
    assert operating_point(POOR, S100B, best="closest", **asked).threshold == pytest.approx(0.205)


@given(labelled_scores())
def test_counts_and_rates_are_those_of_the_confusion_matrix(sample):
    y, s = sample
    found = operating_point(y, s, threshold=1)
    (tn, fp), (fn, tp) = confusion_matrix(y, s >= 1)
    assert (found.true_negatives, found.false_positives, found.false_negatives, found.true_positives) == (
        tn,
        fp,
        fn,
        tp,
    )
    assert found.sensitivity == pytest.approx((tp / (tp + fn), *clopper_pearson(tp, tp + fn, 0.95)))
    assert found.specificity == pytest.approx((tn / (tn + fp), *clopper_pearson(tn, tn + fp, 0.95)))
    if tp + fp:
        assert found.ppv.estimate == pytest.approx(tp / (tp + fp))
    for rate in (found.sensitivity, found.specificity, found.youden):
        assert rate.low <= rate.estimate <= rate.high


def test_predictive_values_are_those_of_a_population_with_the_prevalence():
    found = operating_point(POOR, S100B, threshold=0.205, prevalence=0.02)
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
        found = operating_point(y, s, best="youden", n_resamples=2, rng=rng)
        true = norm.sf(found.threshold - 1), norm.cdf(found.threshold)
        rates = found.sensitivity, found.specificity
        covered += all(rate.low <= t <= rate.high for rate, t in zip(rates, true, strict=True))
        limits = [clopper_pearson(round(r.estimate * n), n, 0.95) for r, n in zip(rates, (40, 60), strict=True)]
        naive += all(low <= t <= high for (low, high), t in zip(limits, true, strict=True))
    assert covered / 200 >= 0.95
    assert naive < covered


def test_the_best_threshold_is_between_its_limits_and_the_true_one_mostly_too():
    rng, covered = np.random.default_rng(1), 0
    y = np.repeat([True, False], 60)
    for _ in range(60):
        s = rng.standard_normal(120) + 1.5 * y
        found = operating_point(y, s, n_resamples=200, rng=rng)
        assert found.threshold_low <= found.threshold <= found.threshold_high
        covered += found.threshold_low <= 0.75 <= found.threshold_high
    assert covered / 60 >= 0.95 - 4 * np.sqrt(0.05 * 0.95 / 60)


def test_a_threshold_is_given_or_chosen():
    with pytest.raises(InputError, match="got both"):
        operating_point(POOR, S100B, threshold=1, best="youden")
    nobody = operating_point(POOR, S100B, threshold=99)
    assert (nobody.sensitivity.estimate, nobody.specificity.estimate) == (0, 1)
    assert np.isnan(nobody.ppv.estimate)
