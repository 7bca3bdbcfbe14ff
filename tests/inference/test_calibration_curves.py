from itertools import product

import numpy as np
import pytest
from scipy.stats import beta, binom
from sklearn.isotonic import IsotonicRegression

from podium.exceptions import DegenerateSampleError, InputError
from podium.inference import calibration, calibration_band, calibration_by_group

RISING = [
    np.array([0.02, 0.1, 0.1, 0.4, 0.5, 0.5, 0.7, 0.9]),
    np.full(8, 0.3),
    np.repeat([0.05, 0.95], 4),
    np.linspace(0.4, 0.6, 8),
]


def shares(y, tail):
    """Clopper and Pearson's limits."""
    hits, rows = np.sum(y), len(y)
    low = beta.ppf(tail, hits, rows - hits + 1) if hits else 0.0
    high = beta.isf(tail, hits + 1, rows - hits) if hits < rows else 1.0
    return low, high


@pytest.mark.parametrize("chance", RISING)
@pytest.mark.parametrize("said", [np.arange(1, 9) / 10, np.array([1, 1, 2, 3, 3, 3, 4, 5]) / 10])
@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
def test_of_all_labels_that_eight_rows_can_have_the_limits_hold_at_their_level(chance, said, level):
    chance = np.array([chance[said == each].max() for each in said])  # rows alike have one chance
    whole, points = 0.0, np.zeros(len(np.unique(said)))
    true = np.array([chance[said == each][0] for each in np.unique(said)])
    for labels in product((0, 1), repeat=8):
        y = np.array(labels)
        weight = np.prod(np.where(y, chance, 1 - chance))
        if y.min() == y.max():  # of one class nothing is said: counted as covered, which is rare or leaves no room
            whole, points = whole + weight, points + weight
            continue
        band = calibration_band(y, said, confidence_level=level)
        assert band.probability == pytest.approx(np.unique(said))
        whole += weight * ((band.low <= true) & (true <= band.high)).all()
        each = calibration_band(y, said, confidence_level=level, simultaneous=False)
        points += weight * ((each.low <= true) & (true <= each.high))
    assert whole >= level
    assert (points >= level).all()


def drawn(n=150, seed=0, digits=2):
    rng = np.random.default_rng(seed)
    p = np.round(rng.random(n), digits)
    return rng.random(n) < p**2, p


@pytest.mark.parametrize("digits", [1, 2, 8])
def test_limits_of_a_point_are_those_of_the_best_of_three_windows_that_end_at_it(digits):
    y, p = drawn(digits=digits)
    found = calibration_band(y, p, simultaneous=False, confidence_level=0.9)
    for at, low, high, chance in zip(found.probability, found.low, found.high, found.chance, strict=True):
        lows, highs = [0.0], [1.0]
        for length in np.array([0.5, 1, 2]) * 150 ** (2 / 3):
            for sign, limits in ((1, lows), (-1, highs)):
                candidates = sorted(set(p[sign * p <= sign * at]), key=lambda value: -sign * value)
                rows = np.zeros(150, bool)
                for value in candidates:  # whole groups, from the point outwards, until there are enough
                    rows |= p == value
                    if rows.sum() >= length:
                        break
                limits.append(shares(y[rows], 0.05 / 3)[0 if sign > 0 else 1])
        assert low == pytest.approx(min(max(lows), chance))
        assert high == pytest.approx(max(min(highs), chance))


def test_the_curve_is_isotonic_regression_and_the_band_encloses_it():
    y, p = drawn()
    found = calibration_band(y, p)
    assert found.chance == pytest.approx(IsotonicRegression().fit(p, y).predict(found.probability))
    assert (found.low <= found.chance).all()
    assert (found.chance <= found.high).all()
    for each in (found.low, found.high, found.chance):
        assert (np.diff(each) >= 0).all()
    alone = calibration_band(y, p, simultaneous=False)
    assert np.mean(alone.high - alone.low) < np.mean(found.high - found.low)


def test_the_order_of_rows_does_not_matter_even_where_probabilities_tie():
    y, p = drawn(digits=1)
    order = np.lexsort((y, p))
    for simultaneous in (True, False):
        one, other = (calibration_band(y[i], p[i], simultaneous=simultaneous) for i in (order, order[::-1]))
        assert (one.low, one.high) == (pytest.approx(other.low), pytest.approx(other.high))


def test_many_rows_show_where_too_few_or_too_many_positives_come():
    rng = np.random.default_rng(1)
    p = rng.random(200_000)
    y = rng.random(len(p)) < 0.5 + (p - 0.5) / 2
    found = calibration_band(y, p)
    assert len(found.probability) == 200
    assert np.median(found.high - found.low) < 0.08
    assert "more positives than said at probabilities from 0.00505 to 0.4" in repr(found)
    assert "fewer positives than said at probabilities from 0.5" in repr(found)
    assert "nowhere" in repr(calibration_band(rng.random(len(p)) < p, p))


def test_in_groups_the_limits_are_those_of_each_at_a_higher_level():
    y, p = drawn(600, digits=8)
    group = np.array(["a", "b", "c"])[np.arange(600) % 3]
    found = calibration_by_group(y, p, group, confidence_level=0.9)
    assert [each.group for each in found] == ["a", "b", "c"]
    rows = group == "b"
    assert found["b"].summary == calibration(y[rows], p[rows], confidence_level=1 - 0.1 / 3)
    alone = calibration_band(y[rows], p[rows], confidence_level=1 - 0.1 / 3)
    assert found["b"].band.low == pytest.approx(alone.low)
    assert "90 % in all groups together" in repr(found)


def test_groups_without_a_class_or_a_spread_get_a_sentence():
    y, p = np.arange(8) % 2, np.full(8, 0.5)
    with pytest.raises(DegenerateSampleError, match="all are the same in a"):
        calibration_by_group(y, p, ["a"] * 4 + ["b"] * 4)
    with pytest.raises(InputError, match="at least two groups"):
        calibration_by_group(y, p, ["a"] * 8)
    with pytest.raises(InputError, match="probabilities"):
        calibration_band(y, p + 1)


@pytest.mark.slow
@pytest.mark.parametrize("chance", [lambda p: p, lambda p: p**2, lambda p: 0.2 + 0 * p])
def test_whole_curves_are_inside_as_often_as_said(chance):
    rng, inside, n_draws = np.random.default_rng(4), 0, 300
    for _ in range(n_draws):
        p = rng.random(200)
        found = calibration_band(rng.random(200) < chance(p), p)
        true = chance(found.probability)
        inside += bool(((found.low <= true) & (true <= found.high)).all())
    assert inside >= binom.ppf(0.001, n_draws, 0.95)
