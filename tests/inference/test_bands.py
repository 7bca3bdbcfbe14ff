import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstwo

from inference import naive_bands, naive_curves
from podium._fast.draws import log_stay_probability
from podium._shares import order_statistic_limits
from podium.exceptions import InputError
from podium.inference import roc_band
from podium.inference.curves.bands import METHODS
from podium.roc import RocCurve
from podium.roc.local_levels import local_level, log_coverage
from samples import CASES, binormal, draw, labeled_scores

SIDES = ("both", "lower")


# --- how often sorted uniforms stay inside their limits ---------------------------------------------------------------
@pytest.mark.parametrize("n", [1, 2, 5, 12])
@pytest.mark.parametrize("level", [0.3, 0.05, 0.001])
def test_the_recursion_equals_stecks_determinant(n, level):
    low, high = (limits[1:-1] for limits in order_statistic_limits(n, level / 2))
    assert np.exp(log_stay_probability(low, high)) == pytest.approx(naive_curves.stay_probability(low, high), rel=1e-12)
    assert np.exp(log_stay_probability(low, np.ones(n))) == pytest.approx(
        naive_curves.stay_probability(low, np.ones(n)), rel=1e-12
    )


@pytest.mark.parametrize("n", [10, 100])
def test_the_recursion_equals_the_exact_distribution_of_kolmogorov_and_smirnov(n):
    i = np.arange(1, n + 1)
    for gap in (0.5 / n + 0.05, 0.15, 0.3):
        low, high = np.maximum(i / n - gap, 0), np.minimum((i - 1) / n + gap, 1)
        assert np.exp(log_stay_probability(low, high)) == pytest.approx(kstwo.cdf(gap, n), rel=1e-9)


def test_the_recursion_equals_a_simulation():
    n, level = 60, 0.01
    u = np.sort(np.random.default_rng(0).random((40_000, n)), axis=1)
    low, high = (limits[1:-1] for limits in order_statistic_limits(n, level / 2))
    share = np.mean(((u >= low) & (u <= high)).all(axis=1))
    exact = np.exp(log_coverage(n, level))
    assert share == pytest.approx(exact, abs=3 * np.sqrt(exact * (1 - exact) / len(u)))


def test_limits_that_cannot_be_kept_have_probability_zero():
    assert log_stay_probability(np.array([0.6, 0.6]), np.array([0.5, 0.9])) == -np.inf


@pytest.mark.parametrize(
    ("n_pos", "n_neg", "level"),
    [(50, 50, 0.00137188), (150, 150, 0.00086319), (30, 270, 0.00102708), (1000, 1000, 0.00048582)],
)
def test_local_levels_are_those_of_the_published_table(n_pos, n_neg, level):
    assert local_level(n_pos, n_neg, 0.95) == pytest.approx(level, abs=5e-9)


def test_beyond_five_thousand_the_probability_is_slightly_understated():
    # Exact values at n = 40,000 and 100,000 by the recursion, which takes seconds there.
    for n, level, exact in [(40_000, 0.0004, -0.03947495571), (100_000, 0.0004, -0.04394533561)]:
        assert -1e-3 < log_coverage(n, level) - exact < 0


def test_local_levels_fall_as_samples_grow_and_one_limit_alone_takes_the_whole_error():
    levels = [local_level(n, n, 0.95) for n in (1, 10, 100, 1000, 20_000)]
    assert levels == sorted(levels, reverse=True)
    assert local_level(1, 1, 0.95) == pytest.approx(1 - np.sqrt(0.95))  # two limits, each one observation


