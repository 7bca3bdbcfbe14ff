import numpy as np
import pytest
from hypothesis import given
from scipy.stats import binom, norm
from sklearn.metrics import confusion_matrix, precision_recall_curve

from podium.exceptions import InputError
from podium.inference import decision_curve, pr_band, roc_band
from podium.inference.decision_differences import Rules
from samples import CASES, draw, labeled_scores


def probabilities(rng, n_rows, share=0.2, shift=1.8):
    """Labels, true probabilities, and the net benefit of acting on these at thresholds."""
    y = rng.random(n_rows) < share
    s = rng.standard_normal(n_rows) + shift * y
    odds = np.exp(shift * s - shift**2 / 2) * share / (1 - share)

    def benefit(t):
        cut = (np.log(t / (1 - t) * (1 - share) / share) + shift**2 / 2) / shift
        return share * norm.sf(cut - shift) - (1 - share) * norm.sf(cut) * t / (1 - t)

    return y, odds / (1 + odds), benefit


# --- net benefit ------------------------------------------------------------------------------------------------------
def test_net_benefit_is_that_of_the_confusion_matrix():
    y, p, _ = probabilities(np.random.default_rng(0), 200)
    p = np.round(p, 1)  # ties at the thresholds
    found = decision_curve(y, p, thresholds=[0.1, 0.3, 0.8])
    for t, benefit, of_all in zip(found.threshold, found.net_benefit, found.act_on_all, strict=True):
        (_, fp), (_, tp) = confusion_matrix(y, p >= t)
        assert benefit == pytest.approx((tp - fp * t / (1 - t)) / 200, rel=1e-12)
        assert of_all == pytest.approx((y.sum() - (~y).sum() * t / (1 - t)) / 200, rel=1e-12)


def test_another_prevalence_weighs_the_classes():
    y, p, _ = probabilities(np.random.default_rng(1), 300)
    t, share = 0.25, 0.04
    found = decision_curve(y, p, thresholds=[t], prevalence=share)
    expected = share * np.mean(p[y] >= t) - (1 - share) * np.mean(p[~y] >= t) * t / (1 - t)
    assert found.net_benefit[0] == pytest.approx(expected, rel=1e-12)


def test_one_threshold_has_the_interval_of_a_mean():
    y, p, _ = probabilities(np.random.default_rng(2), 4000)
    found = decision_curve(y, p, thresholds=[0.2])
    parts = (p >= 0.2) * np.where(y, 1.0, -0.25)
    reach = 1.96 * parts.std() / np.sqrt(4000)
    assert found.net_benefit[0] == pytest.approx(parts.mean(), rel=1e-12)
    assert (found.high - found.low)[0] / 2 == pytest.approx(reach, rel=0.03)


@pytest.mark.slow
def test_the_band_holds_the_whole_decision_curve_about_as_often_as_it_says():
    rng, t, inside = np.random.default_rng(3), np.arange(1, 20) / 20, 0
    for _ in range(200):
        y, p, benefit = probabilities(rng, 400)
        found = decision_curve(y, p, thresholds=t)
        inside += bool(((found.low <= benefit(t)) & (benefit(t) <= found.high)).all())
    assert inside >= binom.ppf(0.001, 200, 0.95)


def test_decision_curves_that_make_no_sense_are_refused_in_a_sentence():
    y, s = draw(0)
    with pytest.raises(InputError, match="y_prob must be probabilities"):
        decision_curve(y, s)
    with pytest.raises(InputError, match="thresholds must be ascending and in"):
        decision_curve(y, norm.cdf(s), thresholds=[0.5, 0.2])


