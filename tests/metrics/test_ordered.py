"""More than two classes in order: chains of rows, counted one by one."""

from itertools import pairwise, product
from math import factorial

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from podium import inference, metrics
from podium.exceptions import DegenerateSampleError, InputError


def in_order(values):
    """The probability that equal values in random order are in order; none if some are out of order."""
    if any(a > b for a, b in pairwise(values)):
        return 0.0
    return 1 / np.prod([factorial(values.count(value)) for value in set(values)])


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_the_volume_is_the_share_of_chains_in_order_ties_in_random_order(n_classes):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        y = np.append(np.arange(n_classes), rng.integers(n_classes, size=10))
        s = rng.integers(6, size=len(y)).astype(float)
        chains = list(product(*(s[y == k].tolist() for k in range(n_classes))))
        expected = np.mean([in_order(list(chain)) for chain in chains])
        assert metrics.volume_under_surface(y, s) == pytest.approx(expected, abs=1e-12)


def test_two_classes_have_the_auc_and_delongs_standard_error():
    rng = np.random.default_rng(0)
    y = rng.random(200) < 0.3
    s = rng.normal(size=200).round(1) + y
    assert metrics.volume_under_surface(y, s) == pytest.approx(metrics.auc(y, s), rel=1e-12)
    found = inference.surface_interval(y, s)
    assert found.standard_error == pytest.approx(inference.interval(y, s, method="delong").standard_error, rel=1e-9)


def test_labels_may_be_text_and_turning_both_orders_round_changes_nothing():
    rng = np.random.default_rng(0)
    y, s = rng.integers(3, size=60), rng.normal(size=60).round(1)
    assert metrics.volume_under_surface(np.array(list("abc"))[y], s) == metrics.volume_under_surface(y, s)
    assert metrics.volume_under_surface(-y, -s) == pytest.approx(metrics.volume_under_surface(y, s), rel=1e-12)


@pytest.mark.parametrize("d", [0.0, 1.0, 2.5])
def test_intervals_cover_the_truth_as_often_as_said(d):
    truth = quad(lambda x: norm.cdf(x + d) * norm.pdf(x) * norm.sf(x - d), -9, 9)[0]
    rng, y, n_draws, covered = np.random.default_rng(0), np.repeat([0, 1, 2], [40, 20, 20]), 300, 0
    for _ in range(n_draws):
        found = inference.surface_interval(y, rng.normal(size=80) + d * y)
        covered += found.low <= truth <= found.high
        assert found.low <= found.estimate <= found.high
    assert covered / n_draws >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / n_draws)


def test_a_perfect_order_of_few_rows_is_not_called_certain():
    found = inference.surface_interval(np.repeat([0, 1, 2], 10), np.repeat([0.0, 1.0, 2.0], 10))
    assert found.estimate == found.high == pytest.approx(1)
    assert 0.7 < found.low < 0.98


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ([1, 1, 1], "must be 2 to 20; got one class"),
        ([1.0, np.nan, 2.0], "none of them missing"),
        ([1, 2], "the same length"),
    ],
)
def test_what_cannot_be_used_is_refused(y, words):
    with pytest.raises(InputError, match=words):
        metrics.volume_under_surface(y, [1.0, 2.0, 3.0])


def test_an_interval_needs_two_rows_of_each_class():
    with pytest.raises(DegenerateSampleError, match="two rows or more of each class"):
        inference.surface_interval([0, 1, 1, 2, 2], [1.0, 2.0, 3.0, 4.0, 5.0])
