from itertools import cycle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit
from scipy.stats import binom, norm

import naive
from podium import DegenerateSampleError, InputError, _input, bounds
from podium import phi as phi_
from podium.inference import interval
from podium.inference.intervals.influence import auc_variance, jackknife, projection
from podium.inference.intervals.limits import loss_and_gain, on_logit_scale, pseudo_event_limits, wald
from podium.inference.intervals.methods import METHODS
from podium.inference.lists.ranking import Ranking
from podium.metrics import rank_statistic
from registry import all_phi
from samples import draw, labeled_scores

NAMES = ("auto", *METHODS)
FOR_ANY_PHI = [name for name in NAMES if name == "auto" or not METHODS[name].auc_only]
CASES = [(0, 40, None), (1, 40, 2), (2, 25, 1), (5, 60, 4)]
Z = norm.ppf(0.975)


def ranking(y, s, phi="mww", weight=None):
    return Ranking(_input.check_sample(y, s, weight), phi_.resolve(phi))


def scalar(phi):
    """φ as a function of one number, for the oracles."""
    return lambda n_items: lambda u: float(phi.bind(n_items).value(np.array([u]))[0])


@pytest.mark.parametrize("case", CASES)
def test_delong_is_the_textbook_formula_also_with_ties(case):
    y, s = draw(*case)
    v = naive.delong_components(y, s)
    error = naive.delong_covariance(y, v, v) ** 0.5
    auc = naive.auc(y, s)
    found = interval(y, s, method="delong")
    assert (found.estimate, found.standard_error) == pytest.approx((auc, error), abs=1e-12)
    assert (found.low, found.high) == pytest.approx((max(auc - Z * error, 0), min(auc + Z * error, 1)), abs=1e-12)
    on_logit = interval(y, s, method="delong-logit")
    reach = Z * error / (auc * (1 - auc))
    assert (on_logit.low, on_logit.high) == pytest.approx(
        tuple(expit(logit(auc) + reach * np.array([-1, 1]))), abs=1e-12
    )


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("phi", ["mww", "logistic", "power:1"])
def test_for_the_auc_jackknife_and_projection_are_delong_on_the_logit_scale(case, phi):
    y, s = draw(*case)
    wanted = interval(y, s, phi, method="delong-logit")
    for method in ("jackknife", "projection"):
        found = interval(y, s, phi, method=method)
        assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high), abs=1e-10)


@pytest.mark.parametrize(("phi", "case"), list(zip(all_phi(40), cycle(CASES[:3]), strict=False)), ids=str)
def test_variances_and_event_size_equal_their_definitions(phi, case):
    y, s = draw(*case)
    r = ranking(y, s, phi)
    variance = jackknife(r).variance()
    assert variance == pytest.approx(naive.jackknife_variance(y, s, scalar(phi)), rel=1e-9, abs=1e-20)
    power, part = (1, 3 / 5) if r.is_auc else (2, 3 / 4)
    wanted = [part * naive.event_size(y, s, scalar(phi), power, direction) for direction in (-1, 1)]
    assert loss_and_gain(r) == pytest.approx(wanted, rel=1e-7, abs=1e-12)
    low, high = r.range
    wanted = naive.hajek_variance(y, s, scalar(phi)(len(s))) / ((high - low) / r.n_pos) ** 2
    assert projection(r).variance() == pytest.approx(wanted, rel=1e-9, abs=1e-20)


@pytest.mark.parametrize("phi", ["mww", "power:3", "van-der-waerden"])
@pytest.mark.parametrize("case", CASES)
def test_influence_values_are_those_of_leaving_each_row_out_in_input_order(phi, case):
    y, s = draw(*case)
    r = ranking(y, s, phi)
    omegas = np.array(naive.leave_one_out(y, s, scalar(phi_.resolve(phi))))
    wanted = np.where(y, (y.sum() - 1) * (omegas[y].mean() - omegas), ((~y).sum() - 1) * (omegas[~y].mean() - omegas))
    np.testing.assert_allclose(jackknife(r).rows(r.sample), wanted, atol=1e-11)


