"""Curves from scores to chances, against scikit-learn's and against the truth."""

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.calibration import _SigmoidCalibration
from sklearn.isotonic import IsotonicRegression

from podium.rankers.calibration.curves import Calibration, IncreasingLimits, reliability
from podium.rankers.calibration.shapes import Isotonic, Platt


def sample(n_rows, seed=0, n_values=None):
    """Scores whose chance of a positive is known: they are its log-odds."""
    rng = np.random.default_rng(seed)
    truth = rng.beta(1, 3, n_rows)
    if n_values is not None:
        truth = np.ceil(truth * n_values) / (n_values + 1)
    return np.log(truth / (1 - truth)), rng.random(n_rows) < truth, truth


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_values", [None, 20])
def test_isotonic_blocks_are_those_of_scikit_learn_drawn_to_the_share_of_all_by_one_row(n_values, weighted):
    s, y, _ = sample(400, n_values=n_values)
    weight = np.random.default_rng(1).integers(1, 4, 400).astype(float) if weighted else np.ones(400)
    curve = Isotonic.fit(s, y, weight if weighted else None)
    steps = IsotonicRegression().fit(s, y, weight).predict(s)
    worth = weight * weight.sum() / (weight**2).sum()
    wanted = 0.0
    for level in np.unique(steps):
        block = np.isclose(steps, level, rtol=0, atol=1e-12)
        drawn = (worth[block] @ y[block] + worth @ y / worth.sum()) / (worth[block].sum() + 1)
        wanted = max(wanted, drawn)  # a small block is drawn further, but never below the one before
        assert curve(s[block]) == pytest.approx(np.full(block.sum(), wanted), abs=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_platts_curve_is_that_of_scikit_learn(weighted):
    s, y, _ = sample(150)
    weight = np.random.default_rng(1).integers(1, 4, 150).astype(float) if weighted else None
    other = _SigmoidCalibration().fit(s, y, None if weight is None else weight * weight.sum() / (weight @ weight))
    assert Platt.fit(s, y, weight)(s) == pytest.approx(other.predict(s), abs=1e-4)


@pytest.mark.parametrize("curve", [Isotonic, Platt])
def test_only_ratios_of_weights_and_the_scale_of_no_score_matter(curve):
    s, y, _ = sample(300)
    weight = np.random.default_rng(1).random(300) + 0.5
    found, moved = curve.fit(s, y, weight), curve.fit(1e6 + 1e3 * s, y, 1e-6 * weight)
    assert moved(1e6 + 1e3 * s) == pytest.approx(found(s), abs=1e-6)


def test_limits_depend_on_the_order_of_scores_and_on_ratios_of_weights():
    s, y, _ = sample(300, n_values=40)
    weight = np.random.default_rng(1).random(300) + 0.5
    found, moved = IncreasingLimits.fit(s, y, weight), IncreasingLimits.fit(np.exp(3 * s), y, 1e-6 * weight)
    for one, other in zip(found(s), moved(np.exp(3 * s)), strict=True):
        assert one == pytest.approx(other, abs=1e-9)
    for one, other in zip(IncreasingLimits.fit(s, y)(s), IncreasingLimits.fit(s, y, np.full(300, 7.0))(s), strict=True):
        assert one == pytest.approx(other, abs=1e-12)


@pytest.mark.parametrize("unit", [1e200, 1e307])
def test_scores_whose_squares_are_no_numbers(unit):
    s, y, _ = sample(150)
    found, huge = Platt.fit(s, y), Platt.fit(unit * s, y)
    assert huge(unit * s) == pytest.approx(found(s), abs=1e-6)
    assert found(np.array([-1.7e308, 1.7e308])) == pytest.approx([0, 1])


def test_even_chances_stand_at_the_threshold():
    scores, labels = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0]), np.array([False, False, True, False, True, True])
    for curve in (Isotonic, Platt):
        chance = curve.fit(scores, labels, None)
        assert chance(np.array([chance.even]))[0] == pytest.approx(0.5)
        assert chance(np.array([-100.0, 100.0])) == pytest.approx([0, 1], abs=0.17)  # two rows say no more
    assert np.isinf(Isotonic.fit(scores, np.zeros(6, bool), None).even)


