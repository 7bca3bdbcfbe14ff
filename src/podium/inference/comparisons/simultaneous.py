"""Several scorers at once: limits that hold for all pairs together, and a test of whether all are equal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import fdtrc

from podium._types import FloatArray
from podium.inference.lists.covariance import Covariance

_DRAWS, _BLOCK = 100_000, 10_000


def pair_contrasts(n_scorers: int, pairs: Sequence[tuple[int, int]]) -> FloatArray:
    """One row for each pair (a, b): + 1 at a, − 1 at b."""
    contrasts = np.zeros((len(pairs), n_scorers))
    for row, (a, b) in zip(contrasts, pairs, strict=True):
        row[a], row[b] = 1.0, -1.0
    return contrasts


def max_t_quantile(
    covariance: Covariance, contrasts: FloatArray, freedom: float, confidence_level: float, alternative: str
) -> float:
    r"""The q with P(max over all pairs of |t| ≤ q) = ``confidence_level``; of t itself if one-sided.

    The t of all pairs are jointly Student's with the correlations of the differences (Hothorn, Bretz and Westfall
    2008). The quantile is that of 100,000 draws with a fixed seed: its standard error is about .005. Pairs without any
    variation have no t.
    """
    variances = np.einsum("ij,jk,ik->i", contrasts, covariance.total, contrasts)
    varying = variances > 1e-24
    if not varying.any():
        return 0.0
    values, vectors = np.linalg.eigh(covariance.total)
    root = vectors * np.sqrt(values.clip(min=0.0))
    directions = (contrasts[varying] / np.sqrt(variances[varying])[:, None]) @ root
    rng = np.random.default_rng(0)
    largest = []
    for _ in range(_DRAWS // _BLOCK):
        draws = rng.standard_normal((_BLOCK, len(values))) @ directions.T
        scale = np.sqrt(rng.chisquare(freedom, _BLOCK) / freedom) if np.isfinite(freedom) else 1.0
        largest.append((np.abs(draws) if alternative == "two-sided" else draws).max(axis=1) / scale)
    return float(np.quantile(np.concatenate(largest), confidence_level))


def omnibus(omegas: FloatArray, covariance: Covariance) -> tuple[float, float]:
    r"""Statistic and p-value of the hypothesis that all ω_φ are equal.

    With d the differences from the first scorer and S their covariance, Q = dᵀS⁻d; Q(ν − q + 1)/(νq) is referred to F
    with q and ν − q + 1 degrees of freedom, q the rank of S and ν by Krishnamoorthy and Yu (2004). For two scorers Q
    is the square of t.
    """
    contrasts = pair_contrasts(len(omegas), [(k, 0) for k in range(1, len(omegas))])
    differences = contrasts @ omegas
    spread = contrasts @ covariance.total @ contrasts.T
    if np.trace(spread) < 1e-24:
        return 0.0, 1.0
    statistic = float(differences @ np.linalg.pinv(spread, hermitian=True) @ differences)
    rank = int(np.linalg.matrix_rank(spread, hermitian=True))
    freedom = covariance.degrees_of_freedom(contrasts)
    rest = max(freedom - rank + 1, 1.0)
    factor = rest / (freedom * rank) if np.isfinite(freedom) else 1 / rank
    return statistic, float(fdtrc(rank, rest, statistic * factor))