@pytest.mark.parametrize("phi", all_phi(40), ids=str)
def test_the_estimate_is_the_metric_on_every_scale(phi):
    y, s = draw(1, 40, 2)
    for scale in ("omega", "mean", "sum"):
        found = interval(y, s, phi, scale=scale)
        assert found.estimate == pytest.approx(rank_statistic(y, s, phi=phi, scale=scale), rel=1e-12)
    omega, mean = interval(y, s, phi), interval(y, s, phi, scale="mean")
    stretch = (mean.high - mean.low) / (omega.high - omega.low)
    assert mean.standard_error == pytest.approx(stretch * omega.standard_error)


@given(labeled_scores(min_rows=8), st.data())
def test_integer_weights_equal_repeated_rows(sample, data):
    y, s = sample
    w = np.array(data.draw(st.lists(st.integers(2, 4), min_size=len(s), max_size=len(s))))
    rows = np.repeat(np.arange(len(s)), w)
    for method in ("jackknife", "pseudo-event", "delong", "projection", "hanley-mcneil"):
        for phi in ("mww",) if method in ("delong", "hanley-mcneil") else ("mww", "power:8"):
            weighted = interval(y, s, phi, method=method, sample_weight=w)
            plain = interval(y[rows], s[rows], phi, method=method)
            assert (weighted.low, weighted.high) == pytest.approx((plain.low, plain.high), abs=1e-8)


@pytest.mark.parametrize(
    ("phi", "method"), [*(("mww", method) for method in NAMES), *(("power:8", method) for method in FOR_ANY_PHI)]
)
@pytest.mark.parametrize("reverse", [False, True])
def test_perfect_separation_gives_an_interval_and_never_a_point(method, phi, reverse):
    y = np.arange(60) >= 25
    s = -np.arange(60.0) if reverse else np.arange(60.0)
    found = interval(y, s, phi, method=method, rng=0)
    assert found.estimate == pytest.approx(0 if reverse else 1, abs=1e-12)
    assert 0.02 < found.high - found.low < (1.01 if method == "mcdiarmid" else 0.5)
    assert found.low <= found.estimate <= found.high


def test_fifty_of_each_class_perfectly_separated_leave_four_percent_open():
    found = interval(np.arange(100) >= 50, np.arange(100))
    assert (found.low, found.high) == (pytest.approx(0.9567, abs=5e-5), 1.0)


@pytest.mark.parametrize(("omega", "variance", "loss", "gain"), [(0.8, 0.01, 0.02, 0.03), (0.3, 0.002, 0.0, 0.01)])
def test_pseudo_event_limits_are_where_the_score_test_no_longer_rejects(omega, variance, loss, gain):
    low, high, _ = pseudo_event_limits(omega, variance, loss, gain, 0.95)
    for limit, center, event in ((low, omega - loss, loss), (high, omega + gain, gain)):
        worth = center * (1 - center) / (variance + event**2)
        assert abs(center - limit) == pytest.approx(1.959963984540054 * (limit * (1 - limit) / worth) ** 0.5)


@pytest.mark.parametrize("n_pos", [30, 60, 200])
@pytest.mark.parametrize(("tpr", "fpr"), [(0.05, 0.01), (0.1, 0.05), (0.5, 0.01)])
def test_the_auc_of_a_binary_score_is_covered_exactly(n_pos, tpr, fpr):
    n_neg, covered, truth = 1000, 0.0, 0.5 + (tpr - fpr) / 2
    of_pos, of_neg = binom(n_pos, tpr), binom(n_neg, fpr)
    for hits in range(int(of_pos.ppf(1e-5)), int(of_pos.ppf(1 - 1e-5)) + 1):
        for alarms in range(int(of_neg.ppf(1e-5)), int(of_neg.ppf(1 - 1e-5)) + 1):
            counts = [hits, n_pos - hits, alarms, n_neg - alarms]
            kept = np.array(counts) > 0
            found = interval(
                np.array([1, 1, 0, 0])[kept], np.array([1, 0, 1, 0])[kept], sample_weight=np.array(counts)[kept]
            )
            if found.low <= truth <= found.high:
                covered += of_pos.pmf(hits) * of_neg.pmf(alarms)
    assert covered >= 0.94


@pytest.mark.parametrize("phi", ["mww", "power:8", "median"])
def test_equal_scores_say_nothing(phi):
    found = interval([0, 1] * 20, np.zeros(40), phi)
    assert found.low <= found.estimate <= found.high
    assert np.isfinite([found.low, found.high]).all()
    if phi == "mww":
        assert (found.low, found.high) == (0, 1)


