"""Samples, and what tests of smoothed rank statistics run over."""

import numpy as np
import pytest

from podium import kernels

PHIS = ["mww", "power:3", "smooth-top:0.9", "early-recognition:20", "logistic", "logrank", "van-der-waerden", "dcg"]
every_phi = pytest.mark.parametrize("phi_name", PHIS)
every_kernel = pytest.mark.parametrize("kernel", list(kernels.BY_NAME))
some_pairs = pytest.mark.parametrize(
    ("phi_name", "kernel"),
    [(phi, kernel) for i, phi in enumerate(PHIS) for j, kernel in enumerate(kernels.BY_NAME) if (i + j) % 3 == 0],
)
relative_or_not = pytest.mark.parametrize("relative", [True, False])


def sample(n=60, seed=0):
    rng = np.random.default_rng(seed)
    is_positive = np.arange(n) % 3 == 0
    return rng.standard_normal(n) + 0.8 * is_positive, is_positive, rng.integers(1, 4, n).astype(float)
