import numpy as np
import pytest
from scipy.stats import norm

import naive
from podium import InputError
from podium.inference import compare, influence_values, interval
from samples import draw

CASES = [(0, 40, None), (1, 40, 2), (2, 25, 1), (5, 60, 4)]


def two_scorers(case):
    y, a = draw(*case)
    b = a + np.random.default_rng(9).integers(-1, 2, len(a)) / 2
    return y, a, b


@pytest.mark.parametrize("case", CASES)
def test_a_paired_comparison_of_aucs_is_delongs_test_ties_included(case):
    y, a, b = two_scorers(case)
    va, vb = naive.delong_components(y, a), naive.delong_components(y, b)
    cov = naive.delong_covariance
    error = (cov(y, va, va) + cov(y, vb, vb) - 2 * cov(y, va, vb)) ** 0.5
    z = (naive.auc(y, a) - naive.auc(y, b)) / error
    found = compare(y, a, b)
    assert (found.statistic, found.standard_error) == pytest.approx((z, error), abs=1e-10)
    assert found.pvalue == pytest.approx(2 * norm.sf(abs(z)), abs=1e-10)
    assert (found.low, found.high) == pytest.approx(found.difference + norm.ppf([0.025, 0.975]) * error, abs=1e-10)


@pytest.mark.parametrize("phi", ["mww", "power:3", "van-der-waerden"])
def test_an_unpaired_comparison_adds_the_variances(phi):
    y, a, _ = two_scorers(CASES[0])
    z, c = draw(7, 50, 3)
    found = compare(y, a, c, phi, paired=False, y_true_b=z)
    one, other = (interval(labels, s, phi, method="jackknife") for labels, s in ((y, a), (z, c)))
    assert found.difference == pytest.approx(one.estimate - other.estimate)
    assert found.standard_error == pytest.approx(np.hypot(one.standard_error, other.standard_error))
    assert ("share of positives" in found.note) == (phi != "mww")


def test_swapping_the_scorers_turns_the_sign_and_the_alternative():
    y, a, b = two_scorers(CASES[0])
    one, other = compare(y, a, b, "power:3", alternative="greater"), compare(y, b, a, "power:3", alternative="less")
    assert one.statistic == pytest.approx(-other.statistic)
    assert one.pvalue == pytest.approx(other.pvalue)
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low))
    two_sided = compare(y, a, b, "power:3").pvalue
    assert min(one.pvalue, 1 - one.pvalue) == pytest.approx(two_sided / 2)


def test_many_scorers_are_compared_in_pairs_with_holms_correction():
    y, a, b = two_scorers((0, 80, None))
    scorers = {"a": a, "b": b, "noise": np.random.default_rng(1).random(80)}
    found = compare(y, scorers, phi="power:3")
    assert [pair.names for pair in found.pairs] == [("a", "b"), ("a", "noise"), ("b", "noise")]
    for pair in found.pairs:
        alone = compare(y, scorers[pair.names[0]], scorers[pair.names[1]], phi="power:3")
        assert pair.pvalue == pytest.approx(alone.pvalue)
        assert alone.adjusted_pvalue == alone.pvalue
    ordered = sorted(found.pairs, key=lambda pair: pair.pvalue)
    wanted, worst = [], 0.0
    for k, pair in enumerate(ordered):
        worst = max(worst, min((3 - k) * pair.pvalue, 1))
        wanted.append(worst)
    assert [pair.adjusted_pvalue for pair in ordered] == pytest.approx(wanted)
    assert found["a", "noise"].pvalue < 0.01
    assert repr(found).startswith("3 differences in ω of power:3 (p-values by Holm): ")


def test_scorers_that_never_err_differ_by_nothing_but_not_for_certain():
    y = np.arange(60) >= 30
    found = compare(y, np.arange(60), 2.0 * np.arange(60) + y)
    assert (found.difference, found.pvalue) == (0, 1)
    assert found.low < -0.05
    assert found.high > 0.05
    assert "no variation" in found.note


def test_a_scorer_compared_with_its_reverse_is_far_better_and_finite():
    y = np.arange(60) >= 30
    found = compare(y, np.arange(60), -np.arange(60))
    assert found.difference == 1
    assert np.isfinite([found.statistic, found.low, found.high]).all()
    assert found.pvalue < 1e-6


def test_clusters_and_weights_enter_as_in_intervals():
    y, a, b = two_scorers(CASES[0])
    alone = compare(y, a, b, groups=np.arange(40))
    assert alone.standard_error == pytest.approx(compare(y, a, b).standard_error)
    w = np.arange(40) % 3 + 1
    rows = np.repeat(np.arange(40), w)
    weighted, repeated = compare(y, a, b, sample_weight=w), compare(y[rows], a[rows], b[rows])
    assert weighted.standard_error == pytest.approx(repeated.standard_error)
    clustered = compare(y[rows], a[rows], b[rows], groups=rows)
    assert clustered.standard_error > 1.2 * repeated.standard_error


def test_influence_values_sum_to_zero_over_each_class_and_give_the_variance():
    y, a, _ = two_scorers(CASES[1])
    psi = influence_values(y, a, "power:3")
    assert [psi[y].sum(), psi[~y].sum()] == pytest.approx([0, 0], abs=1e-12)
    n, m = y.sum(), (~y).sum()
    variance = (psi[y] ** 2).sum() / (n * (n - 1)) + (psi[~y] ** 2).sum() / (m * (m - 1))
    assert variance**0.5 == pytest.approx(interval(y, a, "power:3").standard_error)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"score_b": None}, "needs two scorers; got one"),
        ({"score_b": None, "score_a": {"only": np.arange(40.0)}}, "needs two scorers; got 1"),
        ({"paired": False}, "got no y_true_b"),
        ({"y_true_b": [0, 1]}, "has one vector of labels; got y_true_b"),
        ({"paired": False, "y_true_b": [0, 1], "groups": [0]}, "got weights or groups"),
        ({"alternative": "better"}, "alternative must be one of"),
        ({"score_b": [1.0, 2.0]}, "same length"),
    ],
)
def test_what_cannot_be_compared_gets_a_sentence(arguments, message):
    y, a, b = two_scorers(CASES[0])
    with pytest.raises(InputError, match=message):
        compare(y, **{"score_a": a, "score_b": b, **arguments})


@pytest.mark.parametrize("paired", [True, False])
def test_a_one_sided_limit_is_one_of_the_two_at_twice_the_error(paired):
    y, s = draw(0)
    other = s + np.random.default_rng(1).standard_normal(len(s))
    options = {"paired": paired} if paired else {"paired": False, "y_true_b": y}
    both = compare(y, s, other, confidence_level=0.9, **options)
    greater = compare(y, s, other, alternative="greater", confidence_level=0.95, **options)
    less = compare(y, s, other, alternative="less", confidence_level=0.95, **options)
    assert (greater.low, less.high) == pytest.approx((both.low, both.high), rel=1e-12)
    assert both.low < both.difference < both.high