@pytest.mark.parametrize("phi", all_phi(12), ids=str)
@pytest.mark.parametrize("method", [method for method in FOR_ANY_PHI if method != "mcdiarmid"])
def test_tiny_lists_have_intervals_of_some_width_for_every_phi(phi, method):
    rng = np.random.default_rng(0)
    for levels in (1, 6):
        for y in ([1] * 9 + [0] * 3, [1, 0] * 6, [0] * 10 + [1] * 2):
            s = np.round(rng.standard_normal(12) * levels)
            found = interval(y, s, phi, method=method, rng=0, confidence_level=0.9)
            assert np.isfinite([found.low, found.high]).all()
            assert found.high - found.low > 1e-9


def test_swapping_classes_and_reversing_scores_leaves_the_auc_interval():
    y, s = draw(0, 60)
    for method in ("jackknife", "pseudo-event", "newcombe", "delong"):
        one, other = interval(y, s, method=method), interval(~y, -s, method=method)
        assert (one.low, one.high) == pytest.approx((other.low, other.high))


def test_reversing_scores_mirrors_the_pseudo_event_interval():
    y, s = draw(0, 60)
    one, other = interval(y, s, method="pseudo-event"), interval(y, -s, method="pseudo-event")
    assert (one.low, one.high) == pytest.approx((1 - other.high, 1 - other.low))


def test_the_guaranteed_intervals_are_those_of_the_bounds():
    y, s = draw(0, 300)
    n, m, auc = int(y.sum()), int((~y).sum()), naive.auc(y, s)
    found = interval(y, s, method="kl", confidence_level=0.9)
    assert (found.low, found.high) == pytest.approx(tuple(bounds.kl_interval(auc, n, m, confidence_level=0.9)))
    found = interval(y, s, method="mcdiarmid")
    reach = bounds.auc_deviation(n, m)
    assert (found.low, found.high) == pytest.approx((auc - reach, min(auc + reach, 1)))
    found = interval(y, s, "power:3", method="mcdiarmid", scale="mean")
    reach = bounds.rank_statistic_deviation(n, m, "power:3") + bounds.rank_statistic_bias(n, m, "power:3")
    assert found.low <= found.estimate - reach <= found.estimate - 0.9 * reach
    assert found.low == pytest.approx(found.estimate - reach, rel=0.02)  # the population's own range widens it a little


@pytest.mark.parametrize("method", ["kl", "mcdiarmid"])
def test_one_positive_has_a_guaranteed_interval_and_no_standard_error(method):
    found = interval([1, 0, 0, 0], [4, 3, 2, 1], method=method)
    assert 0 <= found.low < found.high <= 1
    assert found.standard_error is None
    with pytest.raises(InputError, match="got sample_weight"):
        interval([1, 0, 0, 0], [4, 3, 2, 1], method=method, sample_weight=[1, 1, 1, 2])


def test_one_positive_is_refused_with_a_way_out():
    with pytest.raises(DegenerateSampleError, match=r"at least two positives.*got 1 positive(.|\n)*Hint:.*kl"):
        interval([1, 0, 0, 0], [4, 3, 2, 1])


@pytest.mark.parametrize("phi", ["mww", "power:3"])
def test_clusters_of_one_row_change_nothing_and_doubled_rows_are_seen_through(phi):
    y, s = draw(0, 50)
    plain = interval(y, s, phi, method="jackknife")
    alone = interval(y, s, phi, method="jackknife", groups=np.arange(50)[::-1])
    assert alone.standard_error == pytest.approx(plain.standard_error, abs=1e-12)
    assert (alone.low, alone.high) == pytest.approx((plain.low, plain.high), abs=0.01)  # Student's, not normal
    twice = interval(np.tile(y, 2), np.tile(s, 2), "mww", method="jackknife", groups=np.tile(np.arange(50), 2))
    assert twice.standard_error == pytest.approx(interval(y, s).standard_error, rel=1e-9)


def test_copies_of_rows_in_one_cluster_do_not_narrow_the_limits_at_perfection():
    y, s = np.arange(60) >= 25, np.arange(60.0)
    plain = interval(y, s)
    copies = interval(np.tile(y, 3), np.tile(s, 3), groups=np.tile(np.arange(60), 3))
    assert copies.low == pytest.approx(plain.low, abs=0.1 * (1 - plain.low))
    alone = interval(y, s, groups=np.arange(60))
    assert (alone.low, alone.high) == pytest.approx((plain.low, plain.high), abs=0.05 * (1 - plain.low))  # Student's


