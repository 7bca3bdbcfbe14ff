"""R09: what cannot stand as printed (further errors show in the tables)."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from podium import metrics
from podium._types import FloatArray
from podium.experiments.errata.erratum import Erratum, Evidence


def _steepest_weak_ranker() -> Evidence:
    """Two weak rankers, one that says nothing and one that is upside down: positives have 0, negatives 1."""
    positives, negatives = np.array([[0.5, 0.0]] * 3), np.array([[0.5, 1.0]] * 3)
    slopes = (positives[:, None] - negatives[None]).sum(axis=(0, 1))  # Σ d_ik M_ik,j at equal weights
    as_printed, corrected = int(np.argmax(slopes)), int(np.argmax(np.abs(slopes)))
    return Evidence(
        as_printed == 1,
        corrected == 1,
        f"With one weak ranker that says nothing and one that is upside down the sums are {slopes[0]:g} and "
        f"{slopes[1]:g}: as printed the first is taken, round after round, with step 0.",
    )


def _positives_of_table_4() -> Evidence:
    """A third of 351 rows is tested: 75 of 117 positives if the 225 good returns are, 42 if the 126 bad ones are."""

    def least_and_largest(n_pos: int, n_total: int) -> tuple[float, float]:
        gains = [1 / math.log(1 + rank) for rank in range(1, n_total + 1)]
        return sum(gains[-n_pos:]), sum(gains[:n_pos])

    printed = (13.92, 14.79)
    good, bad = least_and_largest(75, 117), least_and_largest(42, 117)
    return Evidence(
        good[0] <= printed[0],
        bad[0] <= printed[0] and printed[1] <= bad[1],
        f"The printed DCG is {printed[0]} to {printed[1]}; with 75 of 117 positives it is at least {good[0]:.2f}, "
        f"with 42 it lies between {bad[0]:.2f} and {bad[1]:.2f}.",
    )


def _factor_of_8() -> Evidence:
    k, epsilon = 10, 0.3
    first, second = math.exp(-2 * epsilon**2 / (k * k**-2)), 2 * math.exp(-2 * k * epsilon**2)
    return Evidence(
        math.isclose(first, second),
        math.isclose(2 * first, second),
        f"At K = {k} and ε₂ = {epsilon} the two sides of the equality are {first:.4f} and {second:.4f}.",
    )


def _negative_in_term_2() -> Evidence:
    """One positive at ½ and negatives at 0 and 1, p = 2: a fixed x₋ stands for both of them."""
    defined = metrics.push_risk([1, 0, 0], [0.5, 0.0, 1.0], 2, normalize=True)
    as_printed = [metrics.push_risk([1, 0, 0], [0.5, x, x], 2, normalize=True) for x in (0.0, 1.0)]
    return Evidence(
        any(math.isclose(value, defined) for value in as_printed),
        math.isclose(math.sqrt((0.0**2 + 1.0**2) / 2), defined),  # the mean of either negative
        f"With a positive at ½ and negatives at 0 and 1 it is {as_printed[0]:g} or {as_printed[1]:g} as printed, "
        f"by its definition {defined:.3f}.",
    )


def _end_of_lemma_9() -> Evidence:
    """One negative, beaten by all positives or by none at even odds; given it, by half of the positives."""
    n_pos, epsilon = 100, 1.0
    bound = 2 * math.exp(-(epsilon**2) * n_pos / 2)
    far = float(stats.binom.cdf(0, n_pos, 0.5))  # the mean of the positives is ½ below its expectation
    return Evidence(
        bound >= 0.5,
        far <= bound,
        f"With one negative that all positives beat or none, at even odds, R_true − R_DS ≥ ½ has probability 0.5 for "
        f"every I; the bound is {bound:.0e} at I = {n_pos}. R_DS − R_empirical obeys it.",
    )


def _conjugate() -> Evidence:
    """I = 2, K = 1, p = 2: the conjugate by its closed maximizer, and its gradient by differences."""
    p, v = 2.0, np.array([0.3, -0.2])

    def printed(v: FloatArray) -> FloatArray:
        each = np.exp(v - 1 / p)
        return np.asarray(p * each * each.sum() ** (p - 1))

    def conjugate(v: FloatArray) -> float:
        q = printed(v)  # where ∇φ(q) = v
        return float(v @ q - np.sum(q * np.log(q / (p ** (1 / p) * q.sum() ** ((p - 1) / p)))))

    steps = 1e-6 * np.eye(2)
    gradient = np.array([(conjugate(v + step) - conjugate(v - step)) / 2e-6 for step in steps])
    return Evidence(
        any(math.isclose(value, conjugate(v), rel_tol=1e-6) for value in printed(v)),
        bool(np.allclose(gradient, printed(v), rtol=1e-6)),
        f"For two positives, one negative and p = 2, φ* is {conjugate(v):.4f}; printed are {printed(v)[0]:.4f} and "
        f"{printed(v)[1]:.4f}, its derivatives.",
    )


def _sum_in_gamma() -> Evidence:
    """The derivative of φ with either sum in γ, against (11), whose sum is over the positives of one negative."""
    p, q = 2.0, np.array([[0.5, 1.0], [0.2, 0.4]])  # a row for each positive

    def potential(q: FloatArray, *, by_negative: bool) -> float:
        total = q.sum(axis=0) if by_negative else q.sum()
        return float(np.sum(q * np.log(q / (p ** (1 / p) * total ** ((p - 1) / p)))))

    of_11 = 1 / p + float(np.log(q[0, 0] / (p ** (1 / p) * q[:, 0].sum() ** ((p - 1) / p))))
    step = np.zeros_like(q)
    step[0, 0] = 1e-6
    slopes = [
        (potential(q + step, by_negative=each) - potential(q - step, by_negative=each)) / 2e-6 for each in (False, True)
    ]
    return Evidence(
        math.isclose(slopes[0], of_11, abs_tol=1e-6),
        math.isclose(slopes[1], of_11, abs_tol=1e-6),
        f"At an example (11) is {of_11:.4f}; differences give {slopes[0]:.4f} as printed, {slopes[1]:.4f} corrected.",
    )


ERRATA = (
    Erratum(
        place="Figure 2, 3(a)",
        printed="argmax_j Σ_ik d_ik M_ik,j",
        corrected="It must be the one of largest absolute value, or both signs must be among the candidates.",
        check=_steepest_weak_ranker,
    ),
    Erratum(
        place="§8, Table 4",
        printed="351 examples (225 positive and 126 negative)",
        corrected="The table was computed with the 126 bad returns as the positives.",
        check=_positives_of_table_4,
    ),
    Erratum(
        place="(8)",
        printed="exp(−2ε₂²/(K·K⁻²)) = 2·exp(−2Kε₂²)",
        corrected="The factor 2, of both tails, is missing at the left.",
        check=_factor_of_8,
        misprint=True,
    ),
    Erratum(
        place="Lemma 9, its term₂",
        printed="(1/K)·Σ_k (E φ(f(x₊) − f(x₋)))^p",
        corrected="Of R_DS: f(x̃_k) in the place of f(x₋).",
        check=_negative_in_term_2,
        misprint=True,
    ),
    Erratum(
        place="Lemma 9, its last display",
        printed="P(R_true − R_DS ≥ ε₁/2) ≤ 2·exp(−ε₁²I/2 + ln K)",
        corrected="The bound is that of R_DS − R_empirical.",
        check=_end_of_lemma_9,
        misprint=True,
    ),
    Erratum(
        place="§11, γ",
        printed="the sum over i' and k' in γ(q_ik, q)",
        corrected="Over i' alone, as in (11) and all that follows.",
        check=_sum_in_gamma,
        misprint=True,
    ),
    Erratum(
        place="Lemma 13, A2",
        printed="(φ*(v))_ik = p·e^(v_ik − 1/p)·(Σ_i' e^(v_i'k − 1/p))^(p − 1)",
        corrected="That is the gradient of φ*, which is a number.",
        check=_conjugate,
        misprint=True,
    ),
)
