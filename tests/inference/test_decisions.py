import numpy as np
import pytest
from hypothesis import given
from scipy.stats import binom, norm
from sklearn.metrics import confusion_matrix, precision_recall_curve

from podium.exceptions import InputError
from podium.inference import decision_curve, pr_band, roc_band
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
