import numpy as np
import pytest
from hypothesis import given
from scipy.integrate import quad
from sklearn.metrics import roc_auc_score, roc_curve

import naive
from podium import metrics, ranks, roc
from podium.exceptions import InputError
from podium.roc import RocCurve
from registry import all_phi
from samples import CASES, draw, labeled_scores


@pytest.mark.parametrize("case", CASES)
def test_breakpoints_equal_their_definition_and_scikit_learn(case):
    y, s = draw(*case)
    curve = RocCurve.from_scores(y, s)
    np.testing.assert_allclose(np.column_stack([curve.fpr, curve.tpr]), naive.roc_points(y, s))
    fpr, tpr, thresholds = roc_curve(y, s, drop_intermediate=False)
    np.testing.assert_allclose(curve.fpr, fpr)
    np.testing.assert_allclose(curve.tpr, tpr)
    np.testing.assert_allclose(curve.thresholds, thresholds)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_without_intermediate_points_the_line_is_the_same(case, weighted):
    y, s = draw(*case)
    w = np.random.default_rng(9).integers(1, 4, len(s)).astype(float) if weighted else None
    every, few = (RocCurve.from_scores(y, s, w, drop_intermediate=drop) for drop in (False, True))
    np.testing.assert_array_equal(few.at(every.fpr), every.at(every.fpr))
    assert few.auc() == pytest.approx(every.auc(), rel=1e-12)
    assert (few.n_pos, few.n_neg) == (every.n_pos, every.n_neg)
    assert set(zip(few.fpr, few.tpr, few.thresholds, strict=True)) <= set(
        zip(every.fpr, every.tpr, every.thresholds, strict=True)
    )
    # scikit-learn keeps the first threshold in any case, and drops points of straight slopes, too
    fpr, tpr, _ = roc_curve(y, s, sample_weight=w)
    np.testing.assert_allclose(few.at(fpr), np.interp(fpr, fpr, tpr), atol=1e-12)
    steps = np.diff(few.fpr), np.diff(few.tpr)
    assert not any(((d[:-1] == 0) & (d[1:] == 0)).any() for d in steps)
    if len(np.unique(s)) == len(s):
        assert len(few.fpr) <= len(fpr)


@pytest.mark.parametrize("case", CASES)
def test_weighted_curve_equals_its_definition(case):
    y, s = draw(*case)
    w = np.random.default_rng(9).random(len(s))
    curve = RocCurve.from_scores(y, s, w)
    np.testing.assert_allclose(np.column_stack([curve.fpr, curve.tpr]), naive.roc_points(y, s, w))
    assert curve.auc() == pytest.approx(roc_auc_score(y, s, sample_weight=w), rel=1e-12)


def test_the_curve_starts_in_the_origin_even_when_the_top_scores_tie():
    # scikit-learn#31635
    curve = RocCurve.from_scores([1, 0, 1, 0], [2, 2, 2, 1])
    assert (curve.fpr[0], curve.tpr[0], curve.thresholds[0]) == (0, 0, np.inf)
    assert (curve.fpr[1], curve.tpr[1]) == (0.5, 1.0)
    assert (curve.fpr[-1], curve.tpr[-1]) == (1, 1)


def test_the_arrays_cannot_be_changed():
    curve = RocCurve.from_scores([0, 1], [1, 2])
    with pytest.raises(ValueError, match="read-only"):
        curve.tpr[0] = 3


@given(labeled_scores())
def test_area_equals_the_auc(sample):
    y, s = sample
    assert RocCurve.from_scores(y, s).auc() == pytest.approx(metrics.auc(y, s), rel=1e-12)


def test_at_takes_the_upper_end_of_vertical_steps_and_is_linear_in_between():
    curve = RocCurve.from_points([0, 0.5, 0.5], [0.2, 0.4, 0.9])
    assert curve.at([0, 0.25, 0.5, 0.75, 1]).tolist() == pytest.approx([0.2, 0.3, 0.9, 0.95, 1])
    with pytest.raises(InputError, match="fpr must be in"):
        curve.at(1.5)


@given(labeled_scores())
def test_partial_areas_add_up(sample):
    curve = RocCurve.from_scores(*sample)
    cut = 0.37
    assert curve.area(cut) + curve.area(1, cut) == pytest.approx(curve.auc(), rel=1e-12)
    assert curve.partial_auc(1, cut) * (1 - cut) == pytest.approx(curve.area(1, cut), rel=1e-12)


@given(labeled_scores())
def test_the_hull_is_the_least_concave_curve_above(sample):
    curve = RocCurve.from_scores(*sample)
    hull = curve.hull()
    assert (hull.at(curve.fpr) >= curve.tpr - 1e-12).all()
    width = np.diff(hull.fpr)
    slopes = np.diff(hull.tpr)[width > 0] / width[width > 0]
    assert (np.diff(slopes) < 1e-12).all()
    corners = set(zip(curve.fpr, curve.tpr, strict=True))
    assert set(zip(hull.fpr, hull.tpr, strict=True)) <= corners


@given(labeled_scores(), labeled_scores())
def test_distances_equal_integration_on_a_fine_grid(first, second):
    a, b = RocCurve.from_scores(*first), RocCurve.from_scores(*second)
    grid = (np.arange(200_000) + 0.5) / 200_000
    gap = np.abs(a.at(grid) - b.at(grid))
    assert a.distance(b, "l1") == pytest.approx(gap.mean(), abs=2e-5)
    assert a.distance(b) == pytest.approx(gap.max(), abs=2e-4)
    assert a.distance(b) == b.distance(a)


def test_distance_sees_the_whole_vertical_step():
    perfect = RocCurve.from_points([0], [1])
    useless = RocCurve.from_points([], [])
    assert perfect.distance(useless) == 1
    assert perfect.distance(useless, "l1") == pytest.approx(0.5)
    assert perfect.distance(perfect) == 0


