import numpy as np
import pytest
from hypothesis import given
from scipy.integrate import quad
from scipy.stats import beta, norm

from inference import naive_curves
from podium import _input, metrics
from podium.exceptions import InputError
from podium.inference import partial_auc_interval, tpr_interval
from podium.inference.curves.areas import area_and_variance
from podium.inference.curves.fiducial import PositivesAbove
from podium.ranks.pooled import TieGroups
from podium.roc import RocCurve
from samples import CASES, binormal, draw, labeled_scores


# --- partial area -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("max_fpr", [0.13, 0.5, 1.0])
def test_the_variance_of_the_area_is_that_of_what_each_row_contributes(max_fpr):
    y, s = draw(0, 40)
    n_pos, n_neg = int(y.sum()), int((~y).sum())
    of_pos, of_neg = naive_curves.partial_area_contributions(y, s, max_fpr)
    area, variance = area_and_variance(RocCurve.from_scores(y, s), 0.0, max_fpr, n_pos, n_neg)
    assert area == pytest.approx(np.mean(of_pos), rel=1e-12)
    negatives = variance - np.var(of_pos) / n_pos
    # The one negative at the cut counts in part: squared before or after taking the part.
    assert negatives == pytest.approx(np.var(of_neg) / n_neg, rel=0.1 if max_fpr == 0.13 else 1e-9)


def test_with_all_rates_the_variance_is_delongs():
    y, s = draw(0, 60)
    pos, neg = s[y], s[~y]
    wins = pos[:, None] > neg
    _, variance = area_and_variance(RocCurve.from_scores(y, s), 0.0, 1.0, len(pos), len(neg))
    delong = wins.mean(axis=1).var() / len(pos) + wins.mean(axis=0).var() / len(neg)
    assert variance == pytest.approx(delong, rel=1e-12)


@given(labeled_scores())
def test_the_estimate_is_the_metric_and_lies_inside_the_range(sample):
    y, s = sample
    result = partial_auc_interval(y, s, max_fpr=0.3)
    assert result.estimate == pytest.approx(metrics.partial_auc(y, s, max_fpr=0.3))
    assert 0 <= result.low < result.high <= 1
    assert tpr_interval(y, s, fpr=0.3).estimate == pytest.approx(metrics.tpr_at_fpr(y, s, fpr=0.3))


def test_smoothing_keeps_the_straight_segment_of_a_tie_group():
    y = np.repeat([True, False], [400, 600])
    s = np.concatenate([np.repeat([3, 2, 1], [250, 100, 50]), np.repeat([3, 2, 1], [60, 240, 300])])
    smoothed = PositivesAbove.of(TieGroups.of(_input.check_sample(y, s))).smoothed_curve()
    t = np.linspace(0, 1, 201)
    np.testing.assert_allclose(smoothed.at(t), RocCurve.from_scores(y, s).at(t), atol=0.005)


def test_partial_areas_of_scores_with_four_levels_are_covered():
    # Positives and negatives on four levels: the true curve has three corners.
    levels, of_pos, of_neg = [3, 2, 1, 0], [0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4]
    true = RocCurve.from_points(np.cumsum(of_neg)[:3], np.cumsum(of_pos)[:3])
    rng, covered = np.random.default_rng(1), 0
    for _ in range(100):
        s = np.concatenate([rng.choice(levels, 300, p=of_pos), rng.choice(levels, 500, p=of_neg)])
        found = partial_auc_interval(np.repeat([True, False], [300, 500]), s, max_fpr=0.2)
        covered += found.low <= true.partial_auc(0.2) <= found.high
    assert covered >= 90


def test_perfect_separation_leaves_an_interval_up_to_the_best_value():
    y, s = np.repeat([0, 1], 50), np.arange(100)
    for sign in (1, -1):
        result = partial_auc_interval(y, sign * s, max_fpr=0.2)
        assert result.estimate == pytest.approx(1 if sign == 1 else 0)
        assert (result.high == 1.0) == (sign == 1)
        assert (result.low == 0.0) == (sign == -1)
        assert result.high - result.low > 0.1
    assert 0.85 < tpr_interval(y, s, fpr=0.1).low < 0.95
    assert tpr_interval(y, s, fpr=0.1).high == 1


