"""ω of pairs within strata."""

import numpy as np
import pytest
from scipy.stats import norm

import naive
from podium import DegenerateSampleError, InputError
from podium.inference import compare, interval, stratified_interval


def strata(sizes, seed=0, levels=None):
    """Labels, scores that differ much between strata, and the stratum of every row, in random order."""
    rng = np.random.default_rng(seed)
    stratum = rng.permutation(np.repeat(np.arange(len(sizes)), [n + m for n, m in sizes]))
    y = np.zeros(len(stratum), bool)
    for k, (n, _) in enumerate(sizes):
        y[np.flatnonzero(stratum == k)[:n]] = True
    s = rng.normal(size=len(y)) + y
    return y, (s if levels is None else np.round(levels * s) / levels) + 5 * stratum, stratum


@pytest.mark.parametrize("levels", [None, 2])
@pytest.mark.parametrize("new_strata", [False, True])
def test_the_estimate_is_the_share_of_pairs_within_strata(levels, new_strata):
    y, s, stratum = strata([(5, 9), (12, 4), (3, 20)], levels=levels)
    pairs = [naive.wins(s[i], s[j]) for i in np.flatnonzero(y) for j in np.flatnonzero(~y) if stratum[i] == stratum[j]]
    found = stratified_interval(y, s, stratum, new_strata=new_strata)
    assert found.estimate == pytest.approx(np.mean(pairs))
    assert found.low < found.estimate < found.high


def test_variances_of_fixed_strata_add_up():
    sizes = [(5, 9), (12, 4), (3, 20)]
    y, s, stratum = strata(sizes)
    pairs = np.array([n * m for n, m in sizes])
    errors = []
    for k in range(3):
        rows = stratum == k
        components = naive.delong_components(y[rows], s[rows])
        errors.append(naive.delong_covariance(y[rows], components, components) ** 0.5)
    wanted = np.linalg.norm(pairs / pairs.sum() * errors)
    assert stratified_interval(y, s, stratum).standard_error == pytest.approx(wanted)


def test_one_stratum_is_the_list():
    y, s, stratum = strata([(20, 30)])
    found, plain = stratified_interval(y, s, stratum, "power:3"), interval(y, s, "power:3")
    assert (found.estimate, found.standard_error) == pytest.approx((plain.estimate, plain.standard_error))


def test_equal_new_strata_have_the_standard_error_of_a_mean():
    y, s, stratum = strata([(2, 6)] * 12)
    omegas = [naive.auc(y[stratum == k], s[stratum == k]) for k in range(12)]
    found = stratified_interval(y, s, stratum, new_strata=True)
    assert found.standard_error == pytest.approx(np.std(omegas, ddof=1) / 12**0.5)


def test_strata_of_one_class_are_left_out_and_said_to_be():
    y, s, stratum = strata([(5, 9), (12, 4)])
    wanted = stratified_interval(y, s, stratum)
    found = stratified_interval(np.append(y, True), np.append(s, 0.0), np.append(stratum, 7))
    assert (found.low, found.high) == (wanted.low, wanted.high)
    assert "1 of 3 strata" in found.note


@pytest.mark.parametrize(("sizes", "new_strata"), [([(10, 20)] * 3, False), ([(1, 9)] * 25, True)])
def test_the_level_holds(sizes, new_strata):
    draws, truth = 200, norm.cdf(1 / np.sqrt(2))
    results = [stratified_interval(*strata(sizes, seed), new_strata=new_strata) for seed in range(draws)]
    held = np.mean([r.low <= truth <= r.high for r in results])
    assert held > 0.95 - 3 * (0.05 * 0.95 / draws) ** 0.5


def test_too_little_is_refused():
    y, s, stratum = strata([(1, 9), (5, 5)])
    with pytest.raises(DegenerateSampleError, match="new_strata=True"):
        stratified_interval(y, s, stratum)
    with pytest.raises(DegenerateSampleError, match="two strata"):
        stratified_interval(y, s, np.zeros(20), new_strata=True)
    with pytest.raises(DegenerateSampleError, match="a stratum with both classes"):
        stratified_interval(y, s, y)
    with pytest.raises(InputError, match="strata must name the stratum of every row"):
        stratified_interval(y, s, stratum[:-1])


def test_weights_count_rows():
    y, s, stratum = strata([(5, 9), (12, 4), (6, 20)], levels=2)
    w = np.arange(len(y)) % 3
    rows = np.repeat(np.arange(len(y)), w)
    for new_strata in (False, True):
        weighted = stratified_interval(y, s, stratum, new_strata=new_strata, sample_weight=w)
        repeated = stratified_interval(y[rows], s[rows], stratum[rows], new_strata=new_strata)
        assert (weighted.estimate, weighted.low, weighted.high) == pytest.approx(
            (repeated.estimate, repeated.low, repeated.high)
        )


def test_rows_of_their_own_cluster_are_independent_and_repeated_ones_are_not():
    y, s, stratum = strata([(15, 19), (22, 14)])
    alone, each = stratified_interval(y, s, stratum), stratified_interval(y, s, stratum, groups=np.arange(len(y)))
    assert each.standard_error == pytest.approx(alone.standard_error)
    twice = np.repeat(np.arange(len(y)), 2)
    clustered = stratified_interval(y[twice], s[twice], stratum[twice], groups=twice)
    assert clustered.standard_error == pytest.approx(alone.standard_error, rel=0.02)
    with pytest.raises(InputError, match="independent units"):
        stratified_interval(y, s, stratum, new_strata=True, groups=stratum)


@pytest.mark.parametrize("new_strata", [False, True])
def test_scorers_are_compared_within_strata(new_strata):
    y, a, stratum = strata([(10, 19), (12, 14), (13, 20)])
    b = a + np.random.default_rng(1).normal(size=len(y))
    found = compare(y, a, b, strata=stratum, new_strata=new_strata)
    one, other = (stratified_interval(y, s, stratum, new_strata=new_strata) for s in (a, b))
    assert (found.estimate_a, found.estimate_b) == pytest.approx((one.estimate, other.estimate))
    pairs, differences, errors = [], [], []
    for k in range(3):
        rows = stratum == k
        va, vb = (naive.delong_components(y[rows], s[rows]) for s in (a, b))
        cov = naive.delong_covariance
        errors.append(cov(y[rows], va, va) + cov(y[rows], vb, vb) - 2 * cov(y[rows], va, vb))
        differences.append(naive.auc(y[rows], a[rows]) - naive.auc(y[rows], b[rows]))
        pairs.append(y[rows].sum() * (~y[rows]).sum())
    w = np.array(pairs) / sum(pairs)
    variance = 3 / 2 * w**2 @ (differences - w @ differences) ** 2 if new_strata else w**2 @ errors
    assert found.standard_error == pytest.approx(variance**0.5)
    assert "within strata" in repr(found)
    # Adding a constant to the scores of a stratum changes nothing.
    moved = compare(y, a + 100 * stratum, b - 7 * stratum, strata=stratum, new_strata=new_strata)
    assert (moved.low, moved.high) == pytest.approx((found.low, found.high))


def test_strata_are_for_paired_comparisons_by_a_phi():
    y, s, stratum = strata([(5, 9), (12, 4)])
    with pytest.raises(InputError, match="paired comparisons"):
        compare(y, s, s, metric="average-precision", strata=stratum)
