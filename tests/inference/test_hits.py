from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, norm

from inference import naive_hits as naive
from podium import _input, metrics
from podium._types import Sample
from podium.exceptions import InputError
from podium.inference import interval, precision_at_interval
from podium.inference.hits import new_draw
from podium.inference.hits.fixed_composition import hits_distribution, hits_moments
from podium.inference.hits.new_draw import NewDraw
from podium.roc import RocCurve
from samples import CASES, binormal, draw, labeled_scores


def population(rng, n_rows, share=0.1, auc=0.9):
    """Rows of which a random number is positive."""
    y = rng.random(n_rows) < share
    return y, rng.standard_normal(n_rows) + y * np.sqrt(2) * norm.ppf(auc)


# --- a new draw -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("n_next", [7, None, 300])
@pytest.mark.parametrize("few", [5, 1000], ids=["looked for", "tried"])
def test_the_range_is_that_of_its_formula(case, n_next, few, monkeypatch):
    monkeypatch.setattr(new_draw, "_FEW", few)
    y, s = draw(*case)
    length = len(y) if n_next is None else n_next
    for k in {1, max(1, length // 5), length}:
        found = precision_at_interval(y, s, k=k, n_next=n_next)
        at_cut = NewDraw.of(_input.check_sample(y, s)).chance_at_cut(k * len(y) / length)
        assert (found.low, found.high) == naive.new_draw_range(y, s, k, length, 0.95, at_cut)


@pytest.mark.parametrize("case", [case for case in CASES if case[1] > 3])
def test_hits_to_expect_are_those_above_the_cut_and_ten_rows_of_the_line_along_the_list(case):
    y, s = draw(*case)
    for k, n_next in ((1, 50 * len(y)), (5, 3 * len(y)), (len(y) // 2, len(y)), (10 * len(y), 10 * len(y))):
        found, wanted = precision_at_interval(y, s, k=k, n_next=n_next), k * naive.expected_precision(y, s, k / n_next)
        is_better = min(y.sum(), (~y).sum()) > 1 and interval(y, s).low > 0.5
        at_random = k * y.mean() if is_better else 0.0
        assert found.estimate == pytest.approx(np.clip(max(wanted, at_random), found.low, found.high), rel=2e-3)


def test_one_label_cannot_turn_what_to_expect_of_a_long_list():
    y, s = population(np.random.default_rng(4), 120, share=0.3, auc=0.8)
    best, found = np.argmax(s), []
    for label in (False, True):
        y[best] = label
        found.append(precision_at_interval(y, s, k=40, n_next=4000).estimate)
    assert 15 < found[0] < found[1] < found[0] + 8  # 40 rows, for which 1.2 judged ones stand


def test_scores_that_are_surely_better_than_random_are_expected_to_find_no_less_than_random_order():
    rng = np.random.default_rng(0)
    y = rng.random(600) < 0.2
    s = rng.normal(size=600) + 1.2 * y
    s[np.flatnonzero(~y)[:30]] += 20  # negatives on top
    assert interval(y, s).low > 0.5
    assert precision_at_interval(y, s, k=20, n_next=600).estimate == pytest.approx(20 * y.mean())
    with_none = precision_at_interval(y, -s, k=20, n_next=600)
    assert with_none.estimate < 20 * y.mean()


@pytest.mark.parametrize("prevalence", [0.02, 0.3, 0.7])
@pytest.mark.parametrize("n_rows", [60, 2000])
def test_the_range_at_another_share_of_positives_is_that_of_its_formula(prevalence, n_rows):
    y, s = population(np.random.default_rng(n_rows), n_rows, share=0.2)
    draws = NewDraw.of(_input.check_sample(y, s), prevalence)
    for k, n_next in ((20, 300), (300, 300), (500, 4000), (9000, 10000)):
        found = draws.prediction(k, n_next, 0.95)
        at_cut = draws.chance_at_cut(k / n_next * n_rows)
        sizes = y.sum(), (~y).sum()
        rows = k / n_next * n_rows
        precision = np.interp(rows, draws.rows, draws.hits) / rows
        expected = naive.new_draw_range_at(prevalence, *sizes, precision, at_cut, k, n_next, 0.95)
        assert (found.low, found.high) == expected


def test_the_range_of_a_very_long_list_takes_no_array_of_its_length():
    y, s = population(np.random.default_rng(0), 1000)
    found = NewDraw.of(_input.check_sample(y, s)).prediction(5 * 10**10, 10**11, 0.95)
    assert found.low < found.estimate < found.high
    assert (found.high - found.low) / 5e10 < 0.1


def test_the_variance_is_that_of_the_hits_in_samples():
    rng, k = np.random.default_rng(0), 60
    hits = [y[np.argsort(-s)[:k]].sum() for y, s in (population(rng, 600) for _ in range(2000))]
    found = [precision_at_interval(*population(rng, 600), k=k).standard_deviation for _ in range(100)]
    assert np.mean(found) == pytest.approx(np.std(hits), rel=4 / np.sqrt(2 * 2000) + 0.02)


@pytest.mark.parametrize(
    ("n_rows", "n_next", "share", "k"),
    [(500, 500, 0.02, 5), (500, 500, 0.1, 50), (500, 100, 0.1, 20), (100, 1000, 0.3, 100)],
)
def test_the_hits_of_a_new_draw_are_in_the_range_as_often_as_promised(n_rows, n_next, share, k):
    rng = np.random.default_rng(8)
    inside = 0
    for _ in range(400):
        y, s = population(rng, n_rows, share)
        if not y.any():
            y[0] = True
        next_y, next_s = population(rng, n_next, share)
        answer = precision_at_interval(y, s, k=k, n_next=n_next)
        inside += answer.low <= next_y[np.argsort(-next_s)[:k]].sum() <= answer.high
    assert inside >= binom.ppf(0.001, 400, 0.95)


@pytest.mark.slow
def test_the_range_for_the_same_positives_is_too_narrow_for_a_new_draw():
    rng = np.random.default_rng(9)
    inside = 0
    for _ in range(100):
        answer = precision_at_interval(*population(rng, 400), k=200, composition="fixed")
        next_y, next_s = population(rng, 400)
        inside += answer.low <= next_y[np.argsort(-next_s)[:200]].sum() <= answer.high
    assert inside / 100 < 0.7


def test_a_case_control_sample_speaks_for_a_list_with_few_positives():
    rng = np.random.default_rng(10)
    inside, off = 0, []
    for _ in range(400):
        y, s, _ = binormal(rng, 200, 200)
        answer = precision_at_interval(y, s, k=100, n_next=2000, prevalence=0.02)
        next_y, next_s = population(rng, 2000, 0.02)
        hits = next_y[np.argsort(-next_s)[:100]].sum()
        inside += answer.low <= hits <= answer.high
        off.append(answer.estimate - hits)
    assert inside >= binom.ppf(0.001, 400, 0.95)
    assert abs(np.mean(off)) < 4 * np.std(off) / np.sqrt(400)


@given(labeled_scores())
def test_the_share_of_positives_here_changes_nothing_in_the_estimate_when_it_is_given(sample):
    y, s = sample
    plain, given_share = (precision_at_interval(y, s, k=2, prevalence=share) for share in (None, y.mean()))
    assert given_share.estimate == pytest.approx(plain.estimate)
    assert given_share.prevalence == pytest.approx(plain.prevalence)


def test_clusters_widen_the_range_and_single_rows_are_nearly_independent():
    rng = np.random.default_rng(11)
    y, s = population(rng, 1000)
    plain = precision_at_interval(y, s, k=100)
    alone = precision_at_interval(y, s, k=100, groups=np.arange(1000))
    assert (alone.low, alone.high) == pytest.approx((plain.low, plain.high), abs=1)
    thrice = precision_at_interval(np.repeat(y, 3), np.repeat(s, 3), k=300, groups=np.repeat(np.arange(1000), 3))
    # Three equal rows each: a third of the information, three times the hits.
    assert (thrice.high - thrice.low) / (plain.high - plain.low) == pytest.approx(3, rel=0.1)


@pytest.mark.slow
def test_the_range_of_clustered_rows_holds():
    rng, cluster = np.random.default_rng(12), np.repeat(np.arange(250), 4)
    inside = 0

    def clustered():
        y = (rng.random(250) < 0.1)[cluster]
        return y, rng.standard_normal(250)[cluster] + 0.5 * rng.standard_normal(1000) + 1.5 * y

    for _ in range(300):
        answer = precision_at_interval(*clustered(), k=100, groups=cluster)
        y, s = clustered()
        inside += answer.low <= y[np.argsort(-s)[:100]].sum() <= answer.high
    assert inside >= binom.ppf(0.001, 300, 0.95)


@given(labeled_scores(), st.integers(1, 40), st.sampled_from([None, 0.03, 0.6]))
def test_the_estimate_is_inside_and_the_range_possible(sample, n_next, prevalence):
    y, s = sample
    for k in {1, n_next}:
        answer = precision_at_interval(y, s, k=k, n_next=n_next, prevalence=prevalence)
        assert 0 <= answer.low <= answer.estimate + 1e-9
        assert answer.estimate - 1e-9 <= answer.high <= k


@given(labeled_scores())
def test_the_hits_here_are_the_metric(sample):
    y, s = sample
    for composition in ("random", "fixed"):
        answer = precision_at_interval(y, s, k=2, composition=composition)
        if composition == "fixed":
            assert answer.estimate == pytest.approx(2 * metrics.precision_at(y, s, k=2))
        assert 0 <= answer.low <= answer.estimate <= answer.high <= 2


def test_few_rows_for_a_long_list_are_noted():
    y, s = draw(0, 40)
    assert "less than one of the rows" in precision_at_interval(y, s, k=2, n_next=1000).note
    assert precision_at_interval(y, s, k=25, n_next=1000).note == ""


def test_what_cannot_be_answered_is_refused_in_a_sentence():
    y, s = draw(0, 40)
    with pytest.raises(InputError, match="the list has 40 rows"):
        precision_at_interval(y, s, k=41)
    with pytest.raises(InputError, match="the list has 10 rows"):
        precision_at_interval(y, s, k=11, n_next=10)
    with pytest.raises(InputError, match="composition must be one of 'random', 'fixed'"):
        precision_at_interval(y, s, k=4, composition="same")
    with pytest.raises(InputError, match="composition='fixed' is for a list with the positives"):
        precision_at_interval(y, s, k=4, composition="fixed", n_next=50)
    with pytest.raises(InputError, match="prevalence must be in"):
        precision_at_interval(y, s, k=4, prevalence=1.0)
    with pytest.raises(InputError, match="groups must name the cluster of every row"):
        precision_at_interval(y, s, k=4, groups=[1, 2])


# --- the same number of positives -------------------------------------------------------------------------------------
def test_hits_of_a_useless_scorer_are_hypergeometric():
    from scipy.stats import hypergeom

    k, n_pos, n_neg = 12, 20, 30
    exact = hypergeom.sf(np.arange(k), n_pos + n_neg, n_pos, k)
    useless = RocCurve.from_points([], [])
    np.testing.assert_allclose(hits_distribution(useless, k, n_pos, n_neg), exact, atol=5e-4)
    mean, variance = hits_moments(useless, k, n_pos, n_neg)
    assert mean == pytest.approx(k * 0.4, rel=1e-3)
    assert variance == pytest.approx(hypergeom.var(50, 20, 12), rel=5e-3)


def test_hits_that_the_composition_forces_are_certain():
    y, s = draw(0, 40)
    everything = precision_at_interval(y, s, k=40, composition="fixed")
    assert (everything.low, everything.high, everything.estimate) == (y.sum(), y.sum(), y.sum())
    assert precision_at_interval(y, s, k=39, composition="fixed").low >= y.sum() - 1


def test_hits_without_any_doubt_still_have_a_range():
    y = np.repeat([0, 1], 100_000)
    for composition in ("random", "fixed"):
        answer = precision_at_interval(y, np.arange(200_000), k=10, composition=composition)
        assert (answer.estimate, answer.low, answer.high) == (10, 6, 10)


def test_the_hits_of_a_list_with_the_same_positives_are_in_its_range_as_often_as_promised():
    rng = np.random.default_rng(8)
    inside = 0
    for _ in range(150):
        y, here, _ = binormal(rng, 50, 150)
        _, there, _ = binormal(rng, 50, 150)
        hits = y[np.argsort(-there)[:40]].sum()
        answer = precision_at_interval(y, here, k=40, composition="fixed")
        inside += answer.low <= hits <= answer.high
    assert inside >= binom.ppf(0.01, 150, 0.95)


def test_distant_counts_are_left_out_without_loss():
    curve = RocCurve.from_points([0.01, 0.1, 0.5], [0.3, 0.7, 0.95])
    at_least = hits_distribution(curve, 3000, 2000, 5000)
    assert (np.diff(at_least) <= 1e-12).all()
    assert at_least[0] == 1
    assert at_least[-1] < 1e-12
    steps = -np.diff(at_least)
    assert steps.max() < 0.05  # no cut falls where the distribution still moves


@pytest.mark.parametrize("k", [2000, 10_000, 19_000])
def test_the_distribution_of_hits_is_the_same_with_and_without_interpolation(k, monkeypatch):
    fpr = np.linspace(0, 1, 2001)
    curve = RocCurve.from_points(fpr, fpr**0.3)
    mean, variance = hits_moments(curve, k, 4000, 16_000)
    monkeypatch.setattr("podium.inference.hits.fixed_composition._NODES", 10**6)
    all_mean, all_variance = hits_moments(curve, k, 4000, 16_000)
    assert mean == pytest.approx(all_mean, abs=0.01)
    assert variance == pytest.approx(all_variance, rel=1e-3)


@pytest.mark.parametrize(
    ("n_rows", "n_next", "prevalence", "shift", "k"), [(1000, 5000, 0.5, 1.0, 20), (300, 300, 0.3, 1.0, 6)]
)
def test_the_recall_of_few_rows_is_covered_and_never_more_than_can_be_found(n_rows, n_next, prevalence, shift, k):
    rng, covered, n_draws = np.random.default_rng(0), 0, 200

    def draw(size):
        y = rng.random(size) < prevalence
        return Sample(rng.normal(size=size) + shift * y, y)

    for _ in range(n_draws):
        labeled, following = draw(n_rows), draw(n_next)
        estimate, low, high = NewDraw.of(labeled).recall(k, n_next, 0.95)
        assert 0 <= low <= estimate <= high <= k / (0.6 * labeled.is_positive.mean() * n_next)
        first = np.argsort(-following.scores)[:k]
        covered += low <= following.is_positive[first].sum() / following.is_positive.sum() <= high
    assert covered >= 0.95 * n_draws - 2 * np.sqrt(n_draws * 0.95 * 0.05)


def test_a_weight_of_three_is_three_rows_for_hits_and_recall():
    rng = np.random.default_rng(5)
    y, weight = rng.random(300) < 0.3, rng.integers(1, 5, 300)
    s = (rng.standard_normal(300) + y).round(1)
    weighted = NewDraw.of(Sample(s, y, weight.astype(float)))
    repeated = NewDraw.of(Sample(np.repeat(s, weight), np.repeat(y, weight)))
    for k in (20, 100, 400):
        one, other = (astuple(draw.prediction(k, 500, 0.95)) for draw in (weighted, repeated))
        assert one == pytest.approx(other, rel=1e-9)
        assert weighted.recall(k, 500, 0.95) == pytest.approx(repeated.recall(k, 500, 0.95), rel=1e-9)


def test_rows_that_come_twice_say_as_much_as_once_if_told_to_belong_together():
    rng = np.random.default_rng(6)
    y = rng.random(2000) < 0.3
    s = rng.standard_normal(2000) + y
    once = NewDraw.of(Sample(s, y)).recall(200, 2000, 0.95)
    twice = NewDraw.of(Sample(np.repeat(s, 2), np.repeat(y, 2)), None, np.repeat(np.arange(2000), 2))
    assert twice.recall(400, 4000, 0.95) == pytest.approx(once, rel=0.02)
    assert NewDraw.of(Sample(np.repeat(s, 2), np.repeat(y, 2))).recall(400, 4000, 0.95)[1] > 1.02 * once[1]