# --- bands ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("case", CASES)
def test_the_band_equals_its_statement_at_every_corner_and_between(case):
    y, s = draw(*case)
    n_pos, n_neg = int(y.sum()), int((~y).sum())
    tail = local_level(n_pos, n_neg, 0.95) / 2
    limits = *order_statistic_limits(n_pos, tail), *order_statistic_limits(n_neg, tail)
    band = roc_band(y, s)
    x = np.concatenate([band.fpr, (band.fpr[1:] + band.fpr[:-1]) / 2])
    x = x[(x > 0) & (x < 1)]
    expected = np.array([naive_bands.band_of_operating_points(y, s, *limits, t) for t in x])
    np.testing.assert_allclose(np.column_stack(band.at(x)), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_the_pointwise_band_takes_tied_rows_in_the_worst_order(case):
    y, s = draw(*case)
    tail = (1 - 0.95) / 4
    limits = *order_statistic_limits(int(y.sum()), tail), *order_statistic_limits(int((~y).sum()), tail)
    band = roc_band(y, s, method="pointwise")
    x = np.concatenate([band.fpr, (band.fpr[1:] + band.fpr[:-1]) / 2])
    x = x[(x > 0) & (x < 1)]
    expected = np.array([naive_curves.rectangle_band(y, s, *limits, t) for t in x])
    np.testing.assert_array_equal(np.column_stack(band.at(x)), expected)


@pytest.mark.parametrize(("n_pos", "n_neg"), [(100, 100), (30, 270)])
def test_the_whole_curve_of_graded_scores_is_inside_a_band_that_is_not_wide(n_pos, n_neg):
    of_pos, of_neg = np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.3, 0.6])
    curve = RocCurve.from_points(np.cumsum(of_neg)[:2], np.cumsum(of_pos)[:2])
    y, rng, inside, width = np.arange(n_pos + n_neg) < n_pos, np.random.default_rng(6), 0, 0.0
    for _ in range(200):
        s = np.concatenate([rng.choice(3, n_pos, p=of_pos), rng.choice(3, n_neg, p=of_neg)])
        band = roc_band(y, -s)
        true, (low, high) = curve.at(band.fpr), band.at(curve.fpr)
        # Both are broken lines: where either has a corner is where they are closest.
        inside += bool(((band.low <= true + 1e-12) & (true <= band.high + 1e-12)).all())
        inside -= not ((low <= curve.tpr) & (curve.tpr <= high)).all()
        width += band.mean_width / 200
    assert inside / 200 >= 0.95
    assert width < 0.5  # .58 and .66 where tied rows may be in any order


