"""Comparisons of two scorers on a part of the curve, at a point of it and as a whole."""

from functools import partial

import numpy as np
import pytest
from scipy.stats import norm

from inference import naive_curves
from podium import _input, metrics
from podium.exceptions import DegenerateSampleError
from podium.inference import compare, compare_partial_auc, compare_specificity, compare_tpr, venkatraman_test
from podium.inference.curves.areas import area_influence
from samples import CASES, draw


def two_scorers(seed, n_rows=120, gap=0.0):
    """Labels and the scores of two scorers that share half of their noise; the first is better by ``gap``."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % 3 == 0
    shared = rng.standard_normal(n_rows) + y
    a, b = shared + rng.standard_normal((2, n_rows))
    return y, a + gap * y, b


@pytest.mark.parametrize("rate", [0.13, 0.5, 1.0])
def test_influence_on_the_area_is_what_each_row_contributes(rate):
    y, s = draw(0, 40)
    of_pos, of_neg = (np.array(values) for values in naive_curves.partial_area_contributions(y, s, rate))
    found = area_influence(_input.check_sample(y, s), 0.0, rate)
    np.testing.assert_allclose(np.sort(found[y]), np.sort(of_pos - of_pos.mean()), atol=1e-12)
    np.testing.assert_allclose(np.sort(found[~y]), np.sort(of_neg - of_neg.mean()), atol=1e-12)


@pytest.mark.parametrize("case", [case for case in CASES if case[1] > 3])
@pytest.mark.parametrize(("low", "high"), [(0.0, 0.3), (0.2, 0.7), (0.0, 1.0)])
def test_influence_is_the_slope_of_the_area_in_the_weight_of_a_row(case, low, high):
    # Von Mises: a share ε of the class moved to one row changes the area by ε times its influence.
    y, s = draw(*case)
    values = area_influence(_input.check_sample(y, s), low, high)
    area = partial(metrics.partial_auc, y, s, high, min_fpr=low, standardize="area")
    base, step = area(), 1e-7
    for row in range(0, len(y), 5):
        weight = np.where(y == y[row], 1 - step, 1.0)
        weight[row] += step * (y == y[row]).sum()
        slope = (area(sample_weight=weight) - base) / step
        assert values[row] == pytest.approx(slope, abs=1e-5)


def test_over_all_rates_the_comparison_is_that_of_aucs():
    y, a, b = two_scorers(0)
    one, other = compare_partial_auc(y, a, b, alternative="greater"), compare(y, a, b, alternative="greater")
    assert (one.difference, one.standard_error) == pytest.approx((other.difference, other.standard_error))
    assert (one.pvalue, one.low) == pytest.approx((other.pvalue, other.low), abs=0.01)  # there by Student's law
    assert one.high == np.inf


def test_the_closed_form_and_the_bootstrap_agree():
    y, a, b = two_scorers(1, 400, gap=0.5)
    for part in ({"max_fpr": 0.2}, {"min_fpr": 0.1, "max_fpr": 0.5}, {"min_tpr": 0.7}):
        closed = compare_partial_auc(y, a, b, **part)
        drawn = compare_partial_auc(y, a, b, **part, method="bootstrap", n_resamples=1000, rng=0)
        assert closed.standard_error == pytest.approx(drawn.standard_error, rel=0.12)
        assert closed.difference == drawn.difference


def test_exchanging_the_scorers_changes_the_sign_only():
    y, a, b = two_scorers(2)
    for test in (
        lambda *scores: compare_partial_auc(y, *scores, max_fpr=0.3),
        lambda *scores: compare_tpr(y, *scores, fpr=0.3, rng=0),
        lambda *scores: compare_specificity(y, *scores, tpr=0.7, rng=0),
    ):
        one, other = test(a, b), test(b, a)
        assert one.difference == -other.difference
        assert one.pvalue == pytest.approx(other.pvalue)


def test_a_difference_at_a_point_is_that_of_the_curves_there():
    y, a, b = two_scorers(3)
    found = compare_tpr(y, a, b, fpr=0.2, rng=0)
    assert found.difference == pytest.approx(metrics.tpr_at_fpr(y, a, 0.2) - metrics.tpr_at_fpr(y, b, 0.2))
    found = compare_specificity(y, a, b, tpr=0.8, rng=0)
    assert found.difference == pytest.approx(metrics.tpr_at_fpr(~y, -a, 0.2) - metrics.tpr_at_fpr(~y, -b, 0.2))


def test_tests_of_partial_areas_hold_their_level():
    rejected = sum(compare_partial_auc(*two_scorers(seed, 240), max_fpr=0.3).pvalue <= 0.05 for seed in range(300))
    assert abs(rejected / 300 - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 300)


def test_curves_that_cross_with_equal_areas_are_told_apart_by_venkatraman_only():
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2 == 0
    # Equal AUC: N(μ, 1) against N(0, 1), and N(μ′, 3²) against N(0, 1) with μ′ = μ √(10/2).
    a = np.where(y, 1.0, 0.0) + rng.standard_normal(400)
    b = np.where(y, np.sqrt(5) + 3 * rng.standard_normal(400), rng.standard_normal(400))
    assert norm.cdf(1 / np.sqrt(2)) == pytest.approx(norm.cdf(np.sqrt(5) / np.sqrt(10)))
    assert compare(y, a, b).pvalue > 0.1
    assert venkatraman_test(y, a, b, n_resamples=300, rng=0).pvalue < 0.01
    assert venkatraman_test(y, a, b, y_true_b=y, n_resamples=300, rng=0).pvalue < 0.01


def test_equal_scorers_do_not_differ():
    y, a, _ = two_scorers(4)
    assert venkatraman_test(y, a, a, n_resamples=50, rng=0).pvalue == 1
    found = compare_partial_auc(y, a, a, max_fpr=0.3)
    assert (found.difference, found.pvalue) == (0, 1)
    assert "no variation" in found.note


def test_few_rows_in_the_range_are_noted_and_single_rows_refused():
    y, a, b = two_scorers(5)
    assert "negatives in the range" in compare_partial_auc(y, a, b, max_fpr=0.05).note
    assert "positives in the range" in compare_partial_auc(y, a, b, min_tpr=0.9).note
    assert "negatives beyond" in compare_tpr(y, a, b, fpr=0.05, rng=0).note
    with pytest.raises(DegenerateSampleError, match="at least two positives"):
        compare_partial_auc([0, 0, 1], [1, 2, 3], [3, 2, 1])