def test_an_interval_of_clusters_is_of_the_level_that_was_asked_for():
    y, s = draw(0, 60)
    result = interval(y, s, confidence_level=0.9, groups=np.arange(60) // 3)
    assert result.confidence_level == 0.9
    assert "90 % interval" in str(result)


def test_the_variance_of_clusters_is_that_of_leaving_out_each_in_turn():
    rng = np.random.default_rng(3)
    cluster = np.repeat(np.arange(14), [30, 1, 2, 3, 4, 5, 6, 25, 1, 2, 3, 4, 5, 6])  # of very unequal sizes
    y = cluster < 7
    s = np.round(rng.normal(size=len(y)) + y, 1)
    whole, variance = rank_statistic(y, s), 0.0
    for of_class in (range(7), range(7, 14)):
        changes = [rank_statistic(y[cluster != g], s[cluster != g]) - whole for g in of_class]
        variance += 6 / 7 * np.square(changes).sum()
    assert interval(y, s, groups=cluster).standard_error ** 2 == pytest.approx(variance)


def test_limits_hold_where_one_cluster_is_far_larger_than_the_others():
    rng, cluster = np.random.default_rng(4), np.repeat(np.arange(60), [60] + [3] * 59)
    y, covered, n_draws = cluster % 3 == 0, 0, 300
    for _ in range(n_draws):
        s = rng.normal(size=60)[cluster] + rng.normal(size=len(y)) + 2 * y
        found = interval(y, s, groups=cluster)
        covered += found.low <= norm.cdf(1) <= found.high
    assert covered >= binom.ppf(0.001, n_draws, 0.95)


def test_a_cluster_may_hold_both_classes():
    rng = np.random.default_rng(0)
    patient = rng.standard_normal(400)  # a shift common to the two rows of a patient cancels in their comparison
    y = np.tile([True, False], 400)
    s = np.repeat(3 * patient, 2) + y + 0.3 * rng.standard_normal(800)
    clustered = interval(y, s, groups=np.repeat(np.arange(400), 2)).standard_error
    assert clustered < 0.5 * interval(y, s).standard_error


def test_notes_name_what_is_known_to_be_weak():
    y, s = draw(0, 200)
    assert interval(y, s).note == ""
    assert "jumps" in interval(y, s, "top:0.9").note
    assert "length of the list" in interval(y, s, "dcg").note
    assert "unbounded" in interval(y, s, "logrank").note
    assert "only 4 in a class" in interval([0, 1] * 4, np.arange(8) % 5).note
    assert "undercovers" in interval(y, s + 3 * y, "power:8", method="jackknife").note
    assert interval(y, np.round(s), "power:8").note == ""
    assert "without ties" in interval(y, np.round(s), "power:3", method="mcdiarmid").note
    assert "clusters" in interval(y, s, groups=np.arange(200) % 7).note
    assert "no variation" in interval(y, s + 9 * y, method="delong").note


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "wald"}, "method must be one of"),
        ({"phi": "power:3", "method": "delong"}, r"is for the AUC(.|\n)*for any φ there are jackknife"),
        ({"scale": "log"}, "scale must be one of"),
        ({"confidence_level": 95}, r"confidence_level must be in \(0, 1\)"),
        ({"groups": [1, 2]}, r"groups must name the cluster of every row; got shape \(2,\) for 40 rows"),
        ({"groups": np.arange(40), "method": "bca"}, "takes rows as independent"),
        ({"groups": np.zeros(40)}, "at least two clusters"),
    ],
)
def test_what_cannot_be_used_gets_a_sentence(arguments, message):
    y, s = draw(0, 40)
    with pytest.raises(InputError, match=message):
        interval(y, s, **arguments)


