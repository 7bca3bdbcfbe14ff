import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

import naive
from podium import metrics, ranks
from podium._fast import lists
from podium.exceptions import InputError
from samples import CASES, draw, labeled_scores


@pytest.mark.parametrize("case", CASES)
def test_auc_equals_its_definition_and_scikit_learn(case):
    y, s = draw(*case)
    w = np.random.default_rng(1).random(len(s)) + 0.1
    assert metrics.auc(y, s) == pytest.approx(naive.auc(y, s), rel=1e-14)
    assert metrics.auc(y, s) == pytest.approx(roc_auc_score(y, s), rel=1e-12)
    assert metrics.auc(y, s, sample_weight=w) == pytest.approx(naive.auc(y, s, w), rel=1e-12)
    assert metrics.auc(y, s, sample_weight=w) == pytest.approx(roc_auc_score(y, s, sample_weight=w), rel=1e-12)


@given(labeled_scores())
def test_the_sum_of_ranks_is_pairs_times_auc_plus_a_constant(sample):
    y, s = sample
    n, m = y.sum(), (~y).sum()
    assert ranks.mid_ranks(s)[y].sum() == pytest.approx(n * m * metrics.auc(y, s) + n * (n + 1) / 2)


@given(labeled_scores())
def test_auc_is_invariant_under_increasing_maps_and_turns_with_the_scores(sample):
    y, s = sample
    assert metrics.auc(y, np.exp(s)) == metrics.auc(y, s)
    assert metrics.auc(y, s**3 + 5) == metrics.auc(y, s)
    assert metrics.auc(y, -s) == pytest.approx(1 - metrics.auc(y, s), rel=1e-14, abs=1e-15)


@given(labeled_scores(), st.data())
def test_integer_weights_equal_repeated_rows_in_every_metric(sample, data):
    y, s = sample
    w = np.array(data.draw(st.lists(st.integers(1, 3), min_size=len(s), max_size=len(s))))
    r = np.repeat(np.arange(len(s)), w)
    for metric, options in [
        (metrics.auc, {}),
        (metrics.partial_auc, {"max_fpr": 0.3}),
        (metrics.rank_statistic, {"phi": "power:3"}),
        (metrics.rank_statistic, {"phi": "power:3", "ties": "max", "scale": "sum"}),
        (metrics.rank_statistic, {"phi": "van-der-waerden", "ties": "average"}),
        (metrics.rank_statistic, {"phi": "dcg"}),
        (metrics.push_risk, {"p": 2}),
        (metrics.push_risk, {"p": 3, "loss": "squared_hinge", "log": True}),
        (metrics.push_risk, {"p": 2, "loss": "exponential", "normalize": True}),
        (metrics.max_height, {}),
        (metrics.dcg, {"k": 2}),
        (metrics.dcg, {"ties": "worst", "normalize": True}),
        (metrics.average_reciprocal_rank, {}),
        (metrics.precision_at, {"k": 2}),
        (metrics.recall_at, {"fraction": 0.3}),
        (metrics.lift_at, {"k": 1}),
        (metrics.tpr_at_fpr, {"fpr": 0.2}),
        (metrics.bedroc, {"alpha": 5}),
        (metrics.average_precision, {}),
    ]:
        plain = metric(y[r], s[r], **options)
        assert metric(y, s, sample_weight=w, **options) == pytest.approx(plain, rel=1e-10, abs=1e-12), metric


def test_the_tables_of_agarwal_et_al():
    y = [-1, -1, -1, -1, 1, 1, 1, 1]
    assert metrics.auc(y, [-2, -1, 3, 4, 1, 2, 5, 6]) == 12 / 16
    assert metrics.auc(y, [-2, -1, 5, 6, 1, 2, 3, 4]) == 8 / 16


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("max_fpr", [0.05, 0.3, 1.0])
def test_mcclish_standardization_equals_scikit_learn(case, max_fpr):
    y, s = draw(*case)
    ours = metrics.partial_auc(y, s, max_fpr=max_fpr, standardize="mcclish")
    assert ours == pytest.approx(roc_auc_score(y, s, max_fpr=max_fpr), rel=1e-10)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("max_fpr", [0.05, 0.3, 1.0])
def test_the_area_over_its_width_is_scikit_learns_area_without_its_standardization(case, max_fpr):
    y, s = draw(*case)
    mcclish, chance = roc_auc_score(y, s, max_fpr=max_fpr), max_fpr / 2
    assert metrics.partial_auc(y, s, max_fpr) == pytest.approx(chance + (1 - chance) * (2 * mcclish - 1), rel=1e-10)
    assert metrics.partial_auc(y, s, max_fpr, standardize="area") == pytest.approx(
        max_fpr * metrics.partial_auc(y, s, max_fpr), rel=1e-12
    )


def test_mcclish_below_chance_is_legal():
    assert metrics.partial_auc([1, 0], [0, 1], max_fpr=0.5, standardize="mcclish") < 0.5
    assert metrics.partial_auc([0, 0, 1], [1, 2, 0], max_fpr=0.5) == 0


@given(labeled_scores())
def test_partial_areas_that_do_not_start_at_zero_add_up(sample):
    y, s = sample
    parts = [
        metrics.partial_auc(y, s, min_fpr=a, max_fpr=b, standardize="area")
        for a, b in [(0, 0.2), (0.2, 0.55), (0.55, 1)]
    ]
    assert sum(parts) == pytest.approx(metrics.auc(y, s), rel=1e-12)


