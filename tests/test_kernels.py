import numpy as np
import pytest
from scipy.integrate import quad

import naive
from podium import kernels
from podium.exceptions import InputError, InputTypeError

every_kernel = pytest.mark.parametrize("name", list(kernels.BY_NAME))
T = np.linspace(-6, 6, 241)


@every_kernel
def test_density_and_cdf_are_those_of_scipy(name):
    kernel, reference = kernels.resolve(name), naive.KERNELS[name]
    np.testing.assert_allclose(kernel.density(T), reference.pdf(T), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(kernel.cdf(T), reference.cdf(T), rtol=1e-12, atol=1e-15)


@every_kernel
def test_left_tail_of_the_cdf_is_accurate_relative_to_itself(name):
    kernel, reference = kernels.resolve(name), naive.KERNELS[name]
    t = reference.ppf([1e-15, 1e-10, 1e-5])
    np.testing.assert_allclose(kernel.cdf(t), [1e-15, 1e-10, 1e-5], rtol=1e-8)


@every_kernel
def test_beyond_the_reach_the_cdf_is_zero_or_one_up_to_the_mass(name):
    kernel = kernels.resolve(name)
    for mass in (1e-6, 1e-12):
        ends = np.array([-1.0, 1.0]) * kernel.reach(mass)
        np.testing.assert_allclose(kernel.cdf(ends), [0.0, 1.0], rtol=0, atol=mass * 1.001)


@every_kernel
def test_roughness_and_variance_are_the_integrals_they_stand_for(name):
    kernel = kernels.resolve(name)
    end = min(kernel.reach(1e-16), 60.0)
    assert 2 * quad(lambda t: kernel.density(t) ** 2, 0, end)[0] == pytest.approx(kernel.roughness, rel=1e-9)
    assert 2 * quad(lambda t: t**2 * kernel.density(t), 0, end)[0] == pytest.approx(kernel.variance, rel=1e-9)


@pytest.mark.parametrize("name", ["gaussian", "logistic"])
def test_steepness_bounds_the_derivatives_of_the_density(name):
    kernel = kernels.resolve(name)
    # Derivatives at 0, where even ones are largest, from a Chebyshev fit.
    fit = np.polynomial.Chebyshev.interpolate(kernel.density, 40, domain=[-2, 2])
    for order, bound in kernel.steepness.items():
        derivative = np.abs(fit.deriv(order)(np.linspace(-1, 1, 201)))
        assert derivative.max() / kernel.density(0.0) == pytest.approx(bound, rel=1e-4)


def test_bandwidth_rules_of_the_gaussian_kernel_are_the_known_ones():
    assert kernels.Gaussian().default_bandwidth(100_000) == pytest.approx(0.1)
    assert kernels.Gaussian().normal_reference(1) == pytest.approx((4 / 3) ** 0.2)


@every_kernel
def test_a_kernel_passes_through_and_is_found_by_its_name(name):
    assert kernels.resolve(kernels.BY_NAME[name]) is kernels.BY_NAME[name]


def test_an_unknown_kernel_is_refused_with_the_names_that_are_understood():
    with pytest.raises(InputError, match="understood are gaussian, logistic"):
        kernels.resolve("normal")
    with pytest.raises(InputTypeError, match="got 3"):
        kernels.resolve(3)
