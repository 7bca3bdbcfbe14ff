"""CLV21: what cannot stand as printed (HAL preprint v1)."""

from __future__ import annotations

import math

import numpy as np
from scipy import integrate, stats

from podium import phi
from podium.datasets import LocationModel, ScaleModel
from podium.experiments.errata.erratum import Erratum, Evidence, by_density_ratio


def _laws_below_2_1() -> Evidence:
    """X one above Y in mean: the area is P{Y < X} only if X is the one with the distribution G of the positives."""
    area, _ = integrate.quad(lambda a: stats.norm.cdf(1 + stats.norm.ppf(a)), 0, 1)  # H = N(0, 1), G = N(1, 1)
    as_said = stats.norm.cdf(-1 / math.sqrt(2))  # X ~ H, Y ~ G
    other = stats.norm.cdf(1 / math.sqrt(2))
    return Evidence(
        math.isclose(area, as_said, abs_tol=1e-6),
        math.isclose(area, other, abs_tol=1e-6),
        f"For N(0, 1) and N(1, 1) the area is {area:.4f}; P(Y < X) is {as_said:.4f} as said, {other:.4f} corrected.",
    )


def _dcg_indicator() -> Evidence:
    n_total, k = 10, 3
    u = np.arange(1, n_total + 1) / (n_total + 1)
    as_printed = int(np.sum(u >= k / (n_total + 1)))
    corrected = int(np.sum(u >= (n_total - k + 1) / (n_total + 1)))
    return Evidence(
        as_printed == k,
        corrected == k,
        f"Of {n_total} ranks with k = {k} it keeps {as_printed}, corrected {corrected}.",
    )


def _quantile_function() -> Evidence:
    u = np.arange(1, 10) / 10
    inverse_quantile, quantile = stats.norm.cdf(u).sum(), stats.norm.ppf(u).sum()
    return Evidence(
        math.isclose(inverse_quantile, 0, abs_tol=1e-9),
        math.isclose(quantile, 0, abs_tol=1e-9) and np.allclose(phi.VanDerWaerden().value(u), stats.norm.ppf(u)),
        f"Normal scores of nine ranks sum to zero; the inverse of a quantile function gives {inverse_quantile:.3f}.",
    )


def _auc_after_3_3() -> Evidence:
    p, shift = 0.3, 1.0
    auc = stats.norm.cdf(shift / math.sqrt(2))
    value, _ = integrate.quad(
        lambda x: (p * stats.norm.cdf(x - shift) + (1 - p) * stats.norm.cdf(x)) * stats.norm.pdf(x - shift), -9, 10
    )
    corrected = p / 2 + (1 - p) * auc
    return Evidence(
        math.isclose(value, auc, abs_tol=1e-6),
        math.isclose(value, corrected, abs_tol=1e-6),
        f"Normal scores one apart, p = {p}: W = {value:.4f}, AUC = {auc:.4f}, p/2 + (1 − p)·AUC = {corrected:.4f}.",
    )


def _remark_3() -> Evidence:
    lost, as_printed, corrected = by_density_ratio(positives=(0.1, 0.9), negatives=(0.5, 0.5), p=0.5)
    return Evidence(
        lost <= as_printed,
        lost <= corrected,
        f"Two cells with G = (0.1, 0.9), H = (0.5, 0.5), p = ½, φ = u, the order just reversed by an estimate that is "
        f"right in the second: {lost:.3f} is lost, the printed bound is {as_printed:.3f}, with Y ~ H it is "
        f"{corrected:.3f}.",
    )


def _window_of_theorem_5() -> Evidence:
    """C₁/min(√(pN), …) ≤ t ≤ C₄·min(1 − p, 1/N): the left end falls like N^(−1/2), the right one like 1/N."""

    def is_empty(c1: float, c4: float, p: float, n: float) -> bool:
        low = c1 / min(math.sqrt(p * n), p**2 * n, math.sqrt(p**3 * (1 - p)) * n)
        return low > c4 * min(1 - p, 1 / n)

    sizes = {ratio: 2 * (ratio**2) + 2 for ratio in (1.0, 1e2, 1e4)}  # beyond p(C₄/C₁)² at p = ½
    empty = [is_empty(1.0, ratio, 0.5, n) for ratio, n in sizes.items()]
    return Evidence(
        not all(empty),
        all(empty),
        "With C₄/C₁ = 1, 100 and 10,000 and p = ½ it is empty from "
        + ", ".join(f"N = {n:,.0f}" for n in sizes.values())
        + " on at the latest.",
    )


