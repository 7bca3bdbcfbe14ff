"""Score laws that are not normal: by their quantiles, with atoms where scores tie; ω_φ is known without simulation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri
from scipy.stats import beta, cauchy, norm, t

Quantiles = Callable[[np.ndarray], np.ndarray]
_GRID = (np.arange(200_000) + 0.5) / 200_000


@dataclass(frozen=True)
class Law:
    """Scores of the positives and of the negatives by their quantile functions."""

    name: str
    pos: Quantiles
    neg: Quantiles

    def draw(self, rng, n_pos: int, n_neg: int):
        """Labels and scores."""
        scores = np.concatenate([self.pos(rng.random(n_pos)), self.neg(rng.random(n_neg))])
        return np.arange(n_pos + n_neg) < n_pos, scores

    def omega(self, phi, share: float) -> float:
        """ω_φ of the population with a share p of positives, CLV21 (3.4), φ averaged over the jumps of F at ties."""
        values, group = np.unique(np.concatenate([self.pos(_GRID), self.neg(_GRID)]), return_inverse=True)
        pos = np.bincount(group[: len(_GRID)], minlength=len(values)) / len(_GRID)
        neg = np.bincount(group[len(_GRID) :], minlength=len(values)) / len(_GRID)
        pooled = share * pos + (1 - share) * neg
        area = phi.integral(np.concatenate([[0.0], np.cumsum(pooled)]).clip(max=1 - 1e-12))
        mean = pos @ (np.diff(area) / pooled)
        upto_share, upto_rest, whole = phi.integral(np.array([share, 1 - share, 1.0]))
        low, high = upto_share / share, (whole - upto_rest) / share
        return float((mean - low) / (high - low))

    def __str__(self) -> str:
        return self.name


def normal(auc: float) -> Law:
    return Law(f"normal, AUC {auc:g}", lambda u: norm.ppf(auc) * np.sqrt(2) + ndtri(u), ndtri)


def contaminated(share: float) -> Law:
    """Normal with an AUC of .9, but for a share of the negatives that stand on top of nearly everything."""

    def neg(u):
        on_top = u > 1 - share
        below = ndtri(np.where(on_top, 0.5, u / (1 - share)))
        above = 5 + 0.5 * ndtri(np.where(on_top, (u - (1 - share)) / share, 0.5).clip(1e-9, 1 - 1e-9))
        return np.where(on_top, above, below)

    return Law(f"{100 * share:g} % of negatives on top", normal(0.9).pos, neg)


def zero_inflated(zero_pos: float, zero_neg: float) -> Law:
    """Exponential with means 2 and 1, but for a share of zeros in either class."""

    def quantiles(zeros: float, mean: float) -> Quantiles:
        return lambda u: np.where(u < zeros, 0.0, -mean * np.log1p(-((u - zeros) / (1 - zeros)).clip(0, 1 - 1e-12)))

    return Law("zero-inflated", quantiles(zero_pos, 2.0), quantiles(zero_neg, 1.0))


def ordinal(pos: list[float], neg: list[float]) -> Law:
    """Grades 0, 1, … with the given shares in either class."""

    def quantiles(shares: list[float]) -> Quantiles:
        upto = np.cumsum(shares)[:-1]
        return lambda u: np.searchsorted(upto, u).astype(float)

    return Law(f"{len(pos)} grades", quantiles(pos), quantiles(neg))


def mislabeled(share: float) -> Law:
    """Normal with an AUC of .9, but for a share of either class that has the scores of the other."""
    clean = normal(0.9)

    def mixed(own: Quantiles, other: Quantiles) -> Quantiles:
        def quantiles(u):
            inside = np.where(u < share, u / share, (u - share) / (1 - share)).clip(1e-9, 1 - 1e-9)
            return np.where(u < share, other(inside), own(inside))

        return quantiles

    return Law(f"{100 * share:g} % mislabeled", mixed(clean.pos, clean.neg), mixed(clean.neg, clean.pos))


def hopeless(share: float) -> Law:
    """Positives of which a share is like the negatives; the others are three standard deviations above."""

    def pos(u):
        inside = np.where(u < share, u / share, (u - share) / (1 - share)).clip(1e-9, 1 - 1e-9)
        return ndtri(inside) + np.where(u < share, 0.0, 3.0)

    return Law(f"{100 * share:g} % of positives hopeless", pos, ndtri)


LAWS = (
    normal(0.7),
    normal(0.9),
    normal(0.97),
    Law("beta", lambda u: beta.ppf(u, 4, 2), lambda u: beta.ppf(u, 2, 4)),
    Law("lognormal", lambda u: np.exp(1.3 + 1.2 * ndtri(u)), lambda u: np.exp(ndtri(u))),
    Law("t with 2 degrees", lambda u: 2 + t.ppf(u, 2), lambda u: t.ppf(u, 2)),
    Law("normal, positives twice as spread", lambda u: 1.8 + 2 * ndtri(u), ndtri),
    Law("normal, negatives twice as spread", lambda u: 2 + ndtri(u), lambda u: 2 * ndtri(u)),
    Law("Cauchy", lambda u: 3 + cauchy.ppf(u), cauchy.ppf),
    Law("Pareto(1)", lambda u: 4 / (1 - u), lambda u: 1 / (1 - u)),
    Law("lognormal, σ = 2", lambda u: np.exp(2.5 + 2 * ndtri(u)), lambda u: np.exp(2 * ndtri(u))),
    hopeless(0.5),
    mislabeled(0.01),
    zero_inflated(0.2, 0.7),
    contaminated(0.005),
    contaminated(0.01),
    contaminated(0.02),
    contaminated(0.1),
    ordinal([0.4, 0.6], [0.9, 0.1]),
    ordinal(
        [0.01, 0.02, 0.04, 0.05, 0.08, 0.1, 0.1, 0.15, 0.2, 0.25],
        [0.3, 0.2, 0.15, 0.1, 0.08, 0.06, 0.05, 0.03, 0.02, 0.01],
    ),
    ordinal([0.1, 0.3, 0.6], [0.6, 0.3, 0.1]),
    ordinal([0.05, 0.1, 0.2, 0.3, 0.35], [0.4, 0.3, 0.15, 0.1, 0.05]),
)