def test_rows_of_weight_zero_are_left_out_with_their_cluster():
    y, s = draw(0, 40)
    w = np.ones(40)
    w[5] = 0
    kept = np.arange(40) != 5
    one = interval(y, s, sample_weight=w, groups=np.arange(40) // 2)
    other = interval(y[kept], s[kept], groups=np.arange(40)[kept] // 2)
    assert (one.low, one.high) == pytest.approx((other.low, other.high))


def test_intervals_that_miss_because_all_of_few_positives_tie_carry_a_note():
    # Three grades, of which positives reach the best with probability .6: all five do in 8 % of lists.
    rng, y = np.random.default_rng(0), np.arange(1005) < 5

    def draw():
        return np.where(y, rng.choice(3, 1005, p=[0.1, 0.3, 0.6]), rng.choice(3, 1005, p=[0.6, 0.3, 0.1]))

    truth = np.mean([rank_statistic(y, draw(), "dcg") for _ in range(1000)])
    lists = [interval(y, draw(), "dcg") for _ in range(300)]
    missed = [found for found in lists if not found.low <= truth <= found.high]
    quiet = [found for found in lists if "positives tie" not in found.note]
    assert 0.85 < len(quiet) / 300 < 0.98
    assert sum(found in quiet for found in missed) / len(quiet) < 0.05
    assert sum("all 5 positives tie: their spread was not seen" in found.note for found in missed) > len(missed) / 2


def test_limits_of_an_estimate_without_error_are_the_estimate_at_a_level_that_rounds_to_one():
    """Few clusters ask for Student's limits so wide that the normal level of the same reach is 1."""
    for limits in (wald, on_logit_scale):
        assert limits(0.75, 0.0, 1.0) == pytest.approx((0.75, 0.75, 0.0))
        assert limits(0.75, 0.01, 1.0)[:2] == (0.0, 1.0)


def test_limits_of_a_binary_score_are_newcombes_of_two_shares():
    y = np.repeat([True, False], [40, 200])
    s = np.concatenate([np.arange(40) < 12, np.arange(200) < 9]).astype(float)

    def wilson(x, n, z=1.959963984540054):
        middle, reach = x / n + z**2 / (2 * n), z * (x / n * (1 - x / n) / n + z**2 / (4 * n**2)) ** 0.5
        return [(middle + side * reach) / (1 + z**2 / n) for side in (-1, 1)]

    (t, (t_low, t_high)), (f, (f_low, f_high)) = ((x / n, wilson(x, n)) for x, n in ((12, 40), (9, 200)))
    found = interval(y, s)
    assert found.estimate == pytest.approx(0.5 + (t - f) / 2)
    assert found.low == pytest.approx(0.5 + (t - f - ((t - t_low) ** 2 + (f_high - f) ** 2) ** 0.5) / 2)
    assert found.high == pytest.approx(0.5 + (t - f + ((t_high - t) ** 2 + (f - f_low) ** 2) ** 0.5) / 2)


def test_limits_of_a_long_list_take_an_event_as_large_as_it_could_be_where_it_hardly_matters():
    rng = np.random.default_rng(0)
    y = np.arange(200_000) < 80_000
    s = np.round(rng.normal(size=200_000) + y, 3)
    found, r = interval(y, s), ranking(y, s, "auc")
    exact = pseudo_event_limits(r.omega, auc_variance(r), *loss_and_gain(r), 0.95)
    assert found.low <= exact.low
    assert exact.high <= found.high
    assert max(exact.low - found.low, found.high - exact.high) < 0.011 * found.standard_error


@pytest.mark.parametrize(
    ("sizes", "phi", "words"),
    [
        (
            (100, 20),
            "smooth-top:0.95",
            "φ rests on the first 5.9 rows of the list, and a single negative there decides",
        ),
        ((8, 20), "early-recognition:20", "φ rests on the first 1.4 rows"),
        ((8, 2000), "dcg", "dcg rests on the best of only 8 positives"),
        ((100, 100), "smooth-top:0.95", ""),
        ((8, 2000), "smooth-top:0.95", ""),
        ((100, 20), "power:8", ""),
        ((100, 20), "auc", ""),
    ],
)
def test_a_note_says_where_one_row_decides_what_a_steep_phi_sees(sizes, phi, words):
    rng, y = np.random.default_rng(0), np.arange(sum(sizes)) < sizes[0]
    note = interval(y, rng.normal(size=len(y)) + 1.5 * y, phi).note
    assert words in note
    assert ("coverage may fall short" in note) == bool(words)


def test_limits_that_span_nearly_everything_are_said_to_say_nothing():
    rng, y = np.random.default_rng(2), np.arange(28) < 8
    s = rng.normal(size=28) + 0.5 * y
    found = interval(y, s, "smooth-top:0.95")
    assert found.high - found.low > 0.9
    assert found.note.endswith("the rows say next to nothing about this φ")
    assert "next to nothing" not in interval(y, s, "power:3").note
