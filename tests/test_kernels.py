import numpy as np
import pytest

from criteria import naive_smoothed
from podium import kernels
from podium.exceptions import InputError, InputTypeError

every_kernel = pytest.mark.parametrize("name", list(kernels.BY_NAME))
T = np.linspace(-6, 6, 241)


@every_kernel
def test_density_and_cdf_are_those_of_scipy(name):
    kernel, reference = kernels.resolve(name), naive_smoothed.KERNELS[name]
    np.testing.assert_allclose(kernel.density(T), reference.pdf(T), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(kernel.cdf(T), reference.cdf(T), rtol=1e-12, atol=1e-15)


@every_kernel
def test_left_tail_of_the_cdf_is_accurate_relative_to_itself(name):
    kernel, reference = kernels.resolve(name), naive_smoothed.KERNELS[name]
    t = reference.ppf([1e-15, 1e-10, 1e-5])
    np.testing.assert_allclose(kernel.cdf(t), [1e-15, 1e-10, 1e-5], rtol=1e-8)


def test_the_bandwidth_rule_of_the_gaussian_kernel_is_the_known_one():
    assert kernels.Gaussian().default_bandwidth(100_000) == pytest.approx(0.1)


def test_an_unknown_kernel_is_refused_with_the_names_that_are_understood():
    with pytest.raises(InputError, match="choose from gaussian, logistic"):
        kernels.resolve("normal")
    with pytest.raises(InputTypeError, match="got 3"):
        kernels.resolve(3)
