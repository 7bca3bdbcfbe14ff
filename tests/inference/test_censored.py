"""Labels at a horizon: weights, estimates and what they contribute, against the definitions and other libraries."""

import coverage_horizon as simulated
import numpy as np
import pytest

import naive
from inference import naive_censored as definition
from podium import inference, metrics
from podium.exceptions import DegenerateSampleError, InputError, InputTypeError
from podium.inference.censored import HorizonEstimate
from podium.labels import Observed
from podium.metrics.named import metric

MEASURES = {"auc": "phi", "power:3": "phi", "average-precision": "metric", "ndcg": "metric", "recall-at:20": "metric"}


def table(n_rows, seed=0, unit=0.0, with_competing=False):
    """Times, statuses (1: event, 2: competing, 0: censored) and scores; times rounded up to units tie."""
    rng = np.random.default_rng(seed)
    score = rng.normal(size=n_rows).round(1)
    time = rng.exponential(np.exp(-score))
    censoring = rng.exponential(1.5, n_rows)
    other = rng.exponential(2.0, n_rows) if with_competing else np.full(n_rows, np.inf)
    times = np.array([censoring, time, other])
    times = np.ceil(times / unit) * unit if unit else times
    status = np.array([1, 2, 0])[np.argmin(times[[1, 2, 0]], axis=0)]  # events first
    return times.min(axis=0), status, score


def observed_of(time, status, horizon):
    competing = status == 2
    return Observed.at_horizon(status == 1, time, horizon, competing=competing if competing.any() else None)


def test_who_had_the_event_by_the_horizon_who_did_not_and_who_has_no_label():
    labels = Observed.at_horizon([1, 1, 0, 0, 0, 1], [3, 5, 5, 4, 9, 9], 5)
    assert np.array_equal(labels.y, [1, 1, 0, np.nan, 0, 0], equal_nan=True)
    assert repr(labels) == "Observed(2 of 6 rows with the event by 5, 3 without, 1 censored before)"
    other = Observed.at_horizon([1, 0, 0, 0, 0, 0], [3, 2, 5, 4, 9, 6], 5, competing=[0, 1, 0, 0, 0, 1])
    assert np.array_equal(other.y, [1, 0, 0, np.nan, 0, 0], equal_nan=True)


def test_a_censored_row_is_stood_for_by_those_known_later_and_a_tied_event_comes_first():
    labels = Observed.at_horizon([1, 0, 1, 0, 0], [2, 2, 3, 9, 9], 5)
    assert labels.horizon.weight == pytest.approx([1, 0, 4 / 3, 4 / 3, 4 / 3], rel=1e-15)
    assert Observed.at_horizon([1, 0, 0, 0], [1, 5, 5, 9], 5).horizon.weight == pytest.approx([1] * 4)  # at the horizon


@pytest.mark.parametrize("unit", [0.0, 0.25, 1.0])
@pytest.mark.parametrize("with_competing", [False, True])
def test_weights_are_those_of_kaplan_and_meier_and_add_up(unit, with_competing):
    time, status, _ = table(200, 1, unit, with_competing)
    for horizon in (1.0, 2.0):
        at = observed_of(time, status, horizon).horizon
        assert at.weight == pytest.approx(definition.weights(time, status, horizon), rel=1e-12)
        assert at.weight.sum() == pytest.approx(200, rel=1e-12)
        incidence = definition.cumulative_incidence(time, status, horizon)
        assert at.weight[at.is_positive].sum() / 200 == pytest.approx(incidence, rel=1e-12)


def test_metrics_are_those_of_the_weighted_rows():
    time, status, score = table(150, 2, 0.25)
    labels, known = observed_of(time, status, 1.0), definition.weights(time, status, 1.0)
    is_positive = (status == 1) & (time <= 1)
    assert metrics.auc(labels, score) == pytest.approx(naive.auc(is_positive, score, known), rel=1e-12)
    for name, k in (
        ("average_precision", {}),
        ("precision_at", {"k": 20}),
        ("recall_at", {"k": 20}),
        ("lift_at", {"k": 9}),
    ):
        value = getattr(metrics, name)
        assert value(labels, score, **k) == pytest.approx(
            value(is_positive, score, **k, sample_weight=known), rel=1e-12
        )
    for scale in ("omega", "mean", "sum"):
        assert metrics.rank_statistic(labels, score, "power:3", scale=scale) == pytest.approx(
            metrics.rank_statistic(is_positive, score, "power:3", scale=scale, sample_weight=known), rel=1e-12
        )