def _selected_class() -> Evidence:
    """Ŵ(s) does not depend on k, so that (4.5) as printed always takes the class of least penalty."""
    of_classes, penalties = np.array([0.50, 0.70, 0.71]), np.array([0.01, 0.02, 0.05])
    as_printed = {int(np.argmax(w - penalties)) for w in of_classes}  # whichever s is meant
    corrected = int(np.argmax(of_classes - penalties))
    return Evidence(
        as_printed != {0},
        corrected == 1,
        "With Ŵ/n = 0.50, 0.70, 0.71 and penalties 0.01, 0.02, 0.05 it takes the first class whichever s is meant; "
        "corrected, the second.",
    )


def _log_tail_of_products(n: int) -> float:
    """Log P(U ≥ 1) for U = mean(X)·mean(Y), n signs each: all alike, in one of two ways."""
    return (1 - 2 * n) * math.log(2)


def _lemma_27() -> Evidence:
    n = 100
    tail, as_printed, corrected = _log_tail_of_products(n), -(n * n) / 32, -n / 2
    return Evidence(
        tail <= as_printed,
        tail <= corrected,
        f"For ℓ(x, y) = xy, random signs, n = m = {n}, t = 1: log P = {tail:.1f}, the bound says {as_printed:.1f}, "
        f"Hoeffding's for given Y {corrected:.1f}.",
    )


def _lemma_16() -> Evidence:
    excess = [_log_tail_of_products(n) + n * n / 2048 for n in (5_000, 10_000, 20_000)]
    return Evidence(
        not (excess[0] < excess[1] < excess[2] and excess[2] > 1e5),
        all(_log_tail_of_products(n) <= -n / 2 for n in (5_000, 10_000, 20_000)),
        "For the same single kernel and n = m = 5,000, 10,000, 20,000 the logarithm of the factor in front would have "
        "to be at least " + ", ".join(f"{x:,.0f}" for x in excess) + ": no constant is enough.",
    )


def _indices_of_b_13() -> Evidence:
    """G = H = uniform, φ = u²: Proposition 4 needs ∫_x φ'(u) du = 1 − x²."""
    x, rng = 0.3, np.random.default_rng(0)
    other = rng.random(200_000)
    first, second = np.mean((other <= x) * 2 * x), np.mean((x <= other) * 2 * other)  # E k(x, X), E k(X, x)
    needed, error = 1 - x**2, 4 * 2 / math.sqrt(len(other))
    return Evidence(
        bool(abs(first - needed) < error),
        bool(abs(second - needed) < error),
        f"For uniform scores and φ = u² at x = {x}: E k(x, X) = {first:.3f}, E k(X, x) = {second:.3f}; "
        f"Proposition 4 has {needed:.3f}.",
    )


def _matrix_of_the_scale_model() -> Evidence:
    model = ScaleModel(0.7)
    difference = np.asarray(np.linalg.inv(model.covariance) - np.eye(model.dimension), dtype=np.float64)
    inverted = np.asarray(np.linalg.inv(difference), dtype=np.float64)
    inverse, plain, corrected = (model.auc_of(m) for m in (inverted, difference, -difference))
    return Evidence(
        max(inverse, plain) > 0.5,
        math.isclose(corrected, model.auc),
        f"On Scale1 the exact AUC is {inverse:.4f} with θ*⁻¹ as printed, {plain:.4f} without the inverse, "
        f"{corrected:.4f} corrected.",
    )


def _sign_of_the_optimal_curve() -> Evidence:
    apart = LocationModel(0.2).separation
    areas = [integrate.quad(lambda a, s=s: stats.norm.sf(stats.norm.isf(a) + s), 0, 1)[0] for s in (apart, -apart)]
    optimum = LocationModel(0.2).auc
    return Evidence(
        math.isclose(areas[0], optimum, abs_tol=1e-6),
        math.isclose(areas[1], optimum, abs_tol=1e-6),
        f"On Loc2 the curve has the area {areas[0]:.4f} as printed, below the diagonal, and {areas[1]:.4f} corrected.",
    )


def _caption_of_figure_3() -> Evidence:
    u = np.linspace(0.93, 0.99, 7)
    value = phi.SmoothTopShare(0.9, 100.0, 100.0).value(u)
    to_indicator, to_u = np.abs(value - 1).max(), np.abs(value - u).max()
    return Evidence(
        bool(to_indicator < to_u),
        bool(to_u < to_indicator),
        f"Between 0.93 and 0.99 it is within {to_u:.3f} of u and up to {to_indicator:.3f} from 1.",
    )


def _mean_in_lemma_10() -> Evidence:
    """T = Z₁Z₂ with E Z = 2: the projection must have the mean of T, 4."""
    mean = 2.0
    projected = 2 * mean * mean  # Σ E[T | Z_i] has mean 2·2·2
    return Evidence(
        math.isclose(projected - mean, mean**2),
        math.isclose(projected - mean**2, mean**2),
        f"T = Z₁Z₂ with E Z = 2 has mean {mean**2:g}; with E[Z] the projection has {projected - mean:g}.",
    )


