"""What every score-generating function keeps."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

from podium import phi as package
from podium.phi import Custom, Phi, resolve
from registry import PHI_EXAMPLES, Case
from registry import cases as found

N_TOTAL = 50
INNER = np.linspace(0.003, 0.997, 401)


def cases() -> list[Case]:
    return [Case(name, lambda make=make: make().bind(N_TOTAL)) for name, make in found(package, Phi, PHI_EXAMPLES)]


def it_never_decreases(phi):
    assert np.diff(phi.value(INNER)).min() >= 0


def its_derivative_is_the_slope_of_the_value(phi):
    step = 1e-6
    slope = (phi.value(INNER + step) - phi.value(INNER - step)) / (2 * step)
    smooth = slope < 1e4  # not across a jump
    error = np.abs(slope - phi.derivative(INNER))[smooth]
    assert smooth.sum() >= 399
    assert error.max() < 1e-4 * (1 + np.abs(slope[smooth]).max())


def its_integral_is_the_area_under_the_value(phi):
    for low, high in [(0.05, 0.3), (0.3, 0.93), (0.85, 0.99)]:
        area = quad(lambda u: float(phi.value(np.array(u))), low, high, limit=500, points=[0.5, 0.8, 0.9, 0.95])[0]
        ours = phi.integral(np.array([low, high]))
        assert ours[1] - ours[0] == pytest.approx(area, rel=1e-6, abs=1e-8)
    assert phi.integral(np.array([0.0]))[0] == pytest.approx(0, abs=1e-12)


def its_sup_norms_bound_value_and_derivatives(phi):
    u = np.linspace(0, 1, 20_001)[1:-1]
    slopes = phi.derivative(u)
    assert np.abs(phi.value(u)).max() <= phi.sup_norm * (1 + 1e-12)
    assert np.abs(slopes).max() <= phi.sup_norm_derivative * (1 + 1e-9)
    assert np.abs(np.diff(slopes)).max() / (u[1] - u[0]) <= phi.sup_norm_second_derivative * (1 + 1e-6) + 1e-8


def its_specification_gives_it_back(phi):
    if isinstance(phi, Custom):
        return  # a function of one's own has no specification
    back = resolve(str(phi)).bind(N_TOTAL)
    assert type(back) is type(phi)
    np.testing.assert_allclose(back.value(INNER), phi.value(INNER), rtol=1e-12)


def it_takes_a_plain_number(phi):
    assert float(phi.value(0.7)) == pytest.approx(float(phi.value(np.array([0.7]))[0]))


def one_that_jumps_says_so_and_names_a_smooth_alternative(phi):
    u = np.linspace(0, 1, 200_003)[1:-1]
    rises, bound = np.diff(phi.value(u)), (u[1] - u[0]) * np.maximum(phi.derivative(u[1:]), phi.derivative(u[:-1]))
    jumps = bool((rises > 2 * bound + 1e-6 * (1 + np.ptp(phi.value(INNER)))).any())
    assert jumps == phi.discontinuous
    if phi.discontinuous and phi.smooth_alternative() is not None:
        assert not resolve(phi.smooth_alternative()).discontinuous
