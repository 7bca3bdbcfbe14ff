"""Linear scorers of two Gaussians in the plane, whose linearizations are known exactly."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.special import ndtr

from podium._types import BoolArray, FloatArray
from podium.phi import Phi


@dataclass(frozen=True)
class LinearScore:
    """s(z) = ⟨z, direction⟩ with direction of length one, where X ~ N((1, 0), I) and Y ~ N(0, I) with a share p of X.

    The scores are normal, of mean cos(angle) for the positives and 0 for the negatives.
    """

    angle: float
    share: float
    phi: Phi

    @property
    def shift(self) -> float:
        return float(np.cos(self.angle))

    def scores(self, z: FloatArray) -> FloatArray:
        return z @ np.array([np.cos(self.angle), np.sin(self.angle)])

    def pooled(self, t: FloatArray) -> FloatArray:
        """F = pG + (1 − p)H."""
        return np.asarray(self.share * ndtr(t - self.shift) + (1 - self.share) * ndtr(t))

    @cached_property
    def _grid(self) -> FloatArray:
        return np.linspace(-9, 10, 4001)  # what lies outside has probability 1e-18

    @cached_property
    def _density(self) -> FloatArray:
        """φ'(F)·dG/du on the grid."""
        gauss = np.exp(-((self._grid - self.shift) ** 2) / 2) / np.sqrt(2 * np.pi)
        return self.phi.derivative(self.pooled(self._grid)) * gauss

    @cached_property
    def _area(self) -> CubicSpline:
        return CubicSpline(self._grid, self._density).antiderivative()

    def tail(self, t: FloatArray) -> FloatArray:
        """∫ φ'(F) dG from t on."""
        return np.asarray(self._area(self._grid[-1]) - self._area(np.clip(t, self._grid[0], self._grid[-1])))

    @cached_property
    def mean_tails(self) -> tuple[float, float]:
        """E tail(s(X)) and E tail(s(Y)): ∫ φ'(F) G dG and ∫ φ'(F) H dG."""
        ends = self._grid[[0, -1]]
        positive = CubicSpline(self._grid, self._density * ndtr(self._grid - self.shift))
        negative = CubicSpline(self._grid, self._density * ndtr(self._grid))
        return float(positive.integrate(*ends)), float(negative.integrate(*ends))


def draw_plane(is_positive: BoolArray, rng: np.random.Generator) -> FloatArray:
    """A point for every label."""
    return rng.standard_normal((len(is_positive), 2)) + np.outer(is_positive, [1.0, 0.0])
