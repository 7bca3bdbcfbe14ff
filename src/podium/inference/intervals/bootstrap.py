"""Bootstrap intervals of ω_φ: positives and negatives are drawn separately, with replacement."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri

from podium._fast import draws
from podium._shares import normal_quantile
from podium._types import Array, FloatArray
from podium.exceptions import DegenerateSampleError, InputError
from podium.inference.intervals.influence import jackknife
from podium.inference.intervals.limits import Limits
from podium.inference.lists.ranking import Ranking
from podium.metrics.linear import extremes
from podium.phi import Phi
from podium.ranks.means import RankMeans
from podium.ranks.score_table import score_table

_UNITS_PER_GROUP, _ALWAYS_DRAWN = 16, 1 << 16  # of weight: up to these, units are drawn one by one
_MOST_UNITS = 2**53


def resampled_omegas(ranking: Ranking, n_resamples: int, rng: np.random.Generator) -> FloatArray:
    """ω̂ of bootstrap samples. Weights count rows: as many units are drawn as the weights of a class sum to, rounded."""
    n_pos, n_neg = round(ranking.n_pos), round(ranking.n_neg)
    n_total = n_pos + n_neg
    phi = ranking.phi.bind(n_total)
    if n_total > _UNITS_PER_GROUP * len(ranking.ties.pos) + _ALWAYS_DRAWN:
        return _redistributed_omegas(ranking, phi, n_pos, n_neg, n_resamples, rng)
    cumulated = np.cumsum(score_table(phi, n_total + 1))
    sums = draws.bootstrap_sums(
        rng, n_resamples, _urn(ranking.ties.pos), _urn(ranking.ties.neg), n_pos, n_neg, cumulated
    )
    return _relative(sums, *extremes(n_pos, n_neg, phi), phi, n_total)


def _redistributed_omegas(
    ranking: Ranking, phi: Phi, n_pos: int, n_neg: int, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
    """The same where weights are large: how many units fall on each group is drawn, not every unit."""
    if max(n_pos, n_neg) > _MOST_UNITS:
        raise InputError(
            f"The bootstrap draws as many rows as the weights sum to, at most {_MOST_UNITS:g}; got {n_pos + n_neg:g}.",
            "divide the weights, or use another method.",
        )
    means = RankMeans.of(phi, float(n_pos + n_neg))
    low, high = means.range(n_pos, n_neg)
    pos_shares, neg_shares = (mass / mass.sum() for mass in (ranking.ties.pos, ranking.ties.neg))
    omegas = np.empty(n_resamples)
    for b in range(n_resamples):
        pos, neg = rng.multinomial(n_pos, pos_shares), rng.multinomial(n_neg, neg_shares)
        drawn = pos > 0
        upto = np.cumsum(pos + neg)
        omegas[b] = pos[drawn] @ means.mean((upto - pos - neg)[drawn], upto[drawn])
    return _relative(omegas, low, high, phi, n_pos + n_neg)


def _relative(sums: FloatArray, low: float, high: float, phi: Phi, n_total: int) -> FloatArray:
    """From the worst to the best order: 0 to 1. Ranks of whole units may tell less than shares of weight do."""
    if not high > low:
        raise DegenerateSampleError(
            f"ω needs a φ that is not constant; {phi} takes one value on all ranks of {n_total:g} units of weight.",
            "choose a φ that reaches further down the list, or use another method.",
        )
    return (sums - low) / (high - low)


def percentile(omegas: FloatArray, confidence_level: float) -> Limits:
    """Quantiles δ/2 and 1 − δ/2 of the bootstrap distribution."""
    tail = (1 - confidence_level) / 2
    low, high = np.quantile(omegas, [tail, 1 - tail])
    return Limits(float(low), float(high), float(omegas.std(ddof=1)))


def bca(ranking: Ranking, omegas: FloatArray, confidence_level: float) -> Limits:
    r"""Bias-corrected and accelerated quantiles (Efron 1987).

    The levels are Φ(z₀ + (z₀ ± z)/(1 − a(z₀ ± z))), z₀ the normal quantile of the share of resamples below ω̂ and
    a = Σl³/(6(Σl²)^{3/2}) from the jackknife influence l of all items.
    """
    below = (omegas < ranking.omega).mean() + (omegas == ranking.omega).mean() / 2
    n_resamples = len(omegas)
    bias = ndtri(np.clip(below, 1 / (n_resamples + 1), n_resamples / (n_resamples + 1)))
    z = normal_quantile(confidence_level) * np.array([-1.0, 1.0])
    levels = ndtr(bias + (bias + z) / (1 - _acceleration(ranking) * (bias + z)))
    low, high = np.quantile(omegas, levels)
    return Limits(float(low), float(high), float(omegas.std(ddof=1)))


def _acceleration(ranking: Ranking) -> float:
    values = jackknife(ranking)
    squares = cubes = 0.0
    for raw, factor, mass in (
        (values.pos, values.pos_factor, values.ties.pos),
        (values.neg, values.neg_factor, values.ties.neg),
    ):
        share = factor * (raw - np.average(raw, weights=mass)) / mass.sum()
        squares += float(mass @ share**2)
        cubes += float(mass @ share**3)
    return cubes / (6 * squares**1.5) if squares > 0 else 0.0


def _urn(mass: Array) -> tuple[FloatArray, Array]:
    """Cumulated mass, and the group in which each whole unit of it begins."""
    cumulated = np.cumsum(mass, dtype=np.float64)
    return cumulated, np.searchsorted(cumulated, np.arange(np.ceil(cumulated[-1])), side="right")
