"""CV08: what cannot stand as printed (Proposition 3 is an experiment of its own)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from scipy import stats

from podium import metrics
from podium.experiments.errata import clv21
from podium.experiments.errata.erratum import Erratum, Evidence, by_regression


def _remark_3() -> Evidence:
    lost, as_printed, corrected = by_regression(positives=(0.4, 0.6), negatives=(0.5, 0.5), p=0.1)
    return Evidence(
        lost <= as_printed,
        lost <= corrected,
        f"Two cells with G = (0.4, 0.6), H = (0.5, 0.5), p = 0.1, φ = u, η̂ = p in both and the order just reversed: "
        f"{lost:.4f} is lost, the printed bound is {as_printed:.4f}, with 1/p it is {corrected:.4f}.",
    )


def _proof_of_proposition_5() -> Evidence:
    """One positive at 0.99 among evenly spaced negatives, both classes uniform: F̂ is close to F, Ŵ is not to W."""
    n = 1_000
    negatives, positive = (np.arange(n - 1) + 0.5) / (n - 1), 0.99
    rows = np.append(negatives, positive)
    distance = float(stats.ks_1samp(rows, stats.uniform.cdf).statistic)
    statistic = float((rows <= positive).sum()) / (n + 1)
    bound = 1 / (n + 1) + distance
    return Evidence(
        abs(statistic - 0.5) <= bound,
        abs(statistic - positive) <= bound,
        f"Uniform scores, k = 1 positive at {positive} among n = 1,000, φ = u: Ŵ/k = {statistic:.3f}, W = 0.5, the "
        f"bound is {bound:.4f}; from φ(F(s(X))) = {positive} it is {abs(statistic - positive):.4f} away.",
    )


def _push_of_the_negatives() -> Evidence:
    """One positive above two negatives, one below: R_{1,1} counts positives below each negative."""
    positives, negatives = np.array([4.0, 1.0]), np.array([3.0, 2.0])
    p = 2
    push = float(sum((positives <= y).sum() ** p for y in negatives))
    by_positives = float(sum((negatives >= x).sum() ** p for x in positives))
    ours = metrics.push_risk([1, 1, 0, 0], np.append(positives, negatives), p)
    return Evidence(
        math.isclose(ours, by_positives),
        math.isclose(ours, push),
        f"Positives at 4 and 1, negatives at 3 and 2, p = {p}: the push is {push:g}; of the positives among the "
        f"negatives it would be {by_positives:g}.",
    )


def _expected_rank() -> Evidence:
    """Uniform scores: the mean of Rank given s(X₁) = t, by the binomial law of the others."""
    n, t, shown = 5, 0.3, 3  # F̂ of a sample in which `shown` rows are at most t
    counts = np.arange(n)
    mean = float(1 + counts @ stats.binom.pmf(counts, n - 1, t))
    return Evidence(
        math.isclose(mean, shown),
        math.isclose(mean, 1 + (n - 1) * t),
        f"n = {n} uniform scores, s(X₁) = {t}: the mean of Rank is {mean:g}, n·F̂ may be {shown}.",
    )


def _class_of_theorem_8() -> Evidence:
    """A class of one scorer, which is upside down: nothing is learned, and nothing falls with n."""
    n, y = 10**12, [0, 0, 1, 1]
    of_class = [metrics.auc(y, [4, 3, 2, 1])]
    deficit, within = (metrics.auc(y, y) - of_class[0]) / 2, max(of_class) - of_class[0]  # of W at p = ½, φ = u
    c1 = c2 = 1_000.0
    bound = (c1 + c2 * math.sqrt(math.log(100))) / math.sqrt(n)
    return Evidence(
        deficit <= bound,
        within <= bound,
        f"For a class of one scorer that reverses two separated classes the deficit is {deficit} whatever n is; with "
        f"both constants {c1:g} the bound is {bound:.4f} at n = 10¹². Against the best of the class it is {within:g}.",
    )


_SHARED = {erratum.place: erratum for erratum in clv21.ERRATA}

ERRATA = (
    replace(_SHARED["§2.3, DCG"], place="§2.2, DCG", printed="c((n + 1)u)·1{u ≥ k/(n + 1)}"),
    replace(
        _SHARED["Lemma 10"],
        place="Lemma 2",
        printed="Σ E[T | Z_i] − (n − 1)·E[Z]",
        corrected="The mean subtracted is that of T.",
    ),
    Erratum(
        place="§2.2, the p-norm push",
        printed="the rank of positive instances among negative instances is used",
        corrected="R09 sums powers of the numbers of positives below each negative: ranks of negatives.",
        check=_push_of_the_negatives,
    ),
    Erratum(
        place="Proposition 3, its proof",
        printed="E[Rank(s(X_i)) | s(X_i)] = n·F̂_s(s(X_i))",
        corrected="It is 1 + (n − 1)·F_s(s(X_i)): F̂_s depends on the sample.",
        check=_expected_rank,
        misprint=True,
    ),
    Erratum(
        place="Theorem 8",
        printed="ŝ_n = arg max over 𝒮, W* − W(ŝ_n) ≤ c₁√(V/n) + c₂√(log(1/δ)/n)",
        corrected="The maximizer is over 𝒮₀, and the deficit is that against the best of 𝒮₀; the bias of the "
        "class comes on top.",
        check=_class_of_theorem_8,
    ),
    Erratum(
        place="Proposition 5, its proof",
        printed="sup|Ŵ_n(s) − k·W_φ(s)| ≤ k·‖φ'‖·(1/(n + 1) + sup|F̂_s(t) − F_s(t)|)",
        corrected="It is true with Σφ(F_s(s(X_i))) over the positives of the sample in the place of k·W_φ(s), whose "
        "own fluctuation is missing (bounds.rank_statistic_rank_deviation); the proposition stands.",
        check=_proof_of_proposition_5,
    ),
    Erratum(
        place="Remark 3",
        printed="W* − W(η̂) ≤ (1 − p)·‖φ'‖·E|η̂(X) − η(X)|",
        corrected="With the factor 1/p it is true: AUC* − AUC ≤ E|η̂(X) − η(X)|/(p(1 − p)).",
        check=_remark_3,
    ),
)