# --- several scorers, and acting on all -------------------------------------------------------------------------------
def row_by_row(y, p, q, t, prevalence=None):
    """Difference of the net benefits of acting by p and by q, and its covariance with two more discordant rows."""
    acts = [(p >= each).astype(float) - (q >= each) for each in t]
    odds, of_class = t / (1 - t), []
    for rows, worth in ((y, np.ones(len(t))), (~y, -odds)):
        values = np.array([each[rows] for each in acts]) * worth[:, None]
        n = values.shape[1]
        second = (values @ values.T + 2 * np.outer(worth, worth)) / (n + 2)
        of_class.append((n, values.mean(axis=1), values.sum(axis=1) / (n + 2), second))
    (n, pos, near_pos, of_pos), (m, neg, near_neg, of_neg) = of_class
    pi = n / (n + m) if prevalence is None else prevalence
    difference, near = pi * pos + (1 - pi) * neg, pi * near_pos + (1 - pi) * near_neg
    if prevalence is None:
        return difference, (pi * of_pos + (1 - pi) * of_neg - np.outer(near, near)) / (n + m)
    covariance = pi**2 * (of_pos - np.outer(near_pos, near_pos)) / n
    return difference, covariance + (1 - pi) ** 2 * (of_neg - np.outer(near_neg, near_neg)) / m


@pytest.mark.parametrize("prevalence", [None, 0.07])
def test_differences_of_net_benefit_are_those_of_the_rows_on_which_two_rules_differ(prevalence):
    y, p, _ = probabilities(np.random.default_rng(5), 150)
    p, t = np.round(p, 2), np.array([0.05, 0.2, 0.25, 0.6])
    q = np.clip(np.round(p + np.random.default_rng(6).normal(size=150) / 5, 1), 0, 1)
    rules = Rules(*(np.searchsorted(t, each, side="right") for each in (p, q)), y, t / (1 - t), prevalence)
    found, covariance = rules.difference()
    wanted, expected = row_by_row(y, p, q, t, prevalence)
    assert found == pytest.approx(wanted, abs=1e-12)
    assert covariance == pytest.approx(expected, abs=1e-12)
    compared = decision_curve(y, {"p": p, "q": q}, thresholds=t, prevalence=prevalence)
    (pair,) = compared.differences
    assert (pair.names, pair.difference) == (("p", "q"), pytest.approx(wanted, abs=1e-12))
    benefits = [compared.curves[name].net_benefit for name in "pq"]
    assert benefits[0] - benefits[1] == pytest.approx(wanted, abs=1e-12)


def test_interventions_avoided_are_negatives_left_alone_less_what_missed_positives_are_worth():
    y, p, _ = probabilities(np.random.default_rng(7), 300)
    found = decision_curve(y, p, thresholds=[0.1, 0.3])
    for t, avoided in zip(found.threshold, found.avoided, strict=True):
        left_alone = p < t
        assert avoided == pytest.approx((np.sum(left_alone & ~y) - np.sum(left_alone & y) * (1 - t) / t) / 300)
    assert (found.avoided_low < found.avoided).all()
    assert "interventions avoided per 100 rows" in repr(found)


def test_a_band_at_one_threshold_is_the_interval_of_a_mean_and_more_pairs_take_wider_ones():
    y, p, _ = probabilities(np.random.default_rng(8), 1000)
    q = np.clip(p + np.random.default_rng(9).normal(size=1000) / 8, 0, 1)
    (alone,) = decision_curve(y, {"p": p, "q": q}, thresholds=[0.2])
    _, covariance = row_by_row(y, p, q, np.array([0.2]))
    reach = (alone.high - alone.low)[0] / 2
    assert reach == pytest.approx(norm.isf(0.025) * np.sqrt(covariance[0, 0]), rel=0.03)
    three = decision_curve(y, {"p": p, "q": q, "r": 1 - q}, thresholds=[0.2])
    assert [pair.names for pair in three] == [("p", "q"), ("p", "r"), ("q", "r")]
    of_first = three.differences[0]
    assert (of_first.high - of_first.low)[0] / 2 / reach == pytest.approx(
        norm.isf(0.025 / 3) / norm.isf(0.025), rel=0.03
    )
    assert "p against r (95 % band): surely larger at thresholds from 0.2 to 0.2" in repr(three)


