"""Intervals and comparisons of average precision, NDCG, precision, recall and lift."""

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import beta
from sklearn.metrics import average_precision_score

from inference import naive_metrics as naive
from podium import DegenerateSampleError, InputError, _input, metrics
from podium.inference import compare, interval
from podium.inference.hits.new_draw import NewDraw
from podium.inference.lists.by_name import metric_estimate
from samples import draw, labeled_scores, weighted_rows

CASES = [(0, 40, None), (1, 40, 2), (2, 25, 1), (5, 60, 4)]
NAMES = ["average-precision", "ndcg", "precision-at:7", "recall-at:7", "lift-at:7"]


def estimate(y, s, name, weight=None):
    return metric_estimate(_input.check_sample(y, s, weight), name)


@pytest.mark.parametrize("case", CASES)
def test_average_precision_has_the_jackknife_variance_and_the_events_of_their_definitions(case):
    y, s = draw(*case)
    found = estimate(y, s, "average-precision")
    assert found.value == pytest.approx(naive.average_precision(y, s), abs=1e-12)
    variance = naive.jackknife_variance(y, s, naive.average_precision)
    assert interval(y, s, metric="average-precision").standard_error == pytest.approx(variance**0.5, rel=1e-10)
    events = [3 / 4 * naive.event(y, s, naive.average_precision, direction) for direction in (-1, 1)]
    assert found.events() == pytest.approx(events, rel=1e-9)


@pytest.mark.parametrize("case", CASES)
def test_ndcg_has_the_jackknife_variance_of_its_definition(case):
    y, s = draw(*case)
    variance = naive.jackknife_variance(y, s, lambda y, s: metrics.dcg(y, s, normalize=True))
    assert interval(y, s, metric="ndcg").standard_error == pytest.approx(variance**0.5, rel=0.05)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("k", [3, 10, 20])
