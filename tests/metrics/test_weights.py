"""Weights of any size: right, and at a cost that does not depend on their sum."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from podium import metrics
from podium.exceptions import DegenerateSampleError, InputError
from podium.inference import interval
from podium.roc import RocCurve
from samples import draw


def exact_auc(is_positive, scores, weight):
    """By the definition, in whole numbers."""
    rows = list(zip(is_positive, scores, [Fraction(float(w)) for w in weight], strict=True))
    pos, neg = [(s, w) for y, s, w in rows if y], [(s, w) for y, s, w in rows if not y]
    won = sum(v * w * (1 if s > t else Fraction(1, 2) if s == t else 0) for s, v in pos for t, w in neg)
    return float(won / (sum(w for _, w in pos) * sum(w for _, w in neg)))


@pytest.mark.parametrize("exponent", [0, 3, 30, 300])
@pytest.mark.parametrize("seed", range(6))
def test_the_weighted_auc_is_exact_whatever_the_weights(exponent, seed):
    rng = np.random.default_rng(seed)
    y, s = draw(seed, 25, None if seed % 2 else 2)
    w = 10.0 ** rng.uniform(-exponent, exponent, len(s))
    expected = exact_auc(y, s, w)
    curve = RocCurve.from_scores(y, s, w)
    assert metrics.auc(y, s, sample_weight=w) == pytest.approx(expected, rel=0, abs=1e-12)
    assert metrics.rank_statistic(y, s, sample_weight=w) == pytest.approx(expected, rel=0, abs=1e-12)
    assert curve.auc() == pytest.approx(expected, rel=0, abs=1e-12)
    assert metrics.partial_auc(y, s, sample_weight=w) == pytest.approx(expected, rel=0, abs=1e-12)
    assert (np.diff(curve.fpr) >= 0).all()
    assert (np.diff(curve.tpr) >= 0).all()


def test_weights_of_different_size_do_not_cancel():
    assert metrics.auc([0, 1, 1], [1, 2, 3], sample_weight=[1e8, 1e-8, 1e-8]) == 1
    assert metrics.auc([0, 1, 1], [1, 2, 3], sample_weight=[1e-300] * 3) == 1
    y, s = draw(0, 30, 2)
    w = np.random.default_rng(0).random(30)
    assert metrics.auc(y, s, sample_weight=w * 1e-290) == pytest.approx(roc_auc_score(y, s, sample_weight=w), rel=1e-12)


def test_a_weighted_curve_never_falls():
    # scikit-learn's regression test: sums of both classes less those of one round below their predecessor
    rng = np.random.default_rng(42)
    y, s = rng.integers(0, 2, 100), rng.random(100)
    w = rng.lognormal(0, 3, 100)
    curve = RocCurve.from_scores(y, s, w)
    assert (np.diff(curve.fpr) >= 0).all()
    assert (curve.fpr[-1], curve.tpr[-1]) == (1, 1)


WEIGHTED = {
    "power:3": lambda y, s, w: metrics.rank_statistic(y, s, "power:3", sample_weight=w),
    "logrank": lambda y, s, w: metrics.rank_statistic(y, s, "logrank", sample_weight=w),
    "bedroc": lambda y, s, w: metrics.bedroc(y, s, sample_weight=w),
    "ndcg": lambda y, s, w: metrics.dcg(y, s, normalize=True, sample_weight=w),
    "dcg worst": lambda y, s, w: metrics.dcg(y, s, ties="worst", sample_weight=w),
    "dcg:500": lambda y, s, w: metrics.dcg(y, s, k=500, sample_weight=w),
    "average reciprocal rank": lambda y, s, w: metrics.average_reciprocal_rank(y, s, sample_weight=w),
    "average precision": lambda y, s, w: metrics.average_precision(y, s, sample_weight=w),
    "precision": lambda y, s, w: metrics.precision_at(y, s, fraction=0.1, sample_weight=w),
    "interval": lambda y, s, w: interval(y, s, "power:3", sample_weight=w).high,
}


@pytest.mark.parametrize("name", WEIGHTED)
def test_a_whole_weight_is_as_many_rows_also_in_long_lists(name):
    rng = np.random.default_rng(1)
    y, s = draw(1, 60, 2)
    w = rng.integers(1, 4000, 60)
    repeated = WEIGHTED[name](np.repeat(y, w), np.repeat(s, w), None)
    assert WEIGHTED[name](y, s, w) == pytest.approx(repeated, rel=1e-9)


@pytest.mark.parametrize("name", WEIGHTED)
def test_nothing_is_as_long_as_the_weights_sum_to(name):
    # a list of a trillion rows would not fit any memory
    y, s = draw(2, 200)
    w = np.random.default_rng(2).random(200) * 1e10
    w[17] = 1e12
    few, many = (WEIGHTED[name](y, s, weight) for weight in (w / 1e6, w))
    if name not in ("dcg worst", "dcg:500", "average reciprocal rank", "ndcg"):
        assert few == pytest.approx(many, rel=1e-2)  # a share of the list means the same in both
    assert np.isfinite(many)


def test_ranks_of_less_than_a_thousandth_of_a_row_are_refused_unless_phi_is_affine():
    with pytest.raises(DegenerateSampleError, match="Weights count rows"):
        metrics.rank_statistic([0, 1], [1, 2], "power:3", sample_weight=[1e-9, 1e-9])
    assert metrics.rank_statistic([0, 1], [1, 2], "logistic", sample_weight=[1e-9, 1e-9]) == 1


def test_weights_whose_sums_are_no_numbers_are_refused():
    with pytest.raises(InputError, match="between 1e-300 and"):
        metrics.auc([0, 1], [1, 2], sample_weight=[1, 1e-310])
    with pytest.raises(InputError, match="and 1e\\+15"):
        interval([0, 1, 0, 1], [1, 2, 3, 4], sample_weight=[1e20] * 4)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_the_bootstrap_of_large_weights_draws_masses_and_agrees_with_drawing_rows(method):
    y, s = draw(3, 80, 3)
    w = np.full(80, 1000.0)  # drawn by mass; as rows, there are 80,000
    by_mass = interval(y, s, "power:3", method=method, sample_weight=w, n_resamples=2000, rng=0)
    by_row = interval(np.repeat(y, 1000), np.repeat(s, 1000), "power:3", method=method, n_resamples=2000, rng=1)
    # the standard error of a bootstrap standard error from 2,000 draws is 1.6 %
    assert by_mass.standard_error == pytest.approx(by_row.standard_error, rel=4 * 0.016 * np.sqrt(2))
    assert by_mass.low == pytest.approx(by_row.low, abs=by_row.standard_error / 4)
