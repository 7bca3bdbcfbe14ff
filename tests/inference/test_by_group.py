"""ω within groups and across them."""

import numpy as np
import pytest
from scipy.stats import norm

import naive
from podium import DegenerateSampleError, InputError
from podium.inference import by_group, compare, interval
from podium.plots import ComparisonDisplay


def three_groups(seed=0, shift=(0.0, 0.0, 0.0), levels=None):
    rng = np.random.default_rng(seed)
    group = np.repeat(["a", "b", "c"], [40, 60, 50])
    y = rng.random(150) < 0.4
    s = rng.normal(size=150) + y + np.repeat(shift, [40, 60, 50])
    return y, s if levels is None else np.round(s * levels) / levels, group


@pytest.mark.parametrize("levels", [None, 2])
def test_within_and_across_are_shares_of_pairs(levels):
    y, s, group = three_groups(levels=levels)
    found = by_group(y, s, group)
    assert [each.label for each in found][:4] == ["a", "b", "c", "a against b"]
    for each in found:
        pos, neg = s[y & (group == each.positives)], s[~y & (group == each.negatives)]
        assert each.estimate == pytest.approx(np.mean([[naive.wins(x, z) for z in neg] for x in pos]))
        assert (each.n_pos, each.n_neg) == (len(pos), len(neg))
    assert found["b", "a"] is found.across[2]


def test_intervals_are_those_of_interval_at_a_higher_level():
    y, s, group = three_groups()
    found = by_group(y, s, group)["b"]
    rows = group == "b"
    alone = interval(y[rows], s[rows])
    assert found.low < alone.low < alone.high < found.high
    assert found.standard_error == pytest.approx(alone.standard_error)


def test_equality_of_two_groups_is_the_unpaired_comparison():
    y, s, group = three_groups()
    a, b = group == "a", group == "b"
    pair = a | b
    wanted = compare(y[a], s[a], s[b], y_true_b=y[b], paired=False)
    assert by_group(y[pair], s[pair], group[pair]).within_pvalue == pytest.approx(wanted.pvalue, rel=1e-9)


def test_standard_errors_across_are_delongs():
    y, s, group = three_groups(levels=2)
    pos, neg = s[y & (group == "a")], s[~y & (group == "c")]
    labels, scores = np.arange(len(pos) + len(neg)) < len(pos), np.concatenate([pos, neg])
    components = naive.delong_components(labels, scores)
    error = naive.delong_covariance(labels, components, components) ** 0.5
    assert by_group(y, s, group)["a", "c"].standard_error == pytest.approx(error)


def test_a_group_whose_scores_are_shifted_is_found_across_not_within():
    y, s, group = three_groups(shift=(0.0, 0.0, 1.5))
    found = by_group(y, s, group)
    assert found.across_pvalue < 1e-5
    assert found.within_pvalue == pytest.approx(by_group(*three_groups()).within_pvalue)
    assert found["c", "a"].low > found["a", "c"].high


@pytest.mark.slow
def test_all_intervals_hold_together_and_the_tests_keep_their_level():
    rng, draws = np.random.default_rng(1), 150
    group, y = np.tile([0, 1], 100), np.arange(200) < 80
    truth = norm.cdf(1 / np.sqrt(2))
    results = [by_group(y, rng.normal(size=200) + y, group) for _ in range(draws)]
    error = (0.05 * 0.95 / draws) ** 0.5
    assert np.mean([all(each.low <= truth <= each.high for each in r) for r in results]) > 0.95 - 3 * error
    assert np.mean([r.within_pvalue < 0.05 for r in results]) < 0.05 + 3 * error
    assert np.mean([r.across_pvalue < 0.05 for r in results]) < 0.05 + 3 * error


def test_the_forest_plot_draws_them_all():
    y, s, group = three_groups()
    display = ComparisonDisplay.of(by_group(y, s, group))
    assert display.labels[-1] == "c against b"
    assert len(display.estimate) == 9


def test_another_phi_and_groups_by_number():
    y, s, group = three_groups()
    found = by_group(y, s, np.unique(group, return_inverse=True)[1], "power:3")
    rows = group == "b"
    assert found["1"].estimate == pytest.approx(interval(y[rows], s[rows], "power:3").estimate)
    assert found.phi == "power:3"


def test_what_cannot_be_compared_is_refused():
    y, s, group = three_groups()
    with pytest.raises(InputError, match="the group of every row"):
        by_group(y, s, group[:-1])
    with pytest.raises(InputError, match="at least two groups"):
        by_group(y, s, np.zeros(150))
    group[0] = "z"
    with pytest.raises(DegenerateSampleError, match="in z"):
        by_group(y, s, group)


def test_weights_count_rows():
    y, s, group = three_groups(levels=2)
    w = np.arange(150) % 3
    rows = np.repeat(np.arange(150), w)
    weighted, repeated = by_group(y, s, group, sample_weight=w), by_group(y[rows], s[rows], group[rows])
    for one, other in zip(weighted, repeated, strict=True):
        assert (one.estimate, one.low, one.high, one.n_pos) == pytest.approx(
            (other.estimate, other.low, other.high, other.n_pos)
        )
    assert weighted.across_pvalue == pytest.approx(repeated.across_pvalue)


def test_rows_of_one_cluster_depend_on_each_other():
    y, s, group = three_groups()
    alone = by_group(y, s, group)
    rows = np.repeat(np.arange(150), 3)
    thrice, clustered = by_group(y[rows], s[rows], group[rows]), by_group(y[rows], s[rows], group[rows], groups=rows)
    for one, other, naive_one in zip(alone, clustered, thrice, strict=True):
        assert other.standard_error == pytest.approx(one.standard_error, rel=0.03)
        assert naive_one.standard_error < 0.65 * one.standard_error
    assert clustered.within_pvalue == pytest.approx(alone.within_pvalue, abs=0.05)