def test_the_ks_band_is_the_curve_moved_by_its_two_distances():
    y, s = draw(0, 40)
    n_pos, n_neg = int(y.sum()), int((~y).sum())
    up, along = (kstwo.ppf(np.sqrt(0.95), n) for n in (n_pos, n_neg))
    curve, band = RocCurve.from_scores(y, s), roc_band(y, s, method="ks")
    t = np.linspace(0, 1, 997)
    low, high = band.at(t)
    np.testing.assert_allclose(low, np.maximum(curve.at(np.maximum(t - along, 0)) * (t > along) - up, 0), atol=1e-12)
    inside = t + along < 1
    np.testing.assert_allclose(high[inside], np.minimum(curve.at(t[inside] + along) + up, 1), atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("side", SIDES)
@given(sample=labeled_scores())
def test_every_band_rises_and_holds_the_empirical_curve(method, side, sample):
    y, s = sample
    band = roc_band(y, s, method=method, side=side, n_resamples=100, rng=0)
    assert (np.diff(band.low) >= 0).all()
    assert (np.diff(band.high) >= 0).all()
    assert band.at(0)[0] == 0
    assert band.at(1)[1] == 1
    curve = RocCurve.from_scores(y, s)
    middle = (curve.fpr[1:] + curve.fpr[:-1]) / 2
    low, high = band.at(middle)
    assert (low <= curve.at(middle) + 1e-12).all()
    assert (high >= curve.at(middle) - 1e-12).all()


@given(labeled_scores(), st.integers(0, 9))
def test_breaking_ties_at_random_keeps_the_band_inside_the_one_of_the_ties(sample, seed):
    y, s = sample
    broken = s + 0.1 * np.random.default_rng(seed).random(len(s))
    tied, plain = (roc_band(y, scores, method="pointwise") for scores in (s, broken))
    x = np.linspace(0, 1, 101)
    assert (tied.at(x)[0] <= plain.at(x)[0]).all()
    assert (tied.at(x)[1] >= plain.at(x)[1]).all()


def test_swapping_the_classes_keeps_the_area_of_the_band():
    y, s = draw(0, 40)
    assert roc_band(~y, -s).mean_width == pytest.approx(roc_band(y, s).mean_width, rel=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_a_lower_bound_alone_is_higher(method):
    y, s, _ = binormal(np.random.default_rng(1), 60, 60)
    both, lower = (roc_band(y, s, method=method, side=side, n_resamples=2000, rng=3) for side in SIDES)
    x = np.linspace(0.01, 1, 100)
    assert (lower.at(x)[0] >= both.at(x)[0] - 1e-12).all()
    assert lower.at(x)[0].sum() > both.at(x)[0].sum()
    assert (lower.high == 1).all()


@pytest.mark.parametrize(("method", "least"), [("ell", 0.95), ("ks", 0.95), ("calibrated", 0.92)])
def test_the_whole_curve_is_inside_as_often_as_promised(method, least):
    rng = np.random.default_rng(4)
    inside = 0
    for _ in range(200):
        y, s, curve = binormal(rng, 50, 50)
        band = roc_band(y, s, method=method, n_resamples=300, rng=rng)
        # Between corners the staircases are flat and the curve rises: the corners are the supremum.
        true = curve(band.fpr)
        inside += bool(((band.low <= true) & (true <= band.high)).all())
    assert inside / 200 >= least


def test_bands_are_the_narrower_the_less_they_promise():
    y, s, _ = binormal(np.random.default_rng(1), 150, 150)
    width = {method: roc_band(y, s, method=method, rng=0).mean_width for method in METHODS}
    assert width["calibrated"] < width["ell"] < 0.8 * width["ks"]
    assert width["ks"] < width["dkw"]
    assert width["pointwise"] < width["ell"]


def test_a_pointwise_band_says_so_and_the_others_say_simultaneous():
    y, s = draw(0)
    for method in METHODS:
        band = roc_band(y, s, method=method, rng=0)
        word = "pointwise" if method == "pointwise" else "simultaneous"
        assert word in repr(band)
        assert word in band.label
        assert band.simultaneous == (method != "pointwise")
        assert (", guaranteed, " in repr(band)) == band.guaranteed == (", approximate, " not in repr(band))
        assert bool(band.note) == (method in ("calibrated", "bootstrap", "pointwise"))


def test_perfect_separation_and_single_rows_have_bands():
    for y, s in [([0, 1], [1, 2]), ([0, 0, 0, 1], [1, 2, 3, 4]), ([0, 1, 1, 1], [1, 2, 3, 4]), ([0, 1], [1, 1])]:
        for method in METHODS:
            band = roc_band(y, s, method=method, rng=0)
            assert np.isfinite(band.low).all()
            assert np.isfinite(band.high).all()
    separated = roc_band(np.repeat([0, 1], 50), np.arange(100))
    assert separated.at(1)[0] > 0.85
    assert separated.at(0)[1] == 1


def test_the_same_seed_gives_the_same_band():
    y, s = draw(0)
    for method in ("calibrated", "bootstrap"):
        first, second = (roc_band(y, s, method=method, rng=7) for _ in range(2))
        np.testing.assert_array_equal(first.low, second.low)


def test_a_dictionary_holds_plain_values():
    import json

    stored = json.loads(json.dumps(roc_band([0, 1, 0, 1], [1, 2, 3, 4]).to_dict()))
    assert stored["method"] == "ell"
    assert len(stored["fpr"]) == len(stored["low"]) == len(stored["high"])


def test_what_cannot_be_answered_is_refused_in_a_sentence():
    y, s = draw(0)
    with pytest.raises(InputError, match="method must be one of 'ell'"):
        roc_band(y, s, method="magic")
    with pytest.raises(InputError, match="side must be one of"):
        roc_band(y, s, side="upper")
    with pytest.raises(InputError, match="confidence_level must be in"):
        roc_band(y, s, confidence_level=95)
    with pytest.raises(InputError, match="fpr must be in"):
        roc_band(y, s).at([0.2, np.nan])