def test_the_high_sensitivity_side_of_the_curve():
    # Points (0, ½), (½, ½), (½, 1), (1, 1): above TPR ½ the curve stands at FPR ½.
    y, s = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    assert metrics.partial_auc(y, s, min_tpr=0.5, standardize="area") == pytest.approx(0.25)
    assert metrics.partial_auc(y, s, min_tpr=0.0) == pytest.approx(metrics.auc(y, s))
    assert metrics.partial_auc(y, s, min_tpr=0.5) == pytest.approx(0.5)
    assert metrics.partial_auc(y, s, min_tpr=0.5, standardize="mcclish") == pytest.approx(2 / 3)
    with pytest.raises(InputError, match="both"):
        metrics.partial_auc(y, s, min_tpr=0.5, max_fpr=0.1)


def test_standardizations_of_a_perfect_list_are_one():
    y, s = [0, 0, 1, 1], [1, 2, 3, 4]
    for standardize in ("width", "mcclish"):
        assert metrics.partial_auc(y, s, max_fpr=0.1, standardize=standardize) == pytest.approx(1)
        assert metrics.partial_auc(y, s, min_tpr=0.9, standardize=standardize) == pytest.approx(1)


@pytest.mark.parametrize("max_fpr", [0, -0.1, 1.1, np.nan])
def test_a_range_outside_the_unit_interval_is_refused(max_fpr):
    with pytest.raises(InputError, match="max_fpr must be in"):
        metrics.partial_auc([0, 1], [1, 2], max_fpr=max_fpr)


def test_scores_between_98_and_99_rank_like_any_others():
    # torchmetrics#2819: scores squashed by a sigmoid all become 1
    y, s = draw(0, 40)
    squeezed = (98.5 + s / 100).astype(np.float32)
    assert metrics.auc(y, squeezed) == metrics.auc(y, s)


@pytest.mark.parametrize("n_rows", [92_682, 200_001])
def test_pairs_beyond_two_to_the_31_are_counted_exactly(n_rows):
    # pROC#19; every second row is positive and just above the negative before it
    y = np.arange(n_rows) % 2
    n, m = int(y.sum()), int(n_rows - y.sum())
    below = sum(range(1, n + 1))
    assert n * m > 2**31
    assert metrics.auc(y, np.arange(n_rows)) == below / (n * m)


def test_weighted_pairs_beyond_two_to_the_53_are_right_to_the_last_digit():
    n = m = 100_000_007
    assert n * m > 2**53
    ours = metrics.auc([1, 1, 0], [1.0, 2.0, 1.0], sample_weight=[3, n - 3, m])
    assert ours == pytest.approx((2 * (n - 3) + 3) / (2 * n), rel=1e-15)


@pytest.mark.slow
def test_pairs_beyond_two_to_the_53_are_right_to_the_last_digit():
    n = 100_000_007
    s = np.zeros(2 * n, dtype=np.uint8)
    s[: n - 3] = 2  # all positives but three win every pair; those three tie with every negative
    y = np.arange(2 * n) < n
    assert n * n > 2**53
    assert metrics.auc(y, s) == (2 * (n - 3) + 3) / (2 * n)


def test_rank_sums_of_large_lists_stay_whole():
    pos, neg = np.arange(3.0), np.arange(3.0)
    below, upto = lists.rank_bounds(pos, neg)
    assert below.dtype == upto.dtype == np.int64


def test_ranks_above_two_to_the_24_are_exact_with_single_precision_scores():
    n = 2**24 + 3
    s = np.arange(n, dtype=np.float32)
    s[-4:] = [2**24, 2**24 + 2, 2**24 + 4, 2**24 + 6]
    y = np.zeros(n, dtype=bool)
    y[-1] = True
    assert metrics.auc(y, s) == 1.0
    y[[-1, -2]] = [False, True]
    assert metrics.auc(y, s) == (n - 2) / (n - 1)


def test_one_positive_among_a_million():
    s = np.arange(1_000_000)
    y = s == 250_000
    assert metrics.auc(y, s) == 250_000 / 999_999
    assert metrics.auc(~y, s) == 749_999 / 999_999


def test_a_million_equal_scores_are_worth_one_half():
    y = np.arange(1_000_000) % 3 == 0
    assert metrics.auc(y, np.full(1_000_000, 7.0)) == 0.5
    assert metrics.rank_statistic(y, np.zeros(1_000_000), phi="mww") == pytest.approx(0.5, rel=1e-12)


def test_extreme_scores_keep_their_order():
    y = [0, 1, 0, 1]
    assert metrics.auc(y, [-1e308, 1e308, 5e-324, 1e-320]) == 1.0
    assert metrics.auc(y, [5e-324, 1e-323, 0.0, -5e-324]) == 0.5


@pytest.mark.parametrize("case", CASES)
def test_tpr_at_fpr_is_the_curve(case):
    y, s = draw(*case)
    x, t = np.array(naive.roc_points(y, s)).T
    assert metrics.tpr_at_fpr(y, s, fpr=0.3) == pytest.approx(np.interp(0.3, x, t))
    assert metrics.tpr_at_fpr(y, s, fpr=0) == t[x == 0].max()
