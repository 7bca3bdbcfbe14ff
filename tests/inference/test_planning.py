import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import norm

from podium import metrics
from podium.exceptions import InputError
from podium.inference import power, sample_size_for_width
from podium.inference.planning import auc_covariance


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


def test_power_is_the_rate_at_which_the_paired_test_rejects():
    rng, rejected = np.random.default_rng(6), 0
    for _ in range(500):
        scores = two_scores(rng, 0.8, 0.85, 0.7, 150, 150)
        wins = scores[:150, None] > scores[None, 150:]
        difference = wins[..., 1].astype(float) - wins[..., 0]
        error = np.sqrt(difference.mean(axis=1).var(ddof=1) / 150 + difference.mean(axis=0).var(ddof=1) / 150)
        rejected += abs(difference.mean()) > 1.96 * error
    expected = power(0.8, 0.85, 150, 150, correlation=0.7)
    assert rejected / 500 == pytest.approx(expected, abs=3.5 * np.sqrt(expected * (1 - expected) / 500))


def test_power_grows_with_rows_correlation_and_difference_and_is_the_size_without_one():
    base = power(0.8, 0.85, 100, 100, correlation=0.5)
    assert power(0.8, 0.85, 200, 200, correlation=0.5) > base
    assert power(0.8, 0.85, 100, 100, correlation=0.8) > base
    assert power(0.8, 0.9, 100, 100, correlation=0.5) > base
    assert power(0.8, 0.8, 100, 100, confidence_level=0.99) == pytest.approx(0.01)
    assert power(0.85, 0.8, 100, 100, correlation=0.5) == base


def test_plans_that_make_no_sense_are_refused_in_a_sentence():
    with pytest.raises(InputError, match="auc must be in"):
        sample_size_for_width(1.0, 0.1)
    with pytest.raises(InputError, match="width must be within reach"):
        sample_size_for_width(0.8, 1e-7)
    with pytest.raises(InputError, match="correlation must be in"):
        power(0.8, 0.9, 10, 10, correlation=2)