def test_where_nobody_is_censored_before_the_horizon_labels_are_the_usual_ones():
    time, status, score = table(150, 3)
    time = np.where(status == 1, time, time + 1)
    labels, is_positive = observed_of(time, status, 1.0), (status == 1) & (time <= 1)
    assert not labels.has_gaps
    assert metrics.auc(labels, score) == pytest.approx(metrics.auc(is_positive, score), rel=1e-12)
    assert inference.interval(labels, score) == inference.interval(is_positive, score)
    estimate = HorizonEstimate.of(labels, score, "auc")
    assert estimate.value == pytest.approx(metrics.auc(is_positive, score), rel=1e-12)
    n_pos, error = is_positive.sum(), inference.interval(is_positive, score).standard_error
    assert estimate.limits(0.95).standard_error == pytest.approx(error, rel=1 / n_pos)  # n/(n − 1) of all, not by class


@pytest.mark.parametrize("unit", [0.0, 0.25])
def test_the_estimated_weights_cost_what_the_martingale_says(unit):
    time, status, score = table(120, 4, unit, with_competing=True)
    labels = observed_of(time, status, 1.0)
    estimate = HorizonEstimate.of(labels, score, "power:3")
    assert estimate.influence.sum() == pytest.approx(0, abs=1e-12)
    wanted = definition.with_estimated_weights(estimate.influence, time, status, 1.0)
    assert estimate.changes == pytest.approx(wanted, rel=1e-10, abs=1e-14)
    assert np.abs(estimate.changes[labels.horizon.is_censored]).min() > 0


@pytest.mark.parametrize("spec", MEASURES)
@pytest.mark.parametrize("unit", [0.0, 0.25])
def test_a_row_contributes_what_more_of_it_changes(spec, unit):
    """The slope of the estimate, weights estimated anew, in how often a row is there."""
    time, status, score = table(160, 5, unit)
    is_positive, step = (status == 1) & (time <= 1), 1e-4

    def value(i, times):
        count = np.ones(160)
        count[i] += times
        weight = definition.weights(time, status, 1.0, count)
        weight *= 160 / weight.sum()  # φ and a cut at k depend on the length of the list
        return metric(spec)(is_positive, score, sample_weight=weight)

    rows = np.random.default_rng(0).choice(160, 12, replace=False)
    slopes = np.array([(value(i, step) - value(i, -step)) / (2 * step) for i in rows])
    changes = HorizonEstimate.of(observed_of(time, status, 1.0), score, spec).changes[rows]
    if spec == "recall-at:20":  # whose slope at the cut is smoothed
        assert np.corrcoef(slopes, changes)[0, 1] > 0.9
    else:
        assert changes == pytest.approx(slopes, rel=0.05, abs=0.03 * np.abs(slopes).max())


@pytest.mark.parametrize("horizon", [0.3, 1.0, 2.0])
def test_the_standard_error_is_that_of_time_roc(horizon):
    time, status, score = table(150, 6)
    auc, error = definition.auc_and_error_of_time_roc(time, status == 1, score, horizon)
    found = inference.interval(observed_of(time, status, horizon), score)
    assert found.estimate == pytest.approx(auc, abs=1e-12)
    assert found.standard_error == pytest.approx(error, abs=1e-10)


def test_the_error_of_the_share_with_the_event_is_greenwoods():
    time, status, _ = table(2000, 7)
    at = observed_of(time, status, 1.0).horizon
    share = at.weight[at.is_positive].sum() / 2000
    changes = at.with_estimated_weights(at.weight * (at.is_positive - share) / 2000)
    greenwood = sum(
        1 / (n_at_risk * (n_at_risk - 1))
        for n_at_risk in ((time >= u).sum() for u in time[(status == 1) & (time <= 1)])
    )
    assert changes @ changes == pytest.approx((1 - share) ** 2 * greenwood, rel=0.005)


