import numpy as np
import pytest
from scipy.stats import norm

from podium.inference import interval
from podium.inference.intervals import methods
from samples import draw


def test_hanley_and_mcneils_variance_is_exact_for_exponential_scores():
    a, n, m = 0.8, 20, 30
    rng = np.random.default_rng(0)  # positives have mean a/(1 − a), negatives 1: then the AUC is a
    pos, neg = rng.exponential(a / (1 - a), (4000, n, 1)), rng.exponential(1.0, (4000, 1, m))
    simulated = (pos > neg).mean(axis=(1, 2))
    found = methods.hanley_mcneil(a, n, m, 0.95)
    assert simulated.mean() == pytest.approx(a, abs=4 * simulated.std() / np.sqrt(4000))
    assert found.standard_error == pytest.approx(simulated.std(), rel=0.05)
    assert (found.low, found.high) == pytest.approx(a + norm.ppf([0.025, 0.975]) * found.standard_error)


@pytest.mark.parametrize("auc", [0.5, 0.8, 0.97])
def test_newcombes_limits_are_where_the_estimate_is_z_standard_errors_away(auc):
    n, m = 40, 70
    found = methods.newcombe(auc, n, m, 0.9)
    size = (n + m) / 2
    for a in (found.low, found.high):
        variance = a * (1 - a) * (1 + (size - 1) * ((1 - a) / (2 - a) + a / (1 + a))) / (n * m)
        assert abs(auc - a) == pytest.approx(norm.ppf(0.95) * variance**0.5)
    assert found.low < auc < found.high


def test_newcombes_interval_at_perfection_has_one_open_side():
    found = methods.newcombe(1.0, 30, 30, 0.95)
    assert 0.8 < found.low < 0.99
    assert found.high == 1
    mirrored = methods.newcombe(0.0, 30, 30, 0.95)
    assert mirrored.high == pytest.approx(1 - found.low)


@pytest.mark.parametrize("auc", [0.0, 1e-300, 1e-12, 2.3e-10, 0.5, 1 - 1e-12, 1 - 2**-53, 1.0])
@pytest.mark.parametrize("sizes", [(1, 1), (5.8e11, 7e10), (1e12, 1e-3), (1e-30, 1e-30), (1e160, 1e160)])
def test_newcombes_limits_exist_for_estimates_near_the_ends_and_weights_of_any_size(auc, sizes):
    found = methods.newcombe(auc, *sizes, 0.95)
    assert 0 <= found.low <= auc <= found.high <= 1
    assert found.standard_error >= 0


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_all_methods_agree_on_a_long_list(level):
    y, s = draw(0, 20_000)
    agreeing = [name for name in methods.METHODS if name not in ("kl", "mcdiarmid")]  # which hold for every law
    intervals = [interval(y, s, method=method, confidence_level=level, rng=0) for method in agreeing]
    width = intervals[0].high - intervals[0].low
    for found in intervals[1:]:
        assert (found.low, found.high) == pytest.approx((intervals[0].low, intervals[0].high), abs=0.07 * width)


def test_guaranteed_intervals_are_wider():
    y, s = draw(0, 2000)
    narrow = interval(y, s)
    for method in ("kl", "mcdiarmid"):
        wide = interval(y, s, method=method)
        assert wide.low < narrow.low < narrow.high < wide.high
    assert np.isfinite([wide.low, wide.high]).all()
