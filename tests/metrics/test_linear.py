import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import naive
from podium import metrics
from podium.exceptions import DegenerateSampleError, InputError
from podium.phi import EarlyRecognition, TopShare
from registry import all_phi
from samples import CASES, draw, labeled_scores


def scalar(phi):
    return lambda u: float(phi.value(np.array([u]))[0])


@pytest.mark.parametrize("phi", all_phi(), ids=str)
@pytest.mark.parametrize("case", CASES)
def test_rank_statistic_equals_its_definition(phi, case):
    y, s = draw(*case)
    phi = phi.bind(len(s))
    function = scalar(phi)
    n = y.sum()
    for ties, rank in [("mid", naive.mid_rank), ("max", naive.max_rank)]:
        total = naive.rank_statistic(y, s, function, naive.score_at(rank))
        assert metrics.rank_statistic(y, s, phi=phi, scale="sum", ties=ties) == pytest.approx(
            total, rel=1e-12, abs=1e-13
        )
        assert metrics.rank_statistic(y, s, phi=phi, scale="mean", ties=ties) == pytest.approx(
            total / n, rel=1e-12, abs=1e-13
        )
    averaged = metrics.rank_statistic(y, s, phi=phi, scale="sum")
    assert averaged == pytest.approx(naive.rank_statistic(y, s, function), rel=1e-12, abs=1e-12)
    try:
        expected = naive.omega(y, s, function)
    except ZeroDivisionError:
        with pytest.raises(DegenerateSampleError, match=r"tells ranks apart|is not constant"):
            metrics.rank_statistic(y, s, phi=phi)
    else:
        assert metrics.rank_statistic(y, s, phi=phi) == pytest.approx(expected, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("phi", all_phi(), ids=str)
def test_ties_count_by_their_mean_over_random_orders(phi):
    y, s = draw(1, 40, 2)

    def gain(from_top):
        positions = len(s) - np.flatnonzero(from_top)
        return float(phi.bind(len(s)).value(positions / (len(s) + 1)).sum())

    mean, error = naive.mean_over_orders(y, s, gain, n_draws=2000)
    assert metrics.rank_statistic(y, s, phi=phi, scale="sum") == pytest.approx(mean, abs=4 * error + 1e-9)


@pytest.mark.parametrize("phi", all_phi(), ids=str)
def test_whole_weights_are_equal_rows_at_every_phi(phi):
    y, s = draw(1, 40, 2)
    w = np.random.default_rng(0).integers(1, 5, 40)
    rows = np.repeat(np.arange(40), w)
    for scale in ("sum", "omega"):
        weighted = metrics.rank_statistic(y, s, phi=phi, scale=scale, sample_weight=w)
        assert weighted == pytest.approx(metrics.rank_statistic(y[rows], s[rows], phi=phi, scale=scale), rel=1e-9)


def test_a_wide_tie_on_top_is_worth_what_its_orders_are():
    y, s = np.repeat([True, False], [60, 40]), np.repeat([2.0, 1.0], [60, 40])
    assert metrics.rank_statistic(y, s, phi="smooth-top:0.95") == pytest.approx(1)
    assert metrics.rank_statistic(y, s, phi="smooth-top:0.95", ties="mid") < 0.1
    y[55:65] = ~y[55:65]  # five negatives in the tie: a tenth or so of the top twentieth, whatever the order
    assert 0.85 < metrics.rank_statistic(y, s, phi="smooth-top:0.95") < 0.95


@given(labeled_scores())
def test_omega_of_the_identity_is_the_auc(sample):
    y, s = sample
    for phi in ("mww", "logistic"):
        assert metrics.rank_statistic(y, s, phi=phi) == pytest.approx(metrics.auc(y, s), rel=1e-11, abs=1e-13)


def test_omega_of_the_identity_is_the_auc_with_fractional_weights():
    y, s = draw(1, 40, 2)
    w = np.random.default_rng(0).random(40) * 3
    omega = metrics.rank_statistic(y, s, sample_weight=w)
    assert omega == pytest.approx(metrics.auc(y, s, sample_weight=w), rel=1e-12)


@pytest.mark.parametrize("phi", all_phi(), ids=str)
def test_omega_is_one_for_the_best_and_zero_for_the_worst_list(phi):
    s = np.arange(50)
    assert metrics.rank_statistic(s >= 30, s, phi=phi) == pytest.approx(1)
    assert metrics.rank_statistic(s < 20, s, phi=phi) == pytest.approx(0, abs=1e-12)


@settings(max_examples=200)
@given(phi=st.sampled_from(all_phi()), sample=labeled_scores(min_rows=6))
def test_averaged_ties_keep_omega_within_its_range(phi, sample):
    y, s = sample
    try:
        value = metrics.rank_statistic(y, s, phi=phi)
    except DegenerateSampleError:
        return
    assert -1e-9 <= value <= 1 + 1e-9


@pytest.mark.parametrize("phi", all_phi(), ids=str)
def test_the_statistic_depends_on_the_order_alone(phi):
    y, s = draw(5, 60, 4)
    assert metrics.rank_statistic(y, s, phi=phi) == metrics.rank_statistic(y, np.arctan(s / 9), phi=phi)


def test_wilcoxon_statistic_of_scipy():
    y, s = draw(0, 40, 3)
    n = y.sum()
    u = stats.mannwhitneyu(s[y], s[~y]).statistic
    assert metrics.rank_statistic(y, s, scale="sum") * 41 == pytest.approx(u + n * (n + 1) / 2)


def test_a_phi_that_is_flat_on_all_ranks_gets_a_sentence():
    with pytest.raises(DegenerateSampleError, match=r"top:0.99 takes one value on all ranks of 4 items"):
        metrics.rank_statistic([0, 1, 0, 1], [1, 2, 3, 4], phi=TopShare(0.99))


def test_unknown_scales_and_ties_are_refused():
    with pytest.raises(InputError, match="scale must be one of"):
        metrics.rank_statistic([0, 1], [1, 2], scale="auc")
    with pytest.raises(InputError, match="ties must be one of"):
        metrics.rank_statistic([0, 1], [1, 2], ties="min")


def truchon_bayly(y, s, alpha):
    """The published formula, positions from the top in 1..N, no ties."""
    position = stats.rankdata(-np.asarray(s))[np.asarray(y, bool)]
    n, n_total = len(position), len(s)
    share = n / n_total
    rie = np.exp(-alpha * position / n_total).sum() / (share * (1 - np.exp(-alpha)) / (np.exp(alpha / n_total) - 1))
    factor = share * np.sinh(alpha / 2) / (np.cosh(alpha / 2) - np.cosh(alpha / 2 - alpha * share))
    return rie * factor + 1 / (1 - np.exp(alpha * (1 - share)))


@pytest.mark.parametrize("alpha", [0.5, 5.0, 20.0, 100.0])
def test_bedroc_equals_the_published_formula(alpha):
    y, s = draw(0, 40)
    assert metrics.bedroc(y, s, alpha=alpha) == pytest.approx(truchon_bayly(y, s, alpha), rel=1e-10)


@given(labeled_scores())
def test_bedroc_never_leaves_the_unit_interval(sample):
    # scikit-chem#76
    for alpha in (0.01, 20, 500):
        assert 0 <= metrics.bedroc(*sample, alpha=alpha) <= 1


def test_bedroc_is_one_for_a_perfect_list_and_an_omega():
    y, s = draw(0, 40)
    assert metrics.bedroc([0, 1, 1], [1, 2, 3]) == 1
    phi = EarlyRecognition(20 * 41 / 40)
    assert metrics.bedroc(y, s) == pytest.approx(metrics.rank_statistic(y, s, phi=phi), rel=1e-12)
