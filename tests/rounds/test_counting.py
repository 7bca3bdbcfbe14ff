"""What is computed from chunks is what is computed from all rows in one array, however they are cut."""

from functools import reduce
from operator import add

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from podium import inference, metrics
from podium.exceptions import DegenerateSampleError, InputError, InputTypeError
from podium.inference.comparisons.comparison import influence_of_rows
from podium.inference.intervals.influence import jackknife
from podium.inference.lists.ranking import Ranking
from podium.phi import resolve
from podium.roc import RocCurve
from podium.rounds import CountedList, count_list, counting, run
from podium.rounds.counting import counting_cells

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
    "lumps": np.where(RNG.random(N) < 0.6, 1.0, 1.0 + 1e-12 * np.round(NOISE, 2)),
}
CUTS = {
    "one": [],
    "with an empty one": [N // 2, N // 2],
    "single rows first": list(range(1, 40)),
    "many": list(range(100, N, 173)),
}
PER_SCORE = 96  # bytes
MEMORY = {"all rows held": 1e9, "one class held": PER_SCORE * 1500}


@pytest.fixture(params=SCORES.values(), ids=SCORES)
def scores(request):
    return request.param


@pytest.fixture(params=CUTS.values(), ids=CUTS)
def cuts(request):
    return request.param


@pytest.fixture(params=MEMORY.values(), ids=MEMORY)
def memory(request):
    return request.param


def chunked(y, s, cuts):
    return lambda: zip(np.split(y, cuts), np.split(s, cuts), strict=True)


def kind_of(step):
    return {"collect": "gather", "_count": "count"}[step.func.__name__]


def passes_over(y, s, **limits):
    """The kinds of passes that were needed."""
    kinds = []

    def count_passes(step):
        kinds.append(kind_of(step))
        return reduce(add, (step(*chunk) for chunk in chunked(y, s, [500, 1800])()))

    return run(counting(**limits), count_passes), kinds


def influence_values(ranked, y, s, phi):
    return influence_of_rows(jackknife(Ranking.of_counts(ranked, resolve(phi))), s, y)


@pytest.mark.parametrize(
    ("name", "cut", "held", "y"),
    [  # every kind of score in every cut; what is held and which class is small alternate
        (name, cut, list(MEMORY)[(i + j) % 2], (Y, ~Y)[(i + j // 2) % 2])
        for i, name in enumerate(SCORES)
        for j, cut in enumerate(CUTS)
    ],
)
def test_chunks_give_what_one_array_gives(name, cut, held, y):
    scores, cuts, memory = SCORES[name], CUTS[cut], MEMORY[held]
    ranked = count_list(chunked(y, scores, cuts), memory=memory)
    assert (ranked.n_pos, ranked.n_neg, ranked.max_error) == (y.sum(), N - y.sum(), 0)
    assert ranked.auc() == metrics.auc(ranked) == metrics.rank_statistic(ranked) == metrics.auc(y, scores)
    for k in (1, 10, 777, N):
        for at in (metrics.precision_at, metrics.recall_at, metrics.lift_at):
            assert at(ranked, k=k) == at(y, scores, k)
    for phi in ("power:3", "smooth-top:0.9", "dcg:100", "van-der-waerden"):
        assert metrics.rank_statistic(ranked, phi=phi) == pytest.approx(
            metrics.rank_statistic(y, scores, phi), rel=1e-13, abs=1e-13
        )
        of_chunks = [influence_values(ranked, *chunk, phi) for chunk in chunked(y, scores, cuts)() if len(chunk[0])]
        whole = inference.influence_values(y, scores, phi)
        np.testing.assert_allclose(np.concatenate(of_chunks), whole, rtol=1e-9, atol=1e-10)


def test_statistics_equal_those_of_one_array_to_the_last_bit_where_nothing_ties():
    for y in (Y, ~Y):
        for memory in MEMORY.values():
            ranked = count_list(chunked(y, SCORES["no ties"], [1000]), memory=memory)
            for phi in ("power:3", "smooth-top:0.9", "dcg:100", "van-der-waerden"):
                assert metrics.rank_statistic(ranked, phi=phi) == metrics.rank_statistic(y, SCORES["no ties"], phi)


def test_the_curve_of_chunks_is_the_same_line_with_thresholds_that_cut_the_same_rows(scores, memory):
    curve = RocCurve.from_scores(count_list(chunked(Y, scores, [1000]), memory=memory))
    whole = RocCurve.from_scores(Y, scores)
    assert curve.distance(whole) == 0.0
    assert curve.auc() == pytest.approx(whole.auc(), abs=1e-14)
    for fpr, tpr, threshold in zip(curve.fpr, curve.tpr, curve.thresholds, strict=True):
        if scores.dtype.kind == "f":
            above = scores >= threshold
            assert (above[~Y].mean(), above[Y].mean()) == pytest.approx((fpr, tpr), abs=1e-12)


def test_intervals_bands_and_areas_are_those_of_one_array(scores, memory):
    ranked = count_list(chunked(Y, scores, [1000]), memory=memory)
    for options in ({}, {"phi": "power:3", "scale": "mean"}, {"method": "delong"}, {"method": "newcombe"}):
        of_chunks, whole = inference.interval(ranked, **options), inference.interval(Y, scores, **options)
        assert of_chunks.method == whole.method
        assert (of_chunks.note, of_chunks.estimate) == (whole.note, pytest.approx(whole.estimate, rel=1e-14))
        assert (of_chunks.low, of_chunks.high) == pytest.approx((whole.low, whole.high), abs=1e-12)
    at = np.linspace(0, 1, 300)
    for method in ("ell", "dkw"):
        band, whole_band = inference.roc_band(ranked, method=method), inference.roc_band(Y, scores, method=method)
        np.testing.assert_allclose(band.at(at), whole_band.at(at), atol=1e-14)
    for options in ({"max_fpr": 0.1}, {"min_tpr": 0.8, "standardize": "mcclish"}):
        assert metrics.partial_auc(ranked, **options) == pytest.approx(
            metrics.partial_auc(Y, scores, **options), abs=1e-14
        )


def test_weights_count_as_in_one_array(scores, memory):
    weight = RNG.integers(0, 4, N) * 0.7
    ranked = count_list(
        lambda: zip(*(np.split(a, [1000, 1003]) for a in (Y, scores, weight)), strict=True), memory=memory
    )
    assert ranked.max_error == 0
    assert ranked.auc() == pytest.approx(metrics.auc(Y, scores, sample_weight=weight), rel=1e-12)
    assert metrics.precision_at(ranked, k=50) == pytest.approx(
        metrics.precision_at(Y, scores, 50, sample_weight=weight), rel=1e-12
    )
    for phi in ("power:3", "dcg:100"):
        whole = metrics.rank_statistic(Y, scores, phi, sample_weight=weight)
        assert metrics.rank_statistic(ranked, phi=phi) == pytest.approx(whole, rel=1e-12, abs=1e-12)
    whole = inference.interval(Y, scores, sample_weight=weight)
    assert inference.interval(ranked).low == pytest.approx(whole.low, abs=1e-8)


def test_one_pass_two_or_three_as_memory_allows():
    few_mixed = np.where(np.abs(NOISE) < 0.1, NOISE, NOISE + 10 * Y)  # classes overlap in a few rows
    exact = metrics.auc(Y, few_mixed)
    for n_scores, kinds in ((3000, ["gather"]), (1500, ["gather", "count"]), (800, ["gather", "count", "gather"])):
        ranked, passes = passes_over(Y, few_mixed, memory=PER_SCORE * n_scores)
        assert (ranked.auc(), ranked.max_error, passes) == (exact, 0, kinds)


def test_scores_that_tie_are_held_once_however_many_rows_there_are():
    ranked, passes = passes_over(Y, SCORES["ties"], memory=PER_SCORE * 300)
    assert (ranked.auc(), passes) == (metrics.auc(Y, SCORES["ties"]), ["gather"])


@pytest.mark.parametrize("phi", ["auc", "power:3", "smooth-top:0.9"])
def test_where_memory_does_not_suffice_bounds_hold_the_value(phi, scores):
    ranked = count_list(chunked(Y, scores, [1000]), memory=PER_SCORE * 200)
    low, high = (metrics.rank_statistic(order, phi=phi) for order in ranked.extremes)
    exact = metrics.rank_statistic(Y, scores, phi)
    assert low - 1e-12 <= exact <= high + 1e-12
    assert low - 1e-12 <= metrics.rank_statistic(ranked, phi=phi) <= high + 1e-12
    if phi == "auc":
        assert high - low == pytest.approx(2 * ranked.max_error, abs=1e-12)
        assert abs(ranked.auc() - exact) <= ranked.max_error


def test_an_error_that_suffices_saves_passes_and_one_out_of_reach_is_refused():
    ranked, passes = passes_over(Y, SCORES["no ties"], memory=PER_SCORE * 500, tol=0.01)
    assert passes == ["gather", "count"]
    assert 0 < ranked.max_error <= 0.01
    assert "wrong by" in repr(ranked)
    with pytest.raises(InputError, match=r"known to 0\.00.*asked for was 1e-05"):
        passes_over(Y, SCORES["no ties"], memory=PER_SCORE * 500, tol=1e-5)


def test_cells_that_hold_both_classes_are_divided_until_their_rows_fit():
    rng = np.random.default_rng(1)
    n = 60_000
    y = np.arange(n) % 2 == 1
    # A tenth of the rows lies in one cell of the first count, and few of them are mixed at a closer look.
    s = np.where(rng.random(n) < 0.9, y * 10.0 + rng.random(n), 5 + (rng.random(n) + 0.95 * y) / 500)
    known = CountedList(
        values=np.array([-np.inf]), pos=np.array([n // 2]), neg=np.array([n // 2]), wide=np.array([True])
    )
    assert known.max_error == 0.5
    seen = []

    def take(step):
        seen.append(kind_of(step))
        return step(y, s)

    starts = np.concatenate([[-np.inf], np.linspace(-1, 12, 200)])
    counted = run(counting_cells(starts, n, None, PER_SCORE * 4000, 0.0), take)
    assert seen == ["count", "count", "gather"]
    assert (counted.auc(), counted.max_error) == (metrics.auc(y, s), 0)


def test_summaries_add_up_in_any_order_to_the_same_list():
    chunks = [(Y[k::5], SCORES["no ties"][k::5]) for k in range(5)]

    def one_by_one(step):
        return reduce(add, [step(*chunk) for chunk in chunks])

    def in_a_tree(step):
        a, b, c, d, e = (step(*chunk) for chunk in chunks)
        return (d + b) + (a + (c + e))

    for memory in MEMORY.values():
        one, other = (run(counting(memory=memory), take) for take in (one_by_one, in_a_tree))
        np.testing.assert_array_equal(one.values, other.values)
        assert one.auc() == other.auc() == metrics.auc(Y, SCORES["no ties"])


def test_more_pairs_than_a_float_or_a_64_bit_number_holds_are_counted():
    n = 10**10 + 7
    ranked = CountedList.of_cells(np.array([-1.0, 0.0, 1.0]), np.array([0, n, 3]), np.array([n - 1, 1, 0]))
    ranked = CountedList(values=ranked.values, pos=ranked.pos, neg=ranked.neg, wide=np.zeros(3, bool))
    wins = 2 * (n * (n - 1) + 3 * n) + n
    assert ranked.auc() == wins / (2 * (n + 3) * n)
    assert metrics.rank_statistic(ranked, phi="power:3") == pytest.approx(1.0, abs=1e-9)


def test_labels_may_have_names_and_chunks_one_class():
    y, s = np.array(["good", "bad", "bad", "good"]), np.array([3.0, 1.0, 2.0, 4.0])
    assert count_list(lambda: zip(np.split(y, 4), np.split(s, 4), strict=True), pos_label="good").auc() == 1.0


def test_what_cannot_be_ranked_is_refused_with_the_chunk_it_lies_in():
    with pytest.raises(DegenerateSampleError, match="got no positives"):
        count_list(lambda: [([0, 0], [1, 2])])
    with pytest.raises(DegenerateSampleError, match="got no negatives"):
        count_list(lambda: [([1, 1], [1, 2])])
    with pytest.raises(DegenerateSampleError, match="got no positives"):
        count_list(list)
    with pytest.raises(InputError, match="chunk 1: y_true and y_score must have the same length"):
        count_list(lambda: [([0, 1], [1.0, 2.0]), ([0, 1], [1.0])])
    with pytest.raises(InputError, match="chunk 1: y_score must be finite; got NaN in 1 of 2 rows"):
        count_list(lambda: [([0, 1], [1.0, 2.0]), ([0, 1], [1.0, np.nan])])
    with pytest.raises(InputError, match="must have two labels; got 3: 0, 1, -1, the last in chunk 2"):
        count_list(lambda: [([0, 1], [1.0, 2.0]), ([1], [1.0]), ([1, -1], [1.0, 2.0])])
    with pytest.raises(InputError, match="must have two labels; got 3: 'a', 'b', 'c', the last in chunk 1"):
        count_list(lambda: [(["a", "b"], [1.0, 2.0]), (["b", "c"], [1.0, 2.0])], pos_label="a")
    with pytest.raises(InputError, match=r"tol must be in \[0, 1\]"):
        count_list(list, tol=2)


def test_the_auc_of_held_rows_is_counted_without_groups_or_by_them(monkeypatch):
    rng = np.random.default_rng(5)
    y, s = rng.random(500) < 0.3, rng.integers(0, 40, 500) / 7
    counted = count_list(lambda: [(y[:200], s[:200]), (y[200:], s[200:])])
    won = counted.auc()
    assert "_groups" not in vars(counted)
    monkeypatch.setattr("podium.rounds.counted._MOST_PAIRS", 1)
    assert won == counted.auc() == pytest.approx(roc_auc_score(y, s), abs=1e-14)
    assert "_groups" in vars(counted)


def test_functions_take_chunks_and_counts_in_place_of_labels_and_scores(scores):
    chunks = chunked(Y, scores, [700, 2000])
    assert metrics.auc(chunks) == metrics.auc(Y, scores)
    assert metrics.push_risk(chunks, p=3) == metrics.push_risk(Y, scores, 3)
    assert metrics.partial_auc(chunks, max_fpr=0.2) == pytest.approx(metrics.partial_auc(Y, scores, 0.2), rel=1e-13)
    assert inference.interval(chunks, phi="power:3") == inference.interval(count_list(chunks), phi="power:3")
    certified = inference.certificate(chunks, phi="power:3").estimate
    assert certified == pytest.approx(inference.certificate(Y, scores, "power:3").estimate, rel=1e-12, abs=1e-12)
    hits = inference.precision_at_interval(chunks, k=100)
    assert hits.to_dict() == pytest.approx(inference.precision_at_interval(Y, scores, k=100).to_dict())
    pairs = [(Y[part], {"a": scores[part], "b": NOISE[part]}) for part in (slice(1000), slice(1000, None))]
    of_chunks, whole = inference.compare(lambda: pairs), inference.compare(Y, scores, NOISE)
    assert of_chunks.difference == pytest.approx(whole.difference, abs=1e-14)
    assert of_chunks.standard_error == pytest.approx(whole.standard_error, abs=1e-3)  # runs of one class vary less


def test_what_chunks_cannot_say_gets_a_sentence(monkeypatch):
    chunks = chunked(Y, SCORES["no ties"], [1000])
    with pytest.raises(InputTypeError, match=r"got list alone.*\n.*lambda: chunks"):
        metrics.auc([(Y, NOISE)])
    with pytest.raises(InputTypeError, match=r"got str beside.*\n.*phi='power:3'"):
        metrics.rank_statistic(chunks, "power:3")
    with pytest.raises(InputTypeError, match="got ndarray beside"):
        metrics.auc(count_list(chunks), NOISE)
    with pytest.raises(InputError, match="interval of rows in chunks takes no groups"):
        inference.interval(chunks, groups=Y)
    with pytest.raises(InputError, match="must have no weights"):
        inference.certificate(lambda: [(Y, NOISE, np.ones(N))])
    monkeypatch.setattr("podium._memory.left_over", lambda: 4 * PER_SCORE * 200)
    with pytest.raises(InputError, match=r"Memory does not suffice for exact ranks: the AUC lies between 0\.\d+ and"):
        metrics.precision_at(chunks, k=10)
    with pytest.raises(InputError, match="holds the scores of all positives, 200 of them at most; got"):
        metrics.push_risk(chunks, p=3)