def test_rows_may_come_in_any_order():
    time, status, score = table(100, 8, 0.25)
    other = np.random.default_rng(1).permutation(100)
    one, two = (
        inference.interval(observed_of(time[rows], status[rows], 1.0), score[rows], "power:3")
        for rows in (np.arange(100), other)
    )
    assert [one.estimate, one.low, one.high] == pytest.approx([two.estimate, two.low, two.high], rel=1e-10)


def test_a_comparison_is_of_the_differences_of_what_rows_contribute():
    time, status, score = table(200, 9, 0.25)
    labels, worse = observed_of(time, status, 1.0), score + np.random.default_rng(2).normal(size=200)
    found = inference.compare(labels, score, worse)
    a, b = (HorizonEstimate.of(labels, each, "auc") for each in (score, worse))
    assert found.difference == pytest.approx(metrics.auc(labels, score) - metrics.auc(labels, worse), rel=1e-12)
    error = (a.changes - b.changes).std(ddof=1) * np.sqrt(200)
    assert found.standard_error == pytest.approx(error, rel=1e-10)
    assert inference.compare(labels, score, score).pvalue == 1
    assert len(inference.compare(labels, {"a": score, "b": worse, "c": -score}, metric="average-precision").pairs) == 3
    with pytest.raises(InputError, match="there is no groups"):
        inference.compare(labels, score, worse, groups=np.arange(200) % 50)


@pytest.mark.parametrize("spec", MEASURES)
def test_intervals_hold_the_estimate_and_say_what_is_known(spec):
    time, status, score = table(120, 10)
    labels = observed_of(time, status, 1.0)
    found = inference.interval(labels, score, **{MEASURES[spec]: spec})
    assert 0 < found.low < found.estimate < found.high < 1
    assert found.n_pos + found.n_neg == pytest.approx(120)
    at = labels.horizon
    assert f"{at.is_positive.sum()} events by 1; {at.is_censored.sum()} of 120 rows censored before" in found.note
    assert found.estimate == pytest.approx(metric(spec)(at.is_positive, score, sample_weight=at.weight))


def test_perfect_separation_is_not_certain_and_few_events_are_said():
    time = np.concatenate([np.arange(1, 7) / 10, np.arange(6) / 10 + 0.05, np.arange(1, 49)])
    labels = Observed.at_horizon(np.arange(60) < 6, time, 1.0)
    found = inference.interval(labels, -np.arange(60.0))
    assert found.estimate == 1
    assert found.standard_error == pytest.approx(0, abs=1e-12)
    assert 0.4 < found.low < 0.9
    assert "a class is worth 6 rows: coverage may fall short" in found.note
    with pytest.raises(DegenerateSampleError, match="at least two events and two rows without"):
        inference.interval(Observed.at_horizon([1, 0, 0, 0], [2, 1, 5, 5], 3), [4, 3, 2, 1])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (([1, 0, 0], [1, 2, 3], 4), "must lie within the follow-up; got 4, and the longest follow-up is 3"),
        (([1, 0, 0], [1, -2, -3], 2), "must not be negative; got 2 of 3 below 0, the least -3"),
        (([1, 0, 0], [3, 2, 4], 2), "need events at or before it, 2; the first event is at 3"),
        (([0, 0, 0], [3, 2, 4], 2), "need events at or before it, 2; no row has the event"),
        (([1, 0, 1], [3, 2, 4], 4), "known to be without the event at 4; all 2 rows"),
        (([1, 0], [3, 2, 4], 2), "event must have one entry per row; got 2 for 3"),
        (([1, 0, 2], [3, 2, 4], 2), "event must be 0 and 1, or booleans; got 2"),
        (([1, 0, 0], [3, 2, np.nan], 2), "follow_up must be finite; got NaN in 1 of 3"),
        (([1, 0, 0], [3, 2, 4], 0), r"horizon must be in \(0, inf\); got 0"),
    ],
)
def test_bad_input_gets_a_sentence(arguments, sentence):
    with pytest.raises(InputError if "need" not in sentence else DegenerateSampleError, match=sentence):
        Observed.at_horizon(*arguments)