ERRATA = (
    Erratum(
        place="Below (2.1)",
        printed="(X, Y) … with respective marginal distributions H and G",
        corrected="X has the distribution G and Y has H.",
        check=_laws_below_2_1,
        misprint=True,
    ),
    Erratum(
        place="§2.3, DCG",
        printed="c((N + 1)u)·1{u ≥ k/(N + 1)}",
        corrected="The k largest ranks are those with u ≥ (N − k + 1)/(N + 1).",
        check=_dcg_indicator,
        misprint=True,
    ),
    Erratum(
        place="Figure 2",
        printed="Φ being the normal quantile function",
        corrected="Φ is the distribution function; Φ⁻¹ is the quantile function.",
        check=_quantile_function,
        misprint=True,
    ),
    Erratum(
        place="After (3.3)",
        printed="for φ(u) = u, the quantity (3.3) is equal to AUC(s)",
        corrected="It is p/2 + (1 − p)·AUC(s).",
        check=_auc_after_3_3,
    ),
    Erratum(
        place="Remark 3",
        printed="W* − W(Ψ̂) ≤ (1 − p)·‖φ'‖·E|Ψ̂(X) − Ψ(X)|",
        corrected="With Y ~ H in the place of X ~ G it is true: W* − W ≤ (1 − p)·‖φ'‖·(AUC* − AUC), and two rows "
        "that Ψ̂ misorders differ in Ψ by no more than its errors at both.",
        check=_remark_3,
    ),
    Erratum(
        place="Theorem 5 and Corollary 7",
        printed="C₁/min(√(pN), p²N, √(p³(1−p)N²)) ≤ t ≤ C₄·min(1 − p, 1/N)",
        corrected="No t satisfies it once N is large, whatever the constants, which are not given; "
        "bounds.rank_statistic_uniform_deviation has none of these conditions.",
        check=_window_of_theorem_5,
    ),
    Erratum(
        place="(4.5)",
        printed="arg max over k of Ŵ(s)/n − pen(N, k)",
        corrected="The criterion must be that of the maximizer ŝ_k.",
        check=_selected_class,
        misprint=True,
    ),
    Erratum(
        place="§5.2, ROC* of the location model",
        printed="1 − Δ(Δ⁻¹(1 − α) + √((μ_X − μ_Y)ᵀΣ⁻¹(μ_X − μ_Y)))",
        corrected="The sign before the root is a minus.",
        check=_sign_of_the_optimal_curve,
        misprint=True,
    ),
    Erratum(
        place="§5.2, scale model",
        printed="s_θ*(z) = ⟨z, θ*⁻¹z⟩ with θ* = Σ_X⁻¹ − Σ_Y⁻¹",
        corrected="An optimal score is ⟨z, (Σ_Y⁻¹ − Σ_X⁻¹)z⟩: the opposite sign, and not the inverse; the matrix "
        "need not be definite, so that the class must be that of all symmetric ones.",
        check=_matrix_of_the_scale_model,
    ),
    Erratum(
        place="Figure 3",
        printed="the smoothed version of u ↦ 1{u ≥ u₀}",
        corrected="RTB is a smooth version of u·1{u ≥ u₀}.",
        check=_caption_of_figure_3,
        misprint=True,
    ),
    Erratum(
        place="Lemma 10",
        printed="Σ E[Tₙ | Z_i] − (n − 1)·E[T]",
        corrected="The mean subtracted is that of Tₙ; no T is defined.",
        check=_mean_in_lemma_10,
        misprint=True,
    ),
    Erratum(
        place="(B.13)",
        printed="k_{s,1,1}(x) = E[k_s(x, X)] − …, k_{s,1,2}(x) = E[k_s(X, x)] − …",
        corrected="The two are exchanged: Lemma 17 and Proposition 4 need E[k_s(X, x)] as the first.",
        check=_indices_of_b_13,
        misprint=True,
    ),
    Erratum(
        place="Lemma 27",
        printed="P{U ≥ t} ≤ exp(−nmt²/(32c²))",
        corrected="The factors of a product of signs are not independent over all nm pairs; what holds is "
        "exp(−max(n, m)·t²/(2c²)).",
        check=_lemma_27,
    ),
    Erratum(
        place="Lemma 16",
        printed="≤ K·2^𝒱·(A/L)^(2𝒱)·e^(4/L²)·exp{−nmt²/(ML²)}",
        corrected="It rests on Lemma 27.",
        check=_lemma_16,
    ),
)
