import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import norm

from podium import metrics
from podium.exceptions import InputError
from podium.inference import (
    interval,
    power_one_auc,
    power_two_aucs,
    precision_at_interval,
    sample_size_for_hits,
    sample_size_for_width,
    sample_size_one_auc,
    sample_size_two_aucs,
)
from podium.inference.planning.width import auc_covariance, partial_auc, partial_auc_covariance


def two_scores(rng, auc_a, auc_b, correlation, n_pos, n_neg):
    """Binormal scores of two scorers on the same rows, positives first."""
    noise = rng.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], n_pos + n_neg)
    noise[:n_pos] += np.sqrt(2) * norm.ppf([auc_a, auc_b])
    return noise


def test_covariances_of_areas_are_those_of_simulated_binormal_scores():
    rng, y = np.random.default_rng(0), np.repeat([1, 0], [30, 60])
    areas = []
    for _ in range(4000):
        scores = two_scores(rng, 0.8, 0.9, 0.6, 30, 60)
        areas.append([metrics.auc(y, column) for column in scores.T])
    simulated = np.cov(np.transpose(areas))
    for (i, j), shared in {(0, 0): 1.0, (1, 1): 1.0, (0, 1): 0.6}.items():
        found = auc_covariance((0.8, 0.9)[i], (0.8, 0.9)[j], shared, 30, 60)
        error = np.sqrt((simulated[i, i] * simulated[j, j] + simulated[i, j] ** 2) / 4000)
        assert found == pytest.approx(simulated[i, j], abs=3.5 * error)


def test_a_useless_scorer_has_the_variance_of_the_wilcoxon_statistic():
    assert auc_covariance(0.5, 0.5, 1.0, 12, 20) == pytest.approx((12 + 20 + 1) / (12 * 12 * 20), rel=1e-9)


def test_the_planned_number_gives_the_width_and_one_less_does_not():
    for ratio in (1.0, 9.0, 0.25):
        plan = sample_size_for_width(0.85, 0.1, negatives_per_positive=ratio)
        assert plan.width <= 0.1
        assert plan.n_neg == round(plan.n_pos * ratio)
        fewer = plan.n_pos - 1
        error = np.sqrt(auc_covariance(0.85, 0.85, 1.0, fewer, round(fewer * ratio)))
        reach = norm.ppf(0.975) * error / (0.85 * 0.15)
        assert expit(logit(0.85) + reach) - expit(logit(0.85) - reach) > 0.1


@pytest.mark.slow
def test_intervals_of_the_planned_size_have_the_planned_width_on_average():
    plan = sample_size_for_width(0.85, 0.1)
    rng, widths = np.random.default_rng(5), []
    for _ in range(200):
        pos, neg = np.split(two_scores(rng, 0.85, 0.85, 0.0, plan.n_pos, plan.n_neg)[:, 0], [plan.n_pos])
        wins = pos[:, None] > neg
        error = np.sqrt(wins.mean(axis=1).var(ddof=1) / len(pos) + wins.mean(axis=0).var(ddof=1) / len(neg))
        area = wins.mean()
        widths.append(np.diff(expit(logit(area) + np.array([-1, 1]) * 1.96 * error / (area * (1 - area))))[0])
    assert np.mean(widths) == pytest.approx(0.1, rel=0.03)


@pytest.mark.slow
def test_power_is_the_rate_at_which_the_paired_test_rejects():
    rng, rejected = np.random.default_rng(6), 0
    for _ in range(500):
        scores = two_scores(rng, 0.8, 0.85, 0.7, 150, 150)
        wins = scores[:150, None] > scores[None, 150:]
        difference = wins[..., 1].astype(float) - wins[..., 0]
        error = np.sqrt(difference.mean(axis=1).var(ddof=1) / 150 + difference.mean(axis=0).var(ddof=1) / 150)
        rejected += abs(difference.mean()) > 1.96 * error
    expected = power_two_aucs(0.8, 0.85, 150, 150, correlation=0.7)
    assert rejected / 500 == pytest.approx(expected, abs=3.5 * np.sqrt(expected * (1 - expected) / 500))


def test_power_grows_with_rows_correlation_and_difference_and_is_the_size_without_one():
    base = power_two_aucs(0.8, 0.85, 100, 100, correlation=0.5)
    assert power_two_aucs(0.8, 0.85, 200, 200, correlation=0.5) > base
    assert power_two_aucs(0.8, 0.85, 100, 100, correlation=0.8) > base
    assert power_two_aucs(0.8, 0.9, 100, 100, correlation=0.5) > base
    assert power_two_aucs(0.8, 0.8, 100, 100, confidence_level=0.99) == pytest.approx(0.01)
    assert power_two_aucs(0.85, 0.8, 100, 100, correlation=0.5) == base


def test_plans_that_make_no_sense_are_refused_in_a_sentence():
    with pytest.raises(InputError, match="auc must be in"):
        sample_size_for_width(1.0, 0.1)
    with pytest.raises(InputError, match=r"within reach of(.|\n)*width"):
        sample_size_for_width(0.8, 1e-7)
    with pytest.raises(InputError, match="correlation must be in"):
        power_two_aucs(0.8, 0.9, 10, 10, correlation=2)


