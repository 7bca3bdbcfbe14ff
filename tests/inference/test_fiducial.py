"""Limits with few negatives in the range, parts of the curve, and that no interval excludes its estimate."""

import numpy as np
import pytest
from hypothesis import given
from scipy.integrate import quad

from podium import _input, metrics
from podium.exceptions import InputError
from podium.inference import interval, partial_auc_interval, precision_at_interval, specificity_interval, tpr_interval
from podium.inference.curves.areas import area_and_variance
from podium.inference.curves.fiducial import PositivesAbove, area_limits, tpr_limits
from podium.ranks.pooled import TieGroups
from podium.roc import RocCurve
from samples import binormal, draw, labeled_scores


def bounds_of_the_curve(rng, y, s, rates):
    """One draw of the lower and the upper bound of the curve at some rates, straight from the statement; no ties."""
    pos, neg = s[y], np.sort(s[~y])[::-1]
    n, m = len(pos), len(neg)
    v = np.concatenate([[0.0], np.sort(rng.random(m)), [1.0]])
    w = np.concatenate([[0.0], np.sort(rng.random(n)), [1.0]])
    k = [0, *(int((pos > t).sum()) for t in neg), n]
    cell = np.searchsorted(v, rates, side="right") - 1
    return [w[k[j]] for j in cell], [w[k[j + 1] + 1] for j in cell]


def passed(y, s):
    return PositivesAbove.of(TieGroups.of(_input.check_sample(y, s)))


@pytest.mark.parametrize(("n_pos", "n_neg", "rate"), [(30, 40, 0.05), (12, 15, 0.3), (5, 60, 0.01)])
def test_limits_are_quantiles_of_bounds_drawn_one_by_one(n_pos, n_neg, rate):
    rng = np.random.default_rng(0)
    y, s, _ = binormal(rng, n_pos, n_neg)
    grid = (np.arange(200) + 0.5) / 200 * rate
    lows, highs = zip(*(bounds_of_the_curve(rng, y, s, [*grid, rate]) for _ in range(4000)), strict=True)
    lows, highs = np.array(lows), np.array(highs)
    found = tpr_limits(passed(y, s), rate, 0.9)
    # A quantile is right if about the right share of the draws lies below it, atoms included.
    assert (lows[:, -1] < found[0] - 1e-9).mean() <= 0.05 + 0.014 <= (lows[:, -1] <= found[0] + 1e-9).mean() + 0.028
    assert (highs[:, -1] < found[1] - 1e-9).mean() <= 0.95 + 0.014 <= (highs[:, -1] <= found[1] + 1e-9).mean() + 0.028
    low, high = area_limits(passed(y, s), 0.0, rate, 0.9)
    wanted = np.quantile(lows[:, :-1].mean(axis=1), 0.05), np.quantile(highs[:, :-1].mean(axis=1), 0.95)
    assert (low, high) == pytest.approx(wanted, abs=0.04)


@pytest.mark.slow
def test_areas_between_two_rates_are_covered_also_with_few_negatives():
    rng, covered = np.random.default_rng(3), np.zeros(3)
    for _ in range(150):
        y, s, curve = binormal(rng, 60, 80, sd=0.5)
        for i, (low, high) in enumerate([(0.0, 0.02), (0.02, 0.06), (0.1, 0.4)]):
            found = partial_auc_interval(y, s, min_fpr=low, max_fpr=high)
            covered[i] += found.low <= quad(curve, low, high)[0] / (high - low) <= found.high
    assert (covered / 150 > 0.95 - 4 * np.sqrt(0.05 * 0.95 / 150)).all()


def test_the_rate_at_hardly_any_negatives_is_covered():
    rng, covered = np.random.default_rng(4), 0
    for _ in range(200):
        y, s, curve = binormal(rng, 200, 80)
        found = tpr_interval(y, s, fpr=0.01)
        covered += found.low <= curve(0.01) <= found.high
    assert covered / 200 >= 0.95 - 4 * np.sqrt(0.05 * 0.95 / 200)


def test_the_variance_between_two_rates_is_the_difference_of_two_areas():
    # var(A(0, b) − A(0, a)) from simulated areas of a long list.
    rng, areas = np.random.default_rng(5), []
    for _ in range(600):
        y, s, _ = binormal(rng, 200, 300)
        areas.append(metrics.partial_auc(y, s, 0.3, min_fpr=0.1, standardize="area"))
    grid = np.linspace(0, 1, 4001)[1:-1]
    true = RocCurve.from_points(grid, binormal(rng, 2, 2)[2](grid))
    assert area_and_variance(true, 0.1, 0.3, 200, 300)[1] == pytest.approx(np.var(areas), rel=4 * np.sqrt(2 / 600))


def test_over_all_rates_the_interval_is_that_of_the_auc():
    for y, s in [draw(0, 40), draw(1, 300), (np.repeat([0, 1], 40), np.arange(80))]:
        whole, part = interval(y, s), partial_auc_interval(y, s)
        assert (part.low, part.high, part.standard_error) == (whole.low, whole.high, whole.standard_error)
        assert part.estimate == pytest.approx(whole.estimate, rel=1e-12)


@given(labeled_scores())
def test_parts_by_sensitivity_are_parts_of_the_curve_turned_about(sample):
    y, s = sample
    for low, high in [(0.0, 1.0), (0.2, 0.7), (0.8, 1.0)]:
        area = metrics.partial_auc(y, s, min_tpr=low, max_tpr=high)
        assert area == pytest.approx(metrics.partial_auc(~y, -s, 1 - low, min_fpr=1 - high), abs=1e-12)
        found = partial_auc_interval(y, s, min_tpr=low, max_tpr=high)
        assert found.low <= found.estimate <= found.high
        assert found.estimate == pytest.approx(area, abs=1e-12)


def test_specificity_at_a_sensitivity_is_that_of_the_exchanged_classes():
    y, s = draw(0, 200)
    found, other = specificity_interval(y, s, tpr=0.8), tpr_interval(~y, -s, fpr=0.2)
    assert (found.estimate, found.low, found.high) == pytest.approx((other.estimate, other.low, other.high))
    assert (found.n_pos, found.n_neg) == (y.sum(), (~y).sum())


@given(labeled_scores())
def test_no_interval_excludes_its_estimate(sample):
    y, s = sample
    answers = [
        *(tpr_interval(y, s, fpr=0.07, method=how) for how in ("btii", "fiducial", "exact")),
        *(partial_auc_interval(y, s, max_fpr=rate) for rate in (0.02, 0.3, 0.9, 1.0) if min(y.sum(), (~y).sum()) > 1),
        specificity_interval(y, s, tpr=0.9),
        precision_at_interval(y, s, k=2),
    ]
    for answer in answers:
        assert answer.low <= answer.estimate <= answer.high


def test_a_part_is_of_one_kind():
    y, s = draw(0)
    with pytest.raises(InputError, match="got both"):
        partial_auc_interval(y, s, max_fpr=0.1, max_tpr=0.9)
    with pytest.raises(InputError, match="min_tpr must be in"):
        partial_auc_interval(y, s, min_tpr=0.9, max_tpr=0.5)