def test_influence_at_the_cut_is_that_of_its_definition(case, k):
    y, s = draw(*case)
    at_cut = NewDraw.of(_input.check_sample(y, s)).chance_at_cut(k)
    wanted = naive.recall_influence(y, s, k, at_cut)
    assert estimate(y, s, f"recall-at:{k}").influence == pytest.approx(wanted, abs=1e-12)
    assert estimate(y, s, f"precision-at:{k}").influence == pytest.approx(wanted * y.sum() / k, abs=1e-12)
    assert estimate(y, s, f"lift-at:{k}").influence == pytest.approx(wanted * len(y) / k, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("case", CASES)
def test_the_estimate_is_the_metric_and_lies_between_the_limits(name, case):
    y, s = draw(*case)
    found = interval(y, s, metric=name)
    assert found.estimate == pytest.approx(metrics.metric(name)(y, s), abs=1e-12)
    assert found.low <= found.estimate <= found.high
    assert found.low < found.high
    assert (found.phi, found.scale) == (name, "metric")


def test_the_average_precision_is_scikit_learns():
    y, s = draw(1, 40, 2)
    assert interval(y, s, metric="average_precision").estimate == pytest.approx(average_precision_score(y, s))


@given(labeled_scores(min_rows=4))
def test_limits_stay_between_the_worst_and_the_best_list_and_hold_the_estimate(rows):
    y, s = rows
    if min(y.sum(), (~y).sum()) < 2:
        return
    for name in ("average-precision", "recall-at:2", "precision-at:2"):
        found = interval(y, s, metric=name)
        assert -1e-12 <= found.low <= found.estimate <= found.high <= 1 + 1e-12


@pytest.mark.parametrize("name", NAMES)
def test_whole_weights_are_repeated_rows_and_rows_as_clusters_are_rows(name):
    s, y, weight = weighted_rows()
    times = weight.astype(int)
    weighted = interval(y, s, metric=name, sample_weight=weight)
    repeated = interval(np.repeat(y, times), np.repeat(s, times), metric=name)
    assert (weighted.low, weighted.high) == pytest.approx((repeated.low, repeated.high), abs=1e-9)
    clustered = interval(y, s, metric=name, groups=np.arange(len(y)))
    assert clustered.standard_error == pytest.approx(interval(y, s, metric=name).standard_error, rel=1e-9)


def test_light_weights_are_the_limit_of_small_changes():
    s, y, weight = weighted_rows(200)
    whole = interval(y, s, metric="average-precision", sample_weight=weight)
    light = weight.copy()
    light[0] -= 0.999
    found = interval(y, s, metric="average-precision", sample_weight=light)
    assert found.standard_error == pytest.approx(whole.standard_error, rel=0.05)


def test_no_limit_is_the_estimate_where_the_list_is_perfect():
    y = np.arange(60) >= 30
    found = interval(y, np.arange(60), metric="average-precision")
    assert (found.estimate, found.high) == (1.0, 1.0)
    assert 0.7 < found.low < 0.97
    # Ten hits of ten: close to the limit of Clopper and Pearson, the rows above the cut being a binomial sample
    hits = interval(y, np.arange(60), metric="precision-at:10")
    assert hits.low == pytest.approx(beta.ppf(0.025, 10, 1), abs=0.07)


def test_constant_scores_say_nothing():
    y = np.arange(40) % 4 == 0
    found = interval(y, np.zeros(40), metric="average-precision")
    assert (found.low, found.high) == (0.0, 1.0)
    assert "all scores tie" in found.note


@pytest.mark.parametrize("name", ["average-precision", "recall-at:10", "ndcg"])
def test_intervals_hold_their_level(name):
    """Binormal, 20 positives of 120 rows: at least .93 less two standard errors (full tables: the docstring)."""
    rng = np.random.default_rng(3)
    n, m, draws, copies = 20, 100, 300, 2000
    y = np.arange(n + m) < n
    if name == "ndcg":  # of lists this long
        truth = np.mean([metrics.dcg(y, rng.normal(size=n + m) + 1.5 * y, normalize=True) for _ in range(2000)])
    else:
        all_y = np.repeat(y, copies)
        scores = rng.normal(size=len(all_y)) + 1.5 * all_y
        truth = metrics.metric(name.replace("10", str(10 * copies)))(all_y, scores)
    held = [
        (r := interval(y, rng.normal(size=n + m) + 1.5 * y, metric=name)).low <= truth <= r.high for _ in range(draws)
    ]
    assert np.mean(held) > 0.93 - 2 * (0.05 * 0.95 / draws) ** 0.5


@pytest.mark.parametrize("name", ["average-precision", "precision-at:20"])
def test_the_comparison_of_equal_scorers_holds_its_level(name):
    rng, draws = np.random.default_rng(4), 300
    y = np.arange(150) < 50
    rejected = 0
    for _ in range(draws):
        truth = rng.normal(size=150) + 1.2 * y
        a, b = truth + rng.normal(size=150) / 2, truth + rng.normal(size=150) / 2
        rejected += compare(y, a, b, metric=name).pvalue < 0.05
    assert rejected / draws < 0.05 + 3 * (0.05 * 0.95 / draws) ** 0.5


@pytest.mark.parametrize("name", NAMES)
def test_comparisons_are_differences_of_the_metric(name):
    y, a = draw(5, 60, 4)
    b = a + np.random.default_rng(9).integers(-1, 2, len(a)) / 2
    found = compare(y, a, b, metric=name)
    values = [metrics.metric(name)(y, s) for s in (a, b)]
    assert found.difference == pytest.approx(values[0] - values[1], abs=1e-12)
    assert found.low <= found.difference <= found.high
    swapped = compare(y, b, a, metric=name)
    assert (swapped.low, swapped.pvalue) == pytest.approx((-found.high, found.pvalue))
    several = compare(y, {"a": a, "b": b, "sum": a + b}, metric=name)
    assert several["a", "b"].difference == pytest.approx(found.difference)
    assert several["a", "b"].high >= found.high


def test_unpaired_comparisons_add_variances_and_warn_of_other_shares():
    (y, a), (z, b) = draw(0, 40), draw(6, 50)
    found = compare(y, a, b, metric="average-precision", paired=False, y_true_b=z)
    errors = [interval(*rows, metric="average-precision").standard_error for rows in ((y, a), (z, b))]
    assert found.standard_error == pytest.approx(np.hypot(*errors))
    assert "on which average precision depends" in found.note


def test_a_phi_by_metric_is_that_phi():
    y, s = draw(0, 40)
    assert interval(y, s, metric="power:3") == interval(y, s, "power:3")
    assert compare(y, s, -s, metric="auc") == compare(y, s, -s)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"metric": "push-risk:4"}, "push_risk_certificate"),
        ({"metric": "partial-auc:0.1", "groups": np.arange(40)}, "independent rows"),
        ({"metric": "partial-auc:0.1", "sample_weight": np.ones(40)}, "repeat the rows"),
        ({"metric": "nonsense"}, "known by its name"),
        ({"metric": "recall-at:40"}, "fewer rows than the whole list"),
        ({"metric": "recall-at:41"}, "the list has 40 rows"),
        ({"metric": "ndcg", "phi": "dcg"}, "by phi or by metric"),
        ({"metric": "average-precision", "method": "bca"}, "its own scale"),
        ({"metric": "ndcg", "scale": "sum"}, "its own scale"),
    ],
)
def test_what_has_no_interval_is_refused(arguments, message):
    y, s = draw(0, 40)
    with pytest.raises(InputError, match=message):
        interval(y, s, **arguments)


def test_a_variance_needs_two_of_each_class():
    with pytest.raises(DegenerateSampleError, match="two positives"):
        interval([0, 0, 1], [1, 2, 3], metric="average-precision")
    with pytest.raises(InputError, match="by a φ or by a metric"):
        compare([0, 0, 1, 1], [1, 2, 3, 4], [1, 3, 2, 4], "dcg", metric="ndcg")
