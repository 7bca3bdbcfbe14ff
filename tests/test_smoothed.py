"""Smoothed populations: against closed forms, quadrature of the definition, and the criterion of large samples."""

import numpy as np
import pytest
from scipy import integrate, stats

from podium import kernels
from podium.criteria import RankStatistic
from podium.datasets import LocationModel, smoothed_distribution, smoothed_rank_statistic
from podium.exceptions import InputError
from podium.experiments.clv21 import bandwidth
from podium.experiments.clv21.designs import PHIS
from podium.roc import RocCurve

KERNELS = ("gaussian", "logistic", "epanechnikov", "biweight", "triweight", "laplace")


@pytest.mark.parametrize("kernel", KERNELS)
def test_it_is_the_integral_of_the_definition(kernel):
    # (4.7) as printed: κ((t − u)/h) integrated against F(du).
    kappa, law = kernels.resolve(kernel).cdf, stats.expon(loc=-1.0)
    for t in (-0.5, 0.4):
        ours = smoothed_distribution(stats.norm(0.3).cdf, [t], 0.5, kernel)
        printed = integrate.quad(lambda u, t=t: float(kappa(np.array((t - u) / 0.5))) * stats.norm.pdf(u - 0.3), -9, 9)
        assert ours[0] == pytest.approx(printed[0], abs=1e-7)
    rising = smoothed_distribution(law.cdf, np.linspace(-5, 9, 200), 0.5, kernel)
    assert np.all(np.diff(rising) > -1e-12)


@pytest.mark.parametrize("name", PHIS)
def test_a_gaussian_kernel_adds_its_variance(name):
    model = LocationModel(0.2)
    deviation = 1 / np.sqrt(1 + model.separation**2 / 4)
    classes = [stats.norm(side * model.separation * deviation / 2, deviation) for side in (1, -1)]
    for h in (0.0, 0.02, 1.0):
        ours = smoothed_rank_statistic(*classes, PHIS[name], bandwidth=h)
        assert ours == pytest.approx(bandwidth.smoothed(name, h, model), abs=1e-8)


@pytest.mark.parametrize("share", [0.2, 0.7])
def test_the_criterion_of_samples_tends_to_it(share):
    positives, negatives, rng = stats.gamma(3.0), stats.norm(1.0, 2.0), np.random.default_rng(0)
    n_pos, n_neg = int(share * 400_000), int((1 - share) * 400_000)
    scores = np.concatenate([positives.rvs(n_pos, rng), negatives.rvs(n_neg, rng)])
    criterion = RankStatistic("power:3", bandwidth=0.8, relative=False)
    value = criterion.value_and_gradient(scores, np.arange(len(scores)) < n_pos)[0]
    ours = smoothed_rank_statistic(positives, negatives, "power:3", bandwidth=0.8, positive_rate=share)
    assert value == pytest.approx(ours, abs=4 * 0.4 / np.sqrt(min(n_pos, n_neg)))


def test_without_smoothing_it_is_read_off_the_curve():
    fpr = np.linspace(0, 1, 20_001)
    curve = RocCurve.from_points(fpr, stats.norm.sf(stats.norm.isf(fpr) - 1))
    for share in (0.1, 0.5):
        ours = smoothed_rank_statistic(stats.norm(1), stats.norm(0), "power:3", bandwidth=0, positive_rate=share)
        assert ours == pytest.approx(curve.rank_statistic("power:3", share), abs=1e-5)


def test_a_share_or_bandwidth_that_is_none_is_refused():
    with pytest.raises(InputError, match="positive_rate"):
        smoothed_rank_statistic(stats.norm(1), stats.norm(0), bandwidth=1, positive_rate=1.0)
    with pytest.raises(InputError, match="bandwidth"):
        smoothed_distribution(stats.norm.cdf, [0.0], -1)
