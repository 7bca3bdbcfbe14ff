"""The stability index: its formula, its limits, and what chance gives."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from podium import InputError
from podium.inference import stability_index
from podium.inference.stability import Divergence


def naive_index(then, now):
    total = 0.0
    for each in set(then) | set(now):
        a, e = now.count(each) or 0.5, then.count(each) or 0.5
        total += (a / len(now) - e / len(then)) * math.log(a / len(now) / (e / len(then)))
    return total


@pytest.mark.parametrize("seed", range(10))
def test_the_index_of_categories_is_its_sum(seed):
    rng = np.random.default_rng(seed)
    then, now = rng.choice(list("abcd"), 200), rng.choice(list("abcde"), 150, p=[0.4, 0.3, 0.2, 0.05, 0.05])
    found = stability_index(then, now)
    assert found.estimate == pytest.approx(naive_index(then.tolist(), now.tolist()), abs=1e-12)
    assert found.low <= found.estimate <= found.high
    assert found.n_bins == 5


def test_bins_of_numbers_hold_equal_numbers_of_the_expected_rows():
    rng = np.random.default_rng(0)
    then, now = rng.normal(size=1000), rng.normal(0.5, size=600)
    edges = np.sort(then)[99:999:100]
    then_in, now_in = (np.digitize(values, edges, right=True).tolist() for values in (then, now))
    assert {then_in.count(b) for b in range(10)} == {100}
    assert stability_index(then, now).estimate == pytest.approx(naive_index(then_in, now_in), abs=1e-12)
    few = stability_index([0, 0, 0, 1, 1, 2] * 10, [0, 1, 2] * 10)  # ties stay together
    assert few.n_bins == 3


def test_without_change_the_index_is_what_chance_gives_and_zero_is_not_excluded():
    rng, values, held = np.random.default_rng(2), [], 0
    for _ in range(400):
        found = stability_index(rng.random(1000), rng.random(600))
        values.append(found.estimate)
        held += found.low == 0
    assert np.mean(values) == pytest.approx(found.by_chance, rel=0.1)
    assert found.by_chance == pytest.approx(9 * (1 / 1000 + 1 / 600))
    assert held / 400 > 0.93


@pytest.mark.parametrize(
    ("sizes", "shift"), [((1000, 1000), 0.15), ((1000, 600), 0.3), ((400, 2000), 0.6), ((3000, 300), 0.2)]
)
def test_a_change_is_covered(sizes, shift):
    rng, held = np.random.default_rng(3), 0
    edges = norm.ppf(np.arange(1, 10) / 10)
    shares = [np.diff([0.0, *norm.cdf(edges - d), 1.0]) for d in (shift, 0.0)]
    truth = Divergence(*shares, 1.0, 1.0).value
    for _ in range(300):
        found = stability_index(rng.normal(size=sizes[0]), rng.normal(shift, size=sizes[1]))
        held += found.low <= truth <= found.high
    assert held / 300 > 0.93 - 2 * math.sqrt(0.05 * 0.95 / 300)


def test_few_rows_are_noted_and_nonsense_gets_a_sentence():
    assert "fewer bins" in stability_index(np.arange(50), np.arange(40)).note
    with pytest.raises(InputError, match="n_bins must be 2 or more"):
        stability_index([1, 2, 3], [1, 2, 3], n_bins=1)
