import numpy as np
import pytest
from scipy.stats import bootstrap as scipy_bootstrap
from scipy.stats import mannwhitneyu

import naive
from podium import _input
from podium import phi as phi_
from podium.inference import interval
from podium.inference.intervals import bootstrap
from podium.inference.lists.ranking import Ranking
from samples import draw


def omegas(y, s, phi="mww", weight=None, n_resamples=20_000, seed=0):
    ranking = Ranking(_input.check_sample(y, s, weight), phi_.resolve(phi))
    return bootstrap.resampled_omegas(ranking, n_resamples, np.random.default_rng(seed))


@pytest.mark.parametrize(("phi", "function"), [("mww", lambda u: u), ("power:3", lambda u: u**3)])
@pytest.mark.parametrize("n_levels", [None, 1])
def test_resampled_values_are_distributed_as_those_of_drawn_rows(phi, function, n_levels):
    y, s = draw(0, 20, n_levels)
    rng = np.random.default_rng(1)
    pos, neg = s[y], s[~y]
    labels = [True] * len(pos) + [False] * len(neg)
    literal = [
        naive.omega(labels, [*rng.choice(pos, len(pos)), *rng.choice(neg, len(neg))], function) for _ in range(1500)
    ]
    found = omegas(y, s, phi)
    error = np.std(literal) / np.sqrt(1500)
    assert np.mean(found) == pytest.approx(np.mean(literal), abs=4 * error)
    assert np.std(found) == pytest.approx(np.std(literal), rel=0.08)
    for q in (0.1, 0.9):
        assert np.quantile(found, q) == pytest.approx(np.quantile(literal, q), abs=0.25 * np.std(literal))


def test_integer_weights_draw_like_repeated_rows():
    y, s = draw(0, 20, 2)
    w = np.arange(20) % 3 + 1
    rows = np.repeat(np.arange(20), w)
    weighted, repeated = omegas(y, s, weight=w), omegas(y[rows], s[rows])
    assert np.mean(weighted) == pytest.approx(np.mean(repeated), abs=4 * np.std(repeated) / np.sqrt(10_000))
    assert np.std(weighted) == pytest.approx(np.std(repeated), rel=0.03)


def test_a_seed_fixes_the_interval():
    y, s = draw(0, 60)
    one, same, other = (interval(y, s, method="bca", rng=seed) for seed in (5, np.random.default_rng(5), 6))
    assert (one.low, one.high) == (same.low, same.high) != (other.low, other.high)


@pytest.mark.parametrize("method", ["percentile", "BCa"])
def test_limits_agree_with_scipys_two_sample_bootstrap(method):
    y, s = draw(0, 80)

    def auc(pos, neg, axis=-1):
        return mannwhitneyu(pos, neg, axis=axis, method="asymptotic").statistic / (pos.shape[-1] * neg.shape[-1])

    wanted = scipy_bootstrap((s[y], s[~y]), auc, n_resamples=4000, method=method, vectorized=True, rng=0)
    found = interval(y, s, method=method.lower(), n_resamples=20_000, rng=0)
    width = found.high - found.low
    limits = wanted.confidence_interval
    assert (found.low, found.high) == pytest.approx((limits.low, limits.high), abs=0.05 * width)
    assert found.standard_error == pytest.approx(wanted.standard_error, rel=0.04)