def test_more_bad_input_gets_a_sentence():
    with pytest.raises(InputError, match="or a competing one, whichever came first; got 1 rows with both"):
        Observed.at_horizon([1, 0, 0], [1, 2, 3], 2, competing=[1, 0, 0])
    labels = Observed.at_horizon([1, 1, 0, 0, 0, 0], [1, 2, 1, 5, 5, 5], 3)
    for call in (metrics.auc, metrics.precision_at, inference.interval):
        k = {"k": 2} if call is metrics.precision_at else {}
        with pytest.raises(InputError, match="must have the same length; got 6 labels and 5 scores"):
            call(labels, np.arange(5), **k)
        with pytest.raises(InputError, match="sample_weight"):
            call(labels, np.arange(6), **k, sample_weight=np.ones(6))
    with pytest.raises(InputError, match="events are their positives; got pos_label=0"):
        metrics.rank_statistic(labels, np.arange(6), "power:3", pos_label=0)
    with pytest.raises(InputError, match="there is no method"):
        inference.interval(labels, np.arange(6), method="delong")


def test_functions_that_do_not_take_them_say_so():
    labels = Observed.at_horizon([1, 1, 0, 0, 0, 0], [1, 2, 1, 5, 5, 5], 3)
    for by_design in (
        lambda: inference.tpr_interval(labels, np.arange(6), fpr=0.2),
        lambda: inference.precision_at_interval(labels, np.arange(6), k=2),
        lambda: inference.hits_per_period(labels, np.arange(6), [0, 0, 0, 1, 1, 1], k=1),
    ):
        with pytest.raises(
            InputError, match=r"labels that are missing by design; got Observed.2 of 6 rows with the ev"
        ):
            by_design()
    for whole in (lambda: inference.roc_band(labels, np.arange(6)), lambda: metrics.partial_auc(labels, np.arange(6))):
        with pytest.raises(
            InputTypeError, match=r"1 of 6 censored before the horizon 3\.\nHint: labels at a horizon are"
        ):
            whole()


# scikit-survival weighs by G(T) where we, and the definition of its papers, weigh by G(T−): the same where no row is
# censored at the time of an event. Moved to later in the unit of time, censorings tie with no event, and ours does not
# change.


TABLES = ["gbsg2", "whas500", "veterans_lung_cancer", "aids", "flchain", "breast_cancer"]


@pytest.mark.parametrize("name", TABLES)
def test_the_auc_is_that_of_scikit_survival(name):
    datasets = pytest.importorskip("sksurv.datasets")
    cumulative_dynamic_auc = pytest.importorskip("sksurv.metrics").cumulative_dynamic_auc
    X, y = getattr(datasets, f"load_{name}")()
    event, time = (y[field] for field in y.dtype.names)
    numbers = X.select_dtypes("number").fillna(0).to_numpy(dtype=float)
    score = ((numbers - numbers.mean(axis=0)) / (numbers.std(axis=0) + 1e-9)).sum(axis=1).round(1)  # ties
    assert (time == np.round(time)).all()  # days, and many tie
    later = np.where(event, time, time + 0.25)
    horizons = np.floor(np.quantile(time, [0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85])) + 0.5
    assert len(np.unique(horizons)) == 10
    kinds = np.array(list(zip(event, later, strict=True)), dtype=[("event", bool), ("time", float)])
    wanted, _ = cumulative_dynamic_auc(kinds, kinds, score, horizons)
    found = [metrics.auc(Observed.at_horizon(event, time, horizon), score) for horizon in horizons]
    assert found == pytest.approx(wanted, abs=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("n_events", [30, 100])
@pytest.mark.parametrize("censored", [0.2, 0.6])
def test_intervals_cover_at_a_horizon(n_events, censored):
    held = simulated.coverage("auc", 0.7, n_events, censored, 200)[0][0]
    assert held >= 0.93 - 4 * np.sqrt(0.05 * 0.95 / 200)
