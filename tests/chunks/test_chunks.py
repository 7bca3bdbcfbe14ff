"""What is computed from chunks is what is computed from all rows in one array, however they are cut."""

from functools import reduce

import numpy as np
import pytest

from podium import inference, metrics
from podium.chunks import Collect, CountedList, count_list, merge
from podium.exceptions import DegenerateSampleError, InputError
from podium.roc import RocCurve

N = 3000
RNG = np.random.default_rng(0)
Y = RNG.random(N) < 0.3
NOISE = RNG.standard_normal(N)
SCORES = {
    "no ties": NOISE + Y,
    "ties": np.round(NOISE + Y, 1),
    "all equal": np.zeros(N),
    "extreme": np.where(NOISE > 0, 1e300 * NOISE, NOISE),
    "large whole numbers": 2**60 + RNG.integers(0, 50, N),
    "perfect": Y + RNG.random(N) / 2,
}
CUTS = {"one": [], "halves": [N // 2], "single rows first": list(range(1, 40)), "many": list(range(100, N, 173))}


@pytest.fixture(params=SCORES.values(), ids=SCORES)
def scores(request):
    return request.param


@pytest.fixture(params=CUTS.values(), ids=CUTS)
def cuts(request):
    return request.param


def chunked(y, s, cuts):
    return lambda: zip(np.split(y, cuts), np.split(s, cuts), strict=True)


@pytest.mark.parametrize("collect", ["positives", "negatives"])
def test_chunks_give_what_one_array_gives(scores, cuts, collect):
    ranked = count_list(chunked(Y, scores, cuts), collect=collect)
    assert (ranked.n_pos, ranked.n_neg) == (Y.sum(), N - Y.sum())
    assert ranked.auc() == metrics.auc(Y, scores)
    assert ranked.rank_statistic() == metrics.auc(Y, scores)
    for phi in ("power:3", "smooth-top:0.9", "dcg:100", "van-der-waerden"):
        assert ranked.rank_statistic(phi) == pytest.approx(metrics.rank_statistic(Y, scores, phi), rel=1e-13, abs=1e-13)
        of_chunks = np.concatenate([ranked.influence_values(y, s, phi) for y, s in chunked(Y, scores, cuts)()])
        whole = inference.influence_values(Y, scores, phi)
        np.testing.assert_allclose(of_chunks, whole, rtol=1e-9, atol=1e-10)
    assert ranked.standard_error() == pytest.approx(
        inference.interval(Y, scores, method="delong").standard_error, abs=1e-12
    )


@pytest.mark.parametrize("collect", ["positives", "negatives"])
def test_the_curve_of_chunks_is_the_same_line_with_thresholds_that_cut_the_same_rows(scores, collect):
    curve = count_list(chunked(Y, scores, [1000]), collect=collect).roc_curve()
    whole = RocCurve.from_scores(Y, scores)
    assert curve.distance(whole) == 0.0
    assert curve.auc() == pytest.approx(whole.auc(), abs=1e-14)
    for fpr, tpr, threshold in zip(curve.fpr, curve.tpr, curve.thresholds, strict=True):
        if scores.dtype.kind == "f":
            above = scores >= threshold
            assert (above[~Y].mean(), above[Y].mean()) == pytest.approx((fpr, tpr), abs=1e-12)


def test_merging_in_any_order_gives_the_same_list():
    first = Collect()
    parts = [first.summarize(Y[k::5], SCORES["ties"][k::5]) for k in range(5)]
    forward, backward = reduce(merge, parts), reduce(merge, parts[::-1])
    np.testing.assert_array_equal(forward.values, backward.values)
    np.testing.assert_array_equal(forward.counts, backward.counts)
    second = first.finish(merge(merge(parts[3], parts[1]), merge(parts[0], merge(parts[2], parts[4]))))
    counts = [second.summarize(Y[k::5], SCORES["ties"][k::5]) for k in range(5)]
    assert second.finish(reduce(merge, counts)).auc() == metrics.auc(Y, SCORES["ties"])


def test_more_pairs_than_a_float_or_a_64_bit_number_holds_are_counted():
    n = 10**10 + 7
    ranked = CountedList(values=np.array([0.0]), pos=np.array([0, n, 3]), neg=np.array([n - 1, 1, 0]))
    wins = 2 * (n * (n - 1) + 3 * n) + n
    assert ranked.auc() == wins / (2 * (n + 3) * n)
    assert ranked.rank_statistic("power:3") == pytest.approx(1.0, abs=1e-9)


def test_labels_may_have_names_and_chunks_one_class():
    y, s = np.array(["good", "bad", "bad", "good"]), np.array([3.0, 1.0, 2.0, 4.0])
    assert count_list(lambda: zip(np.split(y, 4), np.split(s, 4), strict=True), pos_label="good").auc() == 1.0


def test_a_list_of_one_class_is_refused():
    with pytest.raises(DegenerateSampleError, match="got no positives"):
        count_list(lambda: [([0, 0], [1, 2])])
    with pytest.raises(DegenerateSampleError, match="got positives only"):
        count_list(lambda: [([1, 1], [1, 2])])
    with pytest.raises(InputError, match="must have the same length"):
        Collect().summarize([0, 1], [1.0])
    with pytest.raises(InputError, match="collect must be one of"):
        Collect(collect="both")
