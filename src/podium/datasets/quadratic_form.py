"""The distribution of Σ_j (λ_j Z_j² + β_j Z_j), Z_j independent standard normal, off its characteristic function."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.special import ndtri

from podium._types import FloatArray

_FARTHEST = 40.0  # standard deviations from the mean: beyond lies less than 1e-12, whatever the λ
_STEP = 2 * np.pi / 110  # between frequencies: what lies more than 110 − 40 deviations away is folded back
_HIGHEST = 2_000.0  # frequency: reached only where a few λ carry the variance
_NEGLIGIBLE = 1e-9  # of a characteristic function
_BLOCK = 1 << 21  # entries of the table of thresholds × frequencies
_RAREST = 1e-9  # probability that quantiles are tabulated for


def survival(weights: FloatArray, thresholds: FloatArray, slopes: FloatArray | float = 0.0) -> FloatArray:
    r"""P(Q > t) of Q = Σ_j (λ_j Z_j² + β_j Z_j), λ the weights and β the slopes, to about 1e-9.

    .. math:: P(Q > t) = \frac12 + \frac1\pi \sum_{k \ge 0} \frac{\mathrm{Im}\,[\varphi(u_k) e^{-i u_k t}]}{k + 1/2},
       \qquad \varphi(u) = \prod_j (1 - 2iu\lambda_j)^{-1/2}
       \exp\Bigl(-\frac{u^2 \beta_j^2}{2(1 - 2iu\lambda_j)}\Bigr),

    at u_k = (k + ½)Δ (Gil-Pelaez's integral by the midpoint rule, which Davies, 1973, shows to err by no more than the
    probability far out in the tails); to 1e-6 where only four λ matter. Weights and slopes must not all be zero.
    """
    linear = np.broadcast_to(np.asarray(slopes, dtype=np.float64), weights.shape)
    deviation = _deviation(weights, linear)
    scaled = np.asarray(weights, dtype=np.float64) / deviation
    at = np.clip((np.asarray(thresholds, dtype=np.float64) - weights.sum()) / deviation, -_FARTHEST, _FARTHEST).ravel()
    frequencies = (np.arange(_count(scaled)) + 0.5) * _STEP
    # Summed as logarithms, column by column: the principal branch of each factor is the right one.
    log_phi = -1j * frequencies * scaled.sum()
    for w, b in zip(scaled, linear / deviation, strict=True):
        factor = 1 - 2j * frequencies * w
        log_phi -= 0.5 * (np.log(factor) + (frequencies * b) ** 2 / factor)
    phi = np.exp(log_phi) / (frequencies / _STEP * np.pi)
    upper = np.empty(len(at))
    size = max(_BLOCK // len(frequencies), 1)
    for start in range(0, len(at), size):
        turn = np.exp(-1j * np.outer(at[start : start + size], frequencies))
        upper[start : start + size] = 0.5 + (turn @ phi).imag
    return np.clip(upper, 0.0, 1.0).reshape(np.shape(thresholds))


def upper_quantile(weights: FloatArray, probability: FloatArray, slopes: FloatArray | float = 0.0) -> FloatArray:
    """The threshold that Q exceeds with this probability, from a table of 1,001; probabilities are cut at 1e-9."""
    deviation = _deviation(weights, np.broadcast_to(np.asarray(slopes, dtype=np.float64), weights.shape))
    table = weights.sum() + deviation * np.sinh(np.linspace(-np.arcsinh(_FARTHEST), np.arcsinh(_FARTHEST), 1_001))
    upper = survival(weights, table, slopes)
    # In normal scores the table is nearly straight, in the tails too. Flat ends are noise: keep what falls.
    inside = (upper >= _RAREST) & (upper <= 1 - _RAREST)
    falls = inside & (upper < np.concatenate([[2.0], np.minimum.accumulate(upper)[:-1]]))
    quantile = PchipInterpolator(-ndtri(upper[falls]), table[falls])
    cut = np.clip(probability, upper[falls].min(), upper[falls].max())
    return np.asarray(quantile(-ndtri(cut)), dtype=np.float64)


def _deviation(weights: FloatArray, slopes: FloatArray) -> float:
    return float(np.sqrt(2 * np.sum(weights**2) + np.sum(slopes**2)))


def _count(scaled: FloatArray) -> int:
    """How many frequencies, until the characteristic function is negligible."""
    tried = np.geomspace(1.0, _HIGHEST, 200)
    size = np.exp(-0.25 * np.log1p(4 * np.outer(tried, scaled) ** 2).sum(axis=1))
    small = np.flatnonzero(size <= _NEGLIGIBLE)
    return int(np.ceil((tried[small[0]] if len(small) else _HIGHEST) / _STEP))