@pytest.mark.parametrize("phi", all_phi(40), ids=str)
def test_rank_statistic_read_off_a_broken_line_equals_the_integral(phi):
    # Lemma 3: E[φ(F(s(X)))], here straight from F = pG + (1 − p)H along the curve.
    curve, p = RocCurve.from_points([0.1, 0.3, 0.6], [0.5, 0.8, 0.8]), 0.3
    total = 0.0
    for i in range(len(curve.fpr) - 1):
        a, b = curve.fpr[i : i + 2]
        c, d = curve.tpr[i : i + 2]
        ends = p * (1 - np.array([c, d])) + (1 - p) * (1 - np.array([a, b]))
        if d > c:
            area = quad(
                lambda t, ends=ends: float(phi.value(np.array(ends[0] + t * (ends[1] - ends[0])))), 0, 1, limit=2000
            )[0]
            total += (d - c) * area
    assert curve.rank_statistic(phi, p) == pytest.approx(total, rel=2e-5)


@given(labeled_scores())
def test_rank_statistic_of_the_identity_is_affine_in_the_auc(sample):
    y, s = sample
    p = 0.3
    curve = RocCurve.from_scores(y, s)
    assert curve.rank_statistic("mww", p) == pytest.approx(p / 2 + (1 - p) * curve.auc(), rel=1e-9)


@given(labeled_scores())
def test_the_auc_is_one_half_plus_the_mean_gap_of_the_distributions(sample):
    # CV08, Remark 4: AUC = ½ + ∫(H − G)dF for any mixture F, with the mid-point distribution functions at ties.
    y, s = sample
    pos, neg = s[y], s[~y]
    gap = np.array([np.mean(neg < t) + np.mean(neg == t) / 2 - np.mean(pos < t) - np.mean(pos == t) / 2 for t in s])
    for share in (0.0, 0.3, 1.0):
        mixture = np.where(y, share / y.sum(), (1 - share) / (~y).sum())
        assert 0.5 + mixture @ gap == pytest.approx(metrics.auc(y, s), rel=1e-12)


def test_average_of_curves_with_best_and_worst():
    curves = [RocCurve.from_points([0], [t]) for t in (0.2, 0.6, 1.0)]
    mean = roc.average(curves, [0, 0.5, 1])
    assert mean.mean.tolist() == pytest.approx([0.6, 0.8, 1])
    assert mean.standard_deviation[0] == pytest.approx(0.4)
    assert mean.best is curves[2]
    assert mean.worst is curves[0]
    assert "AUC" in repr(mean)
    with pytest.raises(InputError, match="at least one"):
        roc.average([])


def test_points_that_go_down_are_refused():
    with pytest.raises(InputError, match="nondecreasing"):
        RocCurve.from_points([0.5, 0.2], [0.1, 0.3])
    with pytest.raises(InputError, match="max_fpr must be in"):
        RocCurve.from_points([], []).partial_auc(0)


def test_thresholds_reproduce_the_rates():
    y, s = draw(5, 60, 4)
    curve = RocCurve.from_scores(y, s)
    for threshold, fpr, tpr in zip(curve.thresholds, curve.fpr, curve.tpr, strict=True):
        assert np.mean(s[y] >= threshold) == pytest.approx(tpr)
        assert np.mean(s[~y] >= threshold) == pytest.approx(fpr)
    assert ranks.mid_ranks(s).sum() == pytest.approx(60 * 61 / 2)


@pytest.mark.parametrize("levels", [None, 2])
def test_unmixed_curves_have_the_area_of_the_identity(levels):
    y, s = draw(1, 60, levels)
    curve = RocCurve.from_scores(y, s)
    for share in (0.0, 0.1, 0.2):
        found = curve.unmixed(share)
        assert found.auc() == pytest.approx((curve.auc() - share / 2) / (1 - share), abs=0.02)
        assert np.all(np.diff(found.fpr) >= 0)
        assert (found.fpr[0], found.fpr[-1]) == (0.0, 1.0)
        np.testing.assert_array_equal(found.tpr, curve.tpr)
    np.testing.assert_allclose(curve.unmixed(0.0).fpr, curve.fpr, atol=1e-12)


def test_unmixing_undoes_a_mixture_exactly_where_the_curves_are_known():
    tpr = np.linspace(0, 1, 50)
    true = RocCurve.from_points(tpr**3, tpr)
    mixed = RocCurve.from_points(0.3 * tpr + 0.7 * tpr**3, tpr)
    assert mixed.unmixed(0.3).distance(true) == pytest.approx(0.0, abs=1e-9)
    assert mixed.unmixed(0.3).rank_statistic("power:3", 0.4) == pytest.approx(true.rank_statistic("power:3", 0.4))


def test_positives_and_unlabeled_rows_give_the_curve_against_true_negatives():
    rng = np.random.default_rng(0)
    n, share = 20_000, 0.25
    positives, hidden = rng.normal(1, 1, n), rng.random(n) < share
    unlabeled = rng.normal(size=n) + hidden
    y = np.arange(2 * n) < n
    curve = RocCurve.from_scores(y, np.concatenate([positives, unlabeled]))
    truth = RocCurve.from_scores(y, np.concatenate([positives, rng.normal(size=n)]))
    assert curve.distance(truth) > 0.05
    assert curve.unmixed(share).auc() == pytest.approx((curve.auc() - share / 2) / (1 - share), abs=1e-4)
    assert curve.unmixed(share).distance(truth) < 4 / np.sqrt(n) / (1 - share)
    with pytest.raises(InputError, match="share"):
        curve.unmixed(1.0)
