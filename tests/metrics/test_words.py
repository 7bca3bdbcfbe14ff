"""The measures of the fields equal the formulas their authors print, ties in the mean over the orders of the rows."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import ks_2samp

from metrics import naive_words as naive
from podium import InputError, metrics
from podium.inference import compare, interval
from podium.roc import RocCurve
from samples import draw

CASES = range(50)


def short_list(seed):
    """Seven to nine rows of both classes, with ties."""
    rng = np.random.default_rng(seed)
    n_rows = rng.integers(7, 10)
    y = rng.permutation(n_rows) < rng.integers(2, n_rows - 1)
    return y, rng.integers(0, 5, n_rows)


@pytest.mark.parametrize("seed", CASES)
def test_measures_of_an_order_are_their_formulas_in_the_mean_over_orders(seed):
    y, s = short_list(seed)
    for spec, formula, *numbers in (
        ("gini", naive.gini),
        ("enrichment:0.3", naive.enrichment, 0.3),
        ("relative-enrichment:0.3", naive.relative_enrichment, 0.3),
        ("rie:20", naive.rie, 20.0),
        ("bedroc:20", naive.bedroc, 20.0),
        ("rie:0.5", naive.rie, 0.5),
        ("capture@3", naive.capture, 3),
        ("hits@3", naive.hits, 3),
        ("lift@3", naive.lift, 3),
        ("erf@3", naive.erf, 3),
        ("atd", naive.atd),
        ("elusion@3", naive.elusion, 3),
    ):
        assert metrics.metric(spec)(y, s) == pytest.approx(naive.in_the_mean(formula, y, s, *numbers), abs=1e-12), spec


@pytest.mark.parametrize("seed", CASES)
def test_measures_of_recall_and_of_the_curve_are_their_formulas(seed):
    y, s = draw(seed, 30)
    top = y[np.argsort(-s)].tolist()
    for recall in (0.5, 0.8, 0.95):
        assert metrics.metric(f"wss:{recall}")(y, s) == pytest.approx(naive.wss(top, recall), abs=1e-12)
        found = metrics.metric(f"specificity-at-tpr:{recall}")(y, s)
        assert found == pytest.approx(naive.specificity_at(top, recall), abs=1e-12)
    assert metrics.metric("wss@95")(y, s) == metrics.metric("wss:0.95")(y, s) == metrics.metric("WSS@95%")(y, s)
    rates = RocCurve.from_scores(y, s)
    assert metrics.metric("roc-enrichment:0.2")(y, s) == pytest.approx(float(rates.at(0.2)) / 0.2, abs=1e-12)
    assert metrics.metric("nni@4")(y, s) == (4 / sum(top[:4]) if sum(top[:4]) else np.inf)


@pytest.mark.parametrize("seed", CASES)
def test_the_log_auc_is_the_integral_over_the_logarithm(seed):
    y, s = draw(seed, 60, 1) if seed % 2 else draw(seed, 60)
    curve = RocCurve.from_scores(y, s)
    low, high = 0.01, 0.4
    ends = [low, *curve.fpr[(curve.fpr > low) & (curve.fpr < high)], high]
    area = sum(
        quad(lambda x: np.interp(x, curve.fpr, curve.tpr) / x, a + 1e-14, b - 1e-14)[0]
        for a, b in pairwise(ends)
        if b > a
    )
    found = metrics.metric(f"log-auc:{low}:{high}")(y, s)
    assert found == pytest.approx(area / np.log(high / low), abs=1e-9)
    assert metrics.metric("logauc")([0] * 5000 + [1], [*range(5000), 6000]) == pytest.approx(1)


def test_random_order_has_the_log_auc_of_mysinger_and_shoichet():
    y, s = np.arange(20_000) % 2, np.zeros(20_000)  # one tie group: the diagonal
    assert metrics.metric("log-auc")(y, s) == pytest.approx((0.1 - 0.001) / np.log(100), rel=1e-12)  # .0215


@pytest.mark.parametrize("seed", CASES)
def test_ks_is_the_two_sample_statistic(seed):
    y, s = draw(seed, 40, 1)
    found = metrics.metric("ks")(y, s)
    assert found == pytest.approx(naive.ks(y, s), abs=1e-12)
    assert found == pytest.approx(ks_2samp(s[y], s[~y], method="asymp").statistic, abs=1e-12)


@pytest.mark.parametrize("seed", CASES)
def test_rates_at_a_cut_are_counts(seed):
    rng = np.random.default_rng(seed)
    y, p = rng.random(60) < 0.4, rng.integers(0, 11, 60) / 10
    cut = 0.3
    n = naive.at_cut(y, p, cut)
    for spec, expected in (
        ("sensitivity", n["TP"] / (n["TP"] + n["FN"])),
        ("specificity", n["TN"] / (n["TN"] + n["FP"])),
        ("ppv", n["TP"] / (n["TP"] + n["FP"])),
        ("npv", n["TN"] / (n["TN"] + n["FN"])),
        ("net-benefit", (n["TP"] - n["FP"] * cut / (1 - cut)) / 60),
    ):
        assert metrics.metric(f"{spec}:{cut}")(y, p) == pytest.approx(expected, abs=1e-12), spec


@pytest.mark.parametrize("seed", CASES)
def test_the_information_value_is_its_sum_over_bins_of_equal_numbers(seed):
    rng = np.random.default_rng(seed)
    y = rng.random(400) < 0.5
    s = rng.permutation(400).astype(float)
    bin_of = np.argsort(np.argsort(s)) // 100
    assert metrics.metric("iv:4")(y, s) == pytest.approx(naive.information_value(y, bin_of), abs=1e-12)
    assert metrics.metric("iv:4")(y, bin_of) == pytest.approx(naive.information_value(y, bin_of), abs=1e-12)


def test_an_empty_cell_of_the_information_value_counts_half_a_row():
    y, s = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 0, 1, 1, 1])
    expected = 2 * (1 - 0.5 / 3) * np.log(6)
    assert metrics.metric("iv:2")(y, s) == pytest.approx(expected)


WEIGHTED = ("gini", "ks", "iv:4", "wss@80", "erf@20%", "atd", "enrichment:0.1", "rie:5", "log-auc:0.05:0.5", "ppv:0.5")


@pytest.mark.parametrize("spec", WEIGHTED)
def test_whole_weights_are_repeated_rows(spec):
    rng = np.random.default_rng(1)
    y, s, weight = rng.random(80) < 0.4, rng.integers(0, 30, 80) / 30, rng.integers(1, 4, 80)
    repeated = np.repeat(y, weight), np.repeat(s, weight)
    assert metrics.metric(spec)(y, s, sample_weight=weight) == pytest.approx(metrics.metric(spec)(*repeated), rel=1e-10)


def test_limits_of_a_measure_are_those_of_the_other_on_its_scale():
    y, s = draw(3, 200)
    n, m = y.sum(), (~y).sum()
    area = interval(y, s)
    for spec, to in (("gini", lambda a: 2 * a - 1), ("atd", lambda a: n + m + 1 - (n + 1) / 2 - m * a)):
        found = interval(y, s, spec)
        limits = sorted([to(area.low), to(area.high)])
        assert (found.estimate, found.low, found.high) == pytest.approx((to(area.estimate), *limits))
    assert interval(y, s, "gini", method="delong").low == pytest.approx(2 * interval(y, s, method="delong").low - 1)
    precision, needed = interval(y, s, "precision@20"), interval(y, s, "nni@20")
    assert (needed.low, needed.high) == pytest.approx((1 / precision.high, 1 / precision.low))
    assert needed.standard_error == pytest.approx(precision.standard_error / precision.estimate**2)
    # A difference of Ginis is twice one of AUCs, and as sure.
    a, b = compare(y, s, -s, metric="gini"), compare(y, s, -s)
    assert (a.difference, a.low, a.high, a.pvalue) == pytest.approx((2 * b.difference, 2 * b.low, 2 * b.high, b.pvalue))


@pytest.mark.parametrize(
    "name",
    [
        *("tpr-at-fpr:0.2", "specificity-at-tpr:0.8", "partial-auc:0.2", "ks"),
        pytest.param("log-auc:0.05:0.5", marks=pytest.mark.slow),
    ],
)
def test_influence_is_about_the_spread_over_samples(name):
    """The standard error by influence values, against the spread of the measure over 400 samples."""
    from podium import _input
    from podium.inference.lists.by_name import metric_estimate
    from podium.inference.lists.influence import variance_of_rows

    rng = np.random.default_rng(0)
    y = np.arange(900) < 300
    values, errors = [], []
    for _ in range(400):
        sample = _input.check_sample(y, rng.normal(size=900) + 1.5 * y)
        found = metric_estimate(sample, name)
        values.append(found.value)
        errors.append(variance_of_rows(found.influence, sample))
    assert np.sqrt(np.mean(errors)) == pytest.approx(np.std(values), rel=0.15)


def test_the_threshold_of_ks_was_chosen_so_limits_lean_down_and_chance_is_not_excluded():
    rng, held = np.random.default_rng(2), 0
    for _ in range(200):
        y, s = np.arange(80) < 40, rng.normal(size=80)
        found = interval(y, s, "ks")
        held += found.low == 0
        assert found.low <= found.estimate <= found.high
    assert held >= 0.93 * 200
    shuffled = rng.permutation(80)
    assert interval(y[shuffled], s[shuffled], "ks") == found  # whatever the order of the rows
    assert interval(y, -s, "ks").estimate == pytest.approx(found.estimate)  # a distance has no side


@pytest.mark.parametrize(
    ("spec", "scores", "message"),
    [
        ("net-benefit:0.2", np.arange(40), "probabilities as scores"),
        ("net-benefit:2", np.arange(40) / 40, "threshold probability"),
        ("log-auc:0.2:0.1", np.arange(40), "min_fpr must be in"),
        ("iv:1", np.arange(40), "n_bins must be 2 or more"),
        ("enrichment:0", np.arange(40), "not of the form"),
        ("wss@0", np.arange(40), "not of the form"),
        ("ks:3", np.arange(40), "not of the form"),
        ("bedroc:-1", np.arange(40), "alpha must be"),
    ],
)
def test_what_means_nothing_gets_a_sentence(spec, scores, message):
    y = np.arange(40) % 2
    with pytest.raises(InputError, match=message):
        metrics.metric(spec)(y, scores)
    with pytest.raises(InputError, match=message):
        interval(y, scores, spec)


def test_where_nothing_is_found_the_number_needed_is_without_limit_and_is_not_compared():
    y, s = np.arange(60) < 10, np.arange(60)
    found = interval(y, s, "nni@5")
    assert (found.estimate, found.high) == (np.inf, np.inf)
    assert 1 < found.low < 10
    with pytest.raises(InputError, match="must be finite"):
        compare(y, s, -s, metric="nni@5")


def test_a_setting_that_makes_a_measure_meaningless_is_noted():
    rng = np.random.default_rng(0)
    y, s = np.arange(1000) < 20, rng.normal(size=1000)
    assert "not small" in interval(y, s, "bedroc:20").note  # .4
    assert "not small" not in interval(y, s, "bedroc:4").note  # .08
    assert "most of the range" in interval(y, s, "log-auc").note
    assert "fewer bins" in interval(y, s, "iv:10").note
    assert "nothing is known" in interval(y, s, "ppv:99").note
