import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from podium.exceptions import InputError, InputTypeError
from podium.phi import (
    Custom,
    Dcg,
    EarlyRecognition,
    Logistic,
    Median,
    Mww,
    Power,
    SmoothTopShare,
    TopShare,
    VanDerWaerden,
    for_budget,
    resolve,
)
from registry import all_phi

INNER = np.linspace(0.003, 0.997, 401)
every_phi = pytest.mark.parametrize("phi", all_phi(), ids=str)


@pytest.mark.parametrize(
    "phi", [Power(3), SmoothTopShare(0.9), SmoothTopShare(0.3, 20, 50), EarlyRecognition(5)], ids=str
)
def test_finite_sup_norms_are_attained(phi):
    u = np.linspace(0, 1, 400_001)
    slopes = phi.derivative(u)
    assert phi.sup_norm == pytest.approx(np.abs(phi.value(u)).max(), rel=1e-9)
    assert phi.sup_norm_derivative == pytest.approx(slopes.max(), rel=1e-6)
    curvature = np.abs(np.diff(slopes)).max() / (u[1] - u[0])
    assert phi.sup_norm_second_derivative == pytest.approx(curvature, rel=1e-3)


def test_smooth_top_share_tends_to_the_top_share_as_it_sharpens():
    u = np.array([0.2, 0.69, 0.71, 0.95])
    np.testing.assert_allclose(SmoothTopShare(0.7, 1e4, 1e4).value(u), TopShare(0.7).value(u), atol=1e-4)


def test_smooth_top_share_neither_overflows_nor_loses_its_integral_when_sharp():
    phi = SmoothTopShare(0.5, 1e6, 1e6)
    assert phi.integral(np.array([1.0]))[0] == pytest.approx(0.375, rel=1e-5)  # ∫ u over [½, 1]
    assert np.isfinite(phi.derivative(np.linspace(0, 1, 11))).all()


def test_normal_scores_are_the_quantiles_of_the_normal_distribution():
    u = np.array([0.1, 0.5, 0.975])
    np.testing.assert_allclose(VanDerWaerden().value(u), stats.norm.ppf(u))


def test_classical_scores_have_the_textbook_moments():
    assert Logistic().integral(np.array([1.0]))[0] == pytest.approx(0)
    assert quad(lambda u: float(Logistic().value(u)) ** 2, 0, 1)[0] == pytest.approx(1)
    assert Median().value(np.array([0.2, 0.5, 0.9])).tolist() == [-1, 0, 1]


def test_dcg_counts_the_top_k_ranks_and_discounts_by_the_logarithm():
    n_total, k = 9, 3
    ranks = np.arange(1, n_total + 1)
    expected = [0.0] * 6 + [1 / np.log2(2 + n_total - r) for r in (7, 8, 9)]
    np.testing.assert_allclose(Dcg(k).bind(n_total).value(ranks / (n_total + 1)), expected)


def test_dcg_keeps_exactly_k_ranks_whatever_the_rounding():
    for n_total in range(1, 400):
        for k in {1, 2, n_total // 3, n_total} - {0}:
            u = np.arange(1, n_total + 1) / (n_total + 1)
            assert np.count_nonzero(Dcg(k).bind(n_total).value(u)) == min(k, n_total)


def test_dcg_without_the_length_of_the_list_says_so():
    with pytest.raises(InputError, match="bind"):
        Dcg(3).value(np.array([0.5]))


def test_a_custom_phi_that_decreases_is_refused_with_the_place():
    with pytest.raises(InputError, match=r"nondecreasing.*falls from .* at u = 0\.5"):
        Custom(lambda u: -np.abs(u - 0.5))


def test_a_custom_phi_that_is_not_vectorised_is_refused():
    with pytest.raises(InputError, match="array on"):
        Custom(lambda u: 3.0)


def test_a_custom_phi_without_derivative_uses_differences():
    np.testing.assert_allclose(Custom(np.exp).derivative(INNER), np.exp(INNER), rtol=1e-8)


def test_a_budget_puts_the_emphasis_on_its_share_of_the_list():
    phi = for_budget(100, 20_000)
    assert phi.u0 == pytest.approx(0.995)
    assert phi.value(np.array([0.993]))[0] < 0.05
    assert phi.value(np.array([0.998]))[0] > 0.9
    assert for_budget(7, 7) == Mww()
    with pytest.raises(InputError, match="budget"):
        for_budget(8, 7)


def test_specifications_are_forgiving_about_case_and_blanks():
    assert resolve(" Power:3 ") == Power(3.0)
    assert resolve(Mww()) == Mww()
    assert resolve("auc") == resolve("mww")


@pytest.mark.parametrize("spec", ["powr:3", "power", "power:x", "mww:2", "top:0.5:3", "dcg:2.5", ""])
def test_an_unknown_specification_gets_the_list_of_known_ones(spec):
    with pytest.raises(InputError, match=r"choose from auc, mww, power:3"):
        resolve(spec)


def test_something_else_than_a_phi_is_refused():
    with pytest.raises(InputTypeError, match="Custom"):
        resolve(len)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Power(0.5),
        lambda: TopShare(1.0),
        lambda: SmoothTopShare(0.5, 0),
        lambda: EarlyRecognition(-1),
        lambda: Dcg(0),
    ],
)
def test_parameters_out_of_range_are_refused(make):
    with pytest.raises(InputError, match="must be"):
        make()