@pytest.mark.slow
def test_power_against_a_constant_is_the_rate_at_which_the_interval_excludes_it():
    rng, y = np.random.default_rng(7), np.repeat([1, 0], [60, 90])
    for null in (0.65, 0.7):
        excluded = 0
        for _ in range(400):
            scores = two_scores(rng, 0.8, 0.8, 0.0, 60, 90)[:, 0]
            found = interval(y, scores)
            excluded += not found.low <= null <= found.high
        expected = power_one_auc(0.8, 60, 90, null_auc=null)
        assert excluded / 400 == pytest.approx(expected, abs=0.02 + 4 * np.sqrt(expected * (1 - expected) / 400))


def test_partial_areas_and_their_covariances_are_those_of_simulated_binormal_scores():
    rng, y, areas = np.random.default_rng(8), np.repeat([1, 0], [100, 200]), []
    for _ in range(1500):
        scores = two_scores(rng, 0.8, 0.9, 0.6, 100, 200)
        areas.append([metrics.partial_auc(y, column, 0.2) for column in scores.T])
    simulated = np.cov(np.transpose(areas))
    assert np.mean(areas, axis=0) == pytest.approx([partial_auc(0.8, 0.2), partial_auc(0.9, 0.2)], abs=0.003)
    for (i, j), shared in {(0, 0): 1.0, (1, 1): 1.0, (0, 1): 0.6}.items():
        found = partial_auc_covariance((0.8, 0.9)[i], (0.8, 0.9)[j], 0.2, shared, 100, 200)
        error = np.sqrt((simulated[i, i] * simulated[j, j] + simulated[i, j] ** 2) / 1500)
        assert found == pytest.approx(simulated[i, j], abs=4 * error)


def test_over_nearly_all_rates_partial_areas_have_the_variance_of_areas():
    whole = auc_covariance(0.8, 0.85, 0.5, 10_000, 20_000)
    assert partial_auc_covariance(0.8, 0.85, 1.0, 0.5, 10_000, 20_000) == pytest.approx(whole, rel=0.02)
    assert partial_auc(0.8, 1.0) == pytest.approx(0.8, abs=1e-4)


def test_the_planned_rows_give_the_power_and_one_less_does_not():
    plan = sample_size_one_auc(0.8, 0.9, null_auc=0.7, negatives_per_positive=2)
    assert power_one_auc(0.8, plan.n_pos, plan.n_neg, null_auc=0.7) == plan.power >= 0.9
    assert power_one_auc(0.8, plan.n_pos - 1, 2 * (plan.n_pos - 1), null_auc=0.7) < 0.9
    plan = sample_size_two_aucs(0.85, 0.85, 0.8, correlation=0.6, margin=0.05)
    assert power_two_aucs(0.85, 0.85, plan.n_pos, plan.n_neg, correlation=0.6, margin=0.05) == plan.power >= 0.8
    assert power_two_aucs(0.85, 0.85, plan.n_pos - 1, plan.n_neg - 1, correlation=0.6, margin=0.05) < 0.8


def test_a_margin_of_non_inferiority_is_a_shift_of_the_difference():
    one = power_two_aucs(0.80, 0.80, 100, 100, margin=0.05)
    assert one == pytest.approx(norm.cdf(0.05 / np.sqrt(2 * auc_covariance(0.8, 0.8, 1.0, 100, 100)) - norm.ppf(0.975)))
    with pytest.raises(InputError, match="margin must be in"):
        power_two_aucs(0.8, 0.8, 100, 100, margin=0)


# pROC's power.roc.test(auc=.8, power=.9) asks for 16.6 of each: its test is that of a useless scorer, ours that the
# interval excludes .5, which takes some rows more; its power for 41 and 72 is 0.99995.
def test_plans_are_near_those_of_proc():
    assert 16.6 <= sample_size_one_auc(0.8, 0.9).n_pos <= 22
    assert power_one_auc(0.8, 41, 72) == pytest.approx(0.99995, abs=1e-3)


@pytest.mark.parametrize(
    ("width", "k", "n_next", "auc", "prevalence"), [(30, 100, 5000, 0.85, 0.1), (60, 400, 2000, 0.8, 0.1)]
)
def test_ranges_of_hits_are_as_wide_as_planned_and_hold(width, k, n_next, auc, prevalence):
    plan = sample_size_for_hits(width, k=k, n_next=n_next, auc=auc, prevalence=prevalence)
    rng, found, held = np.random.default_rng(0), [], 0

    def draw(n):
        y = rng.random(n) < prevalence
        return y, rng.standard_normal(n) + np.sqrt(2) * norm.ppf(auc) * y

    for _ in range(60):
        found.append(precision_at_interval(*draw(plan.n_rows), k=k, n_next=n_next))
        y, s = draw(n_next)
        held += found[-1].low <= y[np.argsort(-s)[:k]].sum() <= found[-1].high
    assert np.mean([one.high - one.low for one in found]) == pytest.approx(plan.width, rel=0.08)
    errors = np.std([one.estimate for one in found]) / 60**0.5
    assert np.mean([one.estimate for one in found]) == pytest.approx(plan.hits, abs=4 * errors)
    assert held / 60 >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / 60)


def test_a_range_of_hits_narrower_than_chance_cannot_be_had():
    plan = sample_size_for_hits(30, k=100, n_next=5000, auc=0.85, prevalence=0.1)
    assert plan.width <= 30 < sample_size_for_hits(30.5, k=100, n_next=5000, auc=0.85, prevalence=0.1).width + 0.6
    assert sample_size_for_hits(30, k=100, n_next=10_000, auc=0.5, prevalence=0.1).hits == pytest.approx(10)
    with pytest.raises(InputError, match=f"wider than {plan.least_width:.3g} however many"):
        sample_size_for_hits(plan.least_width, k=100, n_next=5000, auc=0.85, prevalence=0.1)
