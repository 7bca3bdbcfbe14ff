"""CV08: what cannot stand as printed (Proposition 3 is an experiment of its own)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import stats

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