def test_one_row_of_each_class_has_an_answer():
    for answer in (
        partial_auc_interval([0, 1], [1, 2], max_fpr=0.1),
        tpr_interval([0, 1], [1, 2], fpr=0.1),
        tpr_interval([0, 1], [1, 2], fpr=0.1, method="exact"),
    ):
        assert answer.low <= answer.estimate <= answer.high
        assert np.isfinite([answer.low, answer.high]).all()


def test_few_negatives_are_answered_by_limits_that_hold_and_some_by_a_note():
    y, s = draw(0, 40)
    assert partial_auc_interval(y, s, max_fpr=0.05).method == tpr_interval(y, s, fpr=0.05).method == "fiducial"
    assert "steep" in tpr_interval(y, s, fpr=0.5).note
    y, s = draw(0, 400)
    assert (partial_auc_interval(y, s, max_fpr=0.5).method, tpr_interval(y, s, fpr=0.5).method) == (
        "smoothed logit",
        "btii",
    )
    assert partial_auc_interval(y, s, max_fpr=0.5).note == tpr_interval(y, s, fpr=0.5).note == ""


@pytest.mark.slow
def test_partial_area_and_tpr_are_covered_about_as_often_as_they_say():
    rng = np.random.default_rng(2)
    covered = np.zeros(3)
    for _ in range(300):
        y, s, curve = binormal(rng, 150, 150)
        area = partial_auc_interval(y, s, max_fpr=0.2)
        covered[0] += area.low <= quad(curve, 0, 0.2)[0] / 0.2 <= area.high
        for row, method in ((1, "btii"), (2, "exact")):
            rate = tpr_interval(y, s, fpr=0.2, method=method)
            covered[row] += rate.low <= curve(0.2) <= rate.high
    assert ((covered[:2] / 300 > 0.92) & (covered[:2] / 300 < 0.985)).all()
    assert covered[2] / 300 >= 0.95


# --- true positive rate -----------------------------------------------------------------------------------------------
def test_btii_equals_a_bootstrap_with_random_resamples():
    # A whole number of negatives is above the threshold or not: average the two order statistics around it.
    y, s, _ = binormal(np.random.default_rng(0), 40, 60)
    t, z, rng = 0.2, norm.ppf(0.975), np.random.default_rng(1)
    rates = []
    for order in (12, 13):
        for _ in range(3000):
            pos, neg = rng.choice(s[y], 40), np.sort(rng.choice(s[~y], 60))[::-1]
            rates.append((np.sum(pos > neg[order - 1]) + z**2 / 2) / (40 + z**2))
    result = tpr_interval(y, s, fpr=t)
    assert (result.low + result.high) / 2 == pytest.approx(np.mean(rates), abs=0.01)
    # The binomial part of the published variance has n, ours n + z² and the added successes.
    assert (result.high - result.low) / 2 == pytest.approx(z * np.std(rates), rel=0.1)


@pytest.mark.parametrize("case", CASES)
def test_the_exact_interval_is_clopper_pearson_beyond_an_order_statistic_of_the_negatives(case):
    y, s = draw(*case)
    pos, neg = s[y], np.sort(s[~y])[::-1]
    n, m, t, tail = len(pos), len(neg), 0.2, 0.0125
    j = np.arange(1, m + 1)
    below = j[beta.sf(t, j, m - j + 1) < tail]  # order statistics almost surely inside the rate
    above = j[beta.cdf(t, j, m - j + 1) < tail]
    low, high = 0.0, 1.0
    if len(below):
        k = np.sum(pos > neg[below[-1] - 1])
        low = beta.ppf(tail, k, n - k + 1) if k else 0.0
    if len(above):
        k = np.sum(pos >= neg[above[0] - 1])
        high = beta.isf(tail, k + 1, n - k) if k < n else 1.0
    result = tpr_interval(y, s, fpr=t, method="exact")
    assert (result.low, result.high) == pytest.approx((low, high), abs=1e-12)
    assert result.guaranteed


def test_rates_out_of_range_are_refused_in_a_sentence():
    y, s = draw(0)
    with pytest.raises(InputError, match="max_fpr must be in"):
        partial_auc_interval(y, s, max_fpr=0)
    with pytest.raises(InputError, match="fpr must be in"):
        tpr_interval(y, s, fpr=1)
    with pytest.raises(InputError, match="method must be one of 'auto', 'btii', 'fiducial', 'exact'"):
        tpr_interval(y, s, fpr=0.1, method="wilson")