def test_scores_that_mislead_have_one_chance():
    s, y, _ = sample(150)
    level = Platt.fit(-s, y)
    assert level.slope == 0
    assert level.even == np.inf
    assert level(s) == pytest.approx(np.full(150, y.mean()), abs=0.01)
    assert Platt.fit(np.full(150, 0.1), y).slope == 0


def test_where_scores_mislead_all_rows_on_a_side_give_the_limit():
    # By SciPy: Clopper and Pearson's limits of the share among rows up to a score, and among those from it on.
    s, y, _ = sample(120, n_values=15)
    s = -s
    found = IncreasingLimits.fit(s, y)
    values = np.unique(s)
    low = [binomtest(int(y[s <= v].sum()), int((s <= v).sum())).proportion_ci().low for v in values]
    high = [binomtest(int(y[s >= v].sum()), int((s >= v).sum())).proportion_ci().high for v in values]
    assert found(values)[0] == pytest.approx([min(low[i:]) for i in range(len(low))], abs=1e-9)
    assert found(values)[1] == pytest.approx([max(high[: i + 1]) for i in range(len(high))], abs=1e-9)
    assert found(np.array([values[-1] + 1]))[1] == 1  # beyond all scores nothing limits a rise
    assert found(np.array([values[0] - 1]))[0] == 0


@pytest.mark.parametrize("n_rows", [150, 4000])  # Platt's curve, isotonic regression
def test_chances_are_shares_of_positives(n_rows):
    s, y, truth = sample(200_000)
    curve = Calibration.fit(s[:n_rows], y[:n_rows])
    assert isinstance(curve.curve, Platt if n_rows == 150 else Isotonic)
    chance = curve(s[n_rows:])
    low, high = curve.limits(s[n_rows:])
    assert np.mean(np.abs(chance - truth[n_rows:])) < (0.05 if n_rows == 150 else 0.03)
    assert ((low <= chance) & (chance <= high)).all()
    assert np.mean((low <= truth[n_rows:]) & (truth[n_rows:] <= high)) > 0.85
    rising = curve(np.sort(s))
    assert (np.diff(rising) >= 0).all()
    assert 0 < rising[0] < rising[-1] < 1


@pytest.mark.slow
@pytest.mark.parametrize("rise", ["none", "step", "line"])
def test_limits_hold_the_chance_of_a_score_whatever_the_shape(rise):
    at = np.array([0.02, 0.3, 0.5, 0.79, 0.9, 0.99])
    chance = {"none": lambda u: 0.3 + 0 * u, "step": lambda u: 0.1 + 0.5 * (u > 0.8), "line": lambda u: u}[rise]
    held = []
    for seed in range(120):
        rng = np.random.default_rng(seed)
        s = rng.random(200)
        low, high = Calibration.fit(s, rng.random(200) < chance(s)).limits(at)
        assert (np.diff(low) >= 0).all()
        assert (np.diff(high) >= 0).all()
        held.append((low <= chance(at)) & (chance(at) <= high))
    assert (np.mean(held, axis=0) > 0.95 - 3 * np.sqrt(0.95 * 0.05 / 120)).all()


def test_separated_classes_have_chances_short_of_certainty():
    curve = Calibration.fit(np.arange(40.0), np.arange(40) >= 20)
    assert 0 < curve(np.array([-100.0]))[0] < 0.1
    assert 0.9 < curve(np.array([100.0]))[0] < 1
    assert curve(np.array([100.0])) == curve(np.array([39.0]))  # nothing is known beyond
    assert Calibration.fit(np.zeros(40), np.arange(40) >= 20)(np.zeros(1)) == pytest.approx(0.5)


def test_reliability_tells_chances_that_hold_from_scores_of_another_world():
    s, y, _ = sample(2000)
    found = reliability(y, s)
    assert found.n_rows.sum() == 2000
    several = [reliability(y, s) for s, y, _ in (sample(2000, seed) for seed in range(20))]
    errors = [one.expected_error / one.chance_error for one in several]
    assert 0.8 < np.mean(errors) < 1.2  # not far below chance: labels had no say in who is in which fold
    assert ((found.low <= found.found) & (found.found <= found.high)).all()
    assert np.ptp(found.said) > 0.4
    assert np.ptp(reliability(y, np.random.default_rng(1).random(2000)).said) < 0.2
