"""What every smoothing kernel keeps."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

from podium import kernels as package
from podium.kernels import Kernel, SmoothKernel
from registry import Case
from registry import cases as found

T = np.linspace(-6, 6, 241)


def cases() -> list[Case]:
    return found(package, Kernel, {})


def _integral(function, kernel):
    end = min(kernel.reach(1e-16), 60.0)
    return quad(lambda t: float(function(t)), -end, end, points=[-1, 0, 1], limit=200)[0]


def it_integrates_to_one(kernel):
    assert _integral(kernel.density, kernel) == pytest.approx(1, rel=1e-9)


def it_is_a_symmetric_density(kernel):
    assert kernel.density(T).min() >= 0
    np.testing.assert_allclose(kernel.density(-T), kernel.density(T), rtol=1e-12)


def its_cdf_is_the_integral_of_the_density(kernel):
    for low, high in [(-5.0, -0.7), (-0.7, 0.2), (0.2, 3.0)]:
        area = quad(kernel.density, low, high, points=[-1, 0, 1])[0]
        low_, high_ = kernel.cdf(np.array([low, high]))
        assert high_ - low_ == pytest.approx(area, abs=1e-9)
    np.testing.assert_allclose(kernel.cdf(T) + kernel.cdf(-T), 1, rtol=1e-12)


def beyond_its_reach_the_cdf_is_zero_or_one_up_to_the_mass(kernel):
    for mass in (1e-6, 1e-12):
        ends = np.array([-1.0, 1.0]) * kernel.reach(mass)
        np.testing.assert_allclose(kernel.cdf(ends), [0.0, 1.0], rtol=0, atol=mass * 1.001)


def its_steepness_bounds_the_derivatives_of_the_density(kernel):
    if not isinstance(kernel, SmoothKernel):
        return
    # Derivatives around 0, where those of even order are largest, from a Chebyshev fit.
    fit = np.polynomial.Chebyshev.interpolate(kernel.density, 40, domain=[-2, 2])
    for order, bound in kernel.steepness.items():
        derivative = np.abs(fit.deriv(order)(np.linspace(-1, 1, 201)))
        assert derivative.max() / kernel.density(0.0) == pytest.approx(bound, rel=1e-4)


def its_name_gives_it_back(kernel):
    names = [name for name, each in package.BY_NAME.items() if each == kernel]
    assert [package.resolve(name) for name in names] == [kernel]
