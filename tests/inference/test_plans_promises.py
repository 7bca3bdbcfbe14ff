"""What plans and decision curves promise, against their formulas, one number at a time."""

import numpy as np
import pytest
from scipy.stats import norm

from inference import naive_plans as naive
from podium.exceptions import InputError
from podium.inference import (
    decision_curve,
    power_one_auc,
    power_two_aucs,
    sample_size_for_hits,
    sample_size_for_width,
    sample_size_one_auc,
)
from podium.inference.planning.width import auc_covariance, partial_auc_covariance


@pytest.mark.parametrize(("auc", "n_pos", "n_neg"), [(0.7, 12, 40), (0.9, 60, 20), (0.5, 3, 5)])
def test_the_variance_of_an_auc_is_that_of_its_integrals(auc, n_pos, n_neg):
    assert auc_covariance(auc, auc, 1.0, n_pos, n_neg) == pytest.approx(naive.auc_variance(auc, n_pos, n_neg), rel=1e-6)


def test_the_planned_rows_are_the_fewest_with_that_width():
    for auc, wanted in ((0.85, 0.1), (0.7, 0.2)):
        plan = sample_size_for_width(auc, wanted, confidence_level=0.9)
        assert plan.width == pytest.approx(naive.width(auc, plan.n_pos, plan.n_neg, 0.9))
        assert plan.width <= wanted < naive.width(auc, plan.n_pos - 1, plan.n_neg - 1, 0.9)


def test_power_is_that_of_the_interval_for_one_area_and_of_the_two_sided_comparison_of_two():
    for auc, null in ((0.8, 0.7), (0.9, 0.6)):
        assert power_one_auc(auc, 40, 60, null_auc=null) == pytest.approx(naive.power_of_one(auc, null, 40, 60, 0.95))
    for level in (0.5, 0.95):  # at little confidence the other side counts
        expected = naive.power_of_two(0.8, 0.81, 30, 40, level)
        assert power_two_aucs(0.8, 0.81, 30, 40, confidence_level=level) == pytest.approx(expected)
    plan = sample_size_one_auc(0.8, 0.9, null_auc=0.7)
    powers = [naive.power_of_one(0.8, 0.7, n, n, 0.95) for n in (plan.n_pos - 1, plan.n_pos)]
    assert powers[0] < 0.9 <= powers[1]


def test_pairing_takes_twice_the_covariance_from_the_variance_of_a_difference():
    apart = auc_covariance(0.8, 0.8, 1.0, 50, 50) + auc_covariance(0.9, 0.9, 1.0, 50, 50)
    error = np.sqrt(apart - 2 * auc_covariance(0.8, 0.9, 0.6, 50, 50))
    expected = norm.sf(1.9599640 - 0.1 / error) + norm.cdf(-1.9599640 - 0.1 / error)
    assert power_two_aucs(0.9, 0.8, 50, 50, correlation=0.6) == pytest.approx(expected)


def test_partial_areas_vary_with_the_rows_of_either_class():
    # Without limit on the rate they are areas; what negatives add alone stays as positives grow without end.
    few, many = (partial_auc_covariance(0.8, 0.8, 1.0, 1.0, n, 50) for n in (50, 10**9))
    negatives = partial_auc_covariance(0.8, 0.8, 1.0, 1.0, 10**9, 100)
    assert negatives == pytest.approx(many / 2, rel=1e-6)
    assert few == pytest.approx(2 * many, rel=0.02)  # binormal classes of equal spread are alike


@pytest.mark.parametrize(("auc", "prevalence", "k", "n_next"), [(0.85, 0.1, 100, 5000), (0.8, 0.3, 400, 1000)])
def test_rows_for_a_range_of_hits_are_the_fewest_with_that_width(auc, prevalence, k, n_next):
    hits, variance = naive.hits_plan(auc, prevalence, k, n_next)
    least = 1 + 2 * norm.ppf(0.975) * np.sqrt(variance)
    plan = sample_size_for_hits(1.5 * least, k=k, n_next=n_next, auc=auc, prevalence=prevalence)
    widths = [1 + (least - 1) * np.sqrt(1 + n_next / n) for n in (plan.n_rows, plan.n_rows - 1)]
    assert (plan.hits, plan.least_width, plan.width) == pytest.approx((hits, least, widths[0]))
    assert widths[0] <= 1.5 * least < widths[1]
    with pytest.raises(InputError, match="wider than"):
        sample_size_for_hits(0.999 * least, k=k, n_next=n_next, auc=auc, prevalence=prevalence)


# --- decision curves --------------------------------------------------------------------------------------------------
def chances(n=80, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.integers(1, 20, n) / 20  # ties at the thresholds
    return rng.random(n) < p / 2, p


def test_net_benefit_and_its_band_are_those_of_the_rows_at_or_above_each_threshold():
    y, p = chances()
    t = np.array([0.1, 0.25, 0.5, 0.6])
    for level in (0.8, 0.95):
        found = decision_curve(y, p, thresholds=t, confidence_level=level, rng=3)
        for own, expected in zip(
            (found.net_benefit, found.low, found.high), naive.decision_limits(y, p, t, level, 10_000, 3), strict=True
        ):
            assert own == pytest.approx(expected, rel=1e-9)
        assert found.act_on_all == pytest.approx([(y.sum() - (~y).sum() * one / (1 - one)) / 80 for one in t])


def test_a_threshold_is_surely_useful_where_acting_beats_acting_on_all_and_on_none():
    y, p = chances(2000)
    found = decision_curve(y, p)
    beaten = found.threshold[(found.low > found.act_on_all) & (found.low > 0)]
    assert f"at thresholds from {beaten[0]:.3g} to {beaten[-1]:.3g}" in repr(found)
    assert (found.low[found.threshold > 0.6] > found.act_on_all[found.threshold > 0.6]).any()
