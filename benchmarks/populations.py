"""Score laws whose ω_φ is known without simulation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.stats import norm


@dataclass(frozen=True)
class Binormal:
    """Negatives N(0, 1), positives N(μ, spread²) with the given AUC; rounded to multiples of ``rounding`` if any."""

    auc: float
    spread: float = 1.0
    rounding: float | None = None

    @property
    def shift(self) -> float:
        return norm.ppf(self.auc) * np.hypot(1, self.spread)

    def draw(self, rng, n_pos: int, n_neg: int):
        """Labels and scores."""
        s = np.concatenate([self.shift + self.spread * rng.standard_normal(n_pos), rng.standard_normal(n_neg)])
        if self.rounding is not None:
            s = np.round(s / self.rounding)
        return np.arange(n_pos + n_neg) < n_pos, s

    @cache  # noqa: B019  (a handful of laws in one run)
    def omega(self, phi, share: float) -> float:
        """ω_φ of the population, CLV21 (3.4), with a share p of positives; at ties φ averaged over F's jump."""
        mean = self._mean_score(phi, share)
        upto_share, upto_rest, whole = phi.integral(np.array([share, 1 - share, 1.0]))
        low, high = upto_share / share, (whole - upto_rest) / share
        return float((mean - low) / (high - low))

    def _mean_score(self, phi, share: float) -> float:
        """W_φ = E φ(F(X)) over the positives."""
        if self.rounding is None:
            probability = (np.arange(400_000) + 0.5) / 400_000
            x = self.shift + self.spread * norm.ppf(probability)
            return phi.value(share * probability + (1 - share) * norm.cdf(x)).mean()
        reach = 10 * max(1, self.spread) + self.shift
        edges = (np.arange(-np.ceil(reach / self.rounding), np.ceil(reach / self.rounding) + 1) - 0.5) * self.rounding
        pos = np.diff(norm.cdf(edges, self.shift, self.spread))
        pooled = share * pos + (1 - share) * np.diff(norm.cdf(edges))
        area = phi.integral(np.append(0.0, np.cumsum(pooled)).clip(max=1.0))
        held = pooled > 1e-15
        return pos[held] @ (np.diff(area)[held] / pooled[held])

    def __str__(self) -> str:
        ties = "" if self.rounding is None else f", rounded to {self.rounding:g}"
        return f"AUC {self.auc:g}, sd {self.spread:g}{ties}"