@pytest.mark.parametrize("prevalence", [None, 0.1])
def test_rules_that_differ_on_every_row_have_an_error_too(prevalence):
    y = np.arange(40) % 4 == 0
    found = decision_curve(y, np.linspace(0.2, 0.3, 40), thresholds=[0.1, 0.5], prevalence=prevalence)
    assert (found.avoided_low < found.avoided).all()
    assert (found.avoided < found.avoided_high).all()


def test_scorers_that_act_alike_differ_by_nothing_but_not_for_certain():
    y, p, _ = probabilities(np.random.default_rng(10), 100)
    (pair,) = decision_curve(y, {"p": p, "again": p})
    assert (pair.difference == 0).all()
    assert (pair.low < 0).all()
    assert (pair.high > 0).all()
    assert "nowhere surely larger or smaller" in repr(pair)
    with pytest.raises(InputError, match="needs two scorers"):
        decision_curve(y, {"p": p})


@pytest.mark.slow
def test_bands_of_differences_and_of_interventions_avoided_hold_about_as_often_as_they_say():
    rng, t, n_draws, held, avoided = np.random.default_rng(11), np.arange(1, 15) / 20, 200, 0, 0
    for _ in range(n_draws):
        y, p, benefit = probabilities(rng, 400)
        compared = decision_curve(y, {"p": p, "all": np.ones(400)}, thresholds=t)
        of_all = 0.2 - 0.8 * t / (1 - t)
        (pair,), curve = compared.differences, compared.curves["p"]
        true = benefit(t) - of_all
        held += bool(((pair.low <= true) & (true <= pair.high)).all())
        true = true * (1 - t) / t
        avoided += bool(((curve.avoided_low <= true) & (true <= curve.avoided_high)).all())
    assert min(held, avoided) >= binom.ppf(0.001, n_draws, 0.95)


# --- precision and recall ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("case", CASES)
def test_the_band_holds_the_points_of_scikit_learn(case):
    y, s = draw(*case)
    precision, recall, _ = precision_recall_curve(y, s)
    low, high = pr_band(y, s).at(recall)
    assert (low <= precision + 1e-12).all()
    assert (precision <= high + 1e-12).all()


def test_with_a_known_share_of_positives_the_band_is_that_of_the_roc_curve():
    y, s = draw(0, 200)
    roc, found = roc_band(y, s), pr_band(y, s, prevalence=0.1)
    low, high = found.at(0.4)
    at = np.linspace(0, 1, 200_001)
    lower, upper = roc.at(at)
    latest, earliest = at[lower <= 0.4].max(), at[upper >= 0.4].min()
    assert low == pytest.approx(0.04 / (0.04 + 0.9 * latest), abs=1e-4)
    assert high == pytest.approx(0.04 / (0.04 + 0.9 * earliest), abs=1e-3)


def test_the_whole_precision_recall_curve_is_inside_as_often_as_promised():
    rng, share, shift, inside = np.random.default_rng(4), 0.2, 1.8, 0
    r = np.linspace(0.001, 0.999, 400)
    f = norm.sf(norm.isf(r) + shift)
    true = share * r / (share * r + (1 - share) * f)
    for _ in range(200):
        y = rng.random(300) < share
        low, high = pr_band(y, rng.standard_normal(300) + shift * y).at(r)
        inside += bool(((low <= true) & (true <= high)).all())
    assert inside / 200 >= 0.95


@given(labeled_scores())
def test_limits_of_the_precision_are_in_order(sample):
    band = pr_band(*sample)
    assert (band.low >= 0).all()
    assert (band.low <= band.high).all()
    assert (band.high <= 1).all()
    assert band.prevalence_low < np.mean(sample[0]) < band.prevalence_high


def test_recalls_out_of_range_are_refused():
    with pytest.raises(InputError, match="recall must be in"):
        pr_band(*draw(0)).at(1.1)
