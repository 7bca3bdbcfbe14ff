"""The scores of the classical two-sample rank tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import ndtri

from podium._types import FloatArray
from podium.phi.base import INFINITE, Phi

_SQRT_TWO_PI = np.sqrt(2 * np.pi)


@dataclass(frozen=True, slots=True)
class Mww(Phi):
    """φ(u) = u: Mann–Whitney–Wilcoxon, the AUC."""

    def value(self, u: FloatArray) -> FloatArray:
        return u * 1.0

    def derivative(self, u: FloatArray) -> FloatArray:
        return np.ones_like(u, dtype=np.float64)

    def integral(self, u: FloatArray) -> FloatArray:
        return u * u / 2

    sup_norm_derivative: ClassVar[float] = 1.0
    sup_norm_second_derivative: ClassVar[float] = 0.0

    def __str__(self) -> str:
        return "auc"


@dataclass(frozen=True, slots=True)
class Logistic(Phi):
    """φ(u) = 2√3 (u − ½): Wilcoxon scores with mean 0 and variance 1; an affine map of the AUC."""

    def value(self, u: FloatArray) -> FloatArray:
        return 2 * np.sqrt(3) * (u - 0.5)

    def derivative(self, u: FloatArray) -> FloatArray:
        return np.full_like(u, 2 * np.sqrt(3), dtype=np.float64)

    def integral(self, u: FloatArray) -> FloatArray:
        return np.sqrt(3) * u * (u - 1)

    sup_norm_derivative: ClassVar[float] = 2 * float(np.sqrt(3))
    sup_norm_second_derivative: ClassVar[float] = 0.0

    def __str__(self) -> str:
        return "logistic"


@dataclass(frozen=True, slots=True)
class Logrank(Phi):
    """φ(u) = −log(1 − u): logrank or Savage scores, unbounded at the top of the list."""

    def value(self, u: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            return -np.log1p(-u)

    def derivative(self, u: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            return 1 / (1 - u)

    def integral(self, u: FloatArray) -> FloatArray:
        rest = 1 - u
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(rest > 0, rest * np.log(rest), 0.0) + u

    sup_norm_derivative: ClassVar[float] = INFINITE
    sup_norm_second_derivative: ClassVar[float] = INFINITE

    def __str__(self) -> str:
        return "logrank"


@dataclass(frozen=True, slots=True)
class VanDerWaerden(Phi):
    """φ(u) = Φ⁻¹(u): normal scores, unbounded at both ends."""

    def value(self, u: FloatArray) -> FloatArray:
        return np.asarray(ndtri(u))

    def derivative(self, u: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            return _SQRT_TWO_PI * np.exp(self.value(u) ** 2 / 2)

    def integral(self, u: FloatArray) -> FloatArray:
        return -np.exp(-(self.value(u) ** 2) / 2) / _SQRT_TWO_PI

    sup_norm_derivative: ClassVar[float] = INFINITE
    sup_norm_second_derivative: ClassVar[float] = INFINITE

    def __str__(self) -> str:
        return "van-der-waerden"


@dataclass(frozen=True, slots=True)
class Median(Phi):
    """φ(u) = sgn(u − ½): Mood's median test; only the half of the list counts."""

    discontinuous: ClassVar[bool] = True

    def value(self, u: FloatArray) -> FloatArray:
        return np.sign(u - 0.5)

    def derivative(self, u: FloatArray) -> FloatArray:
        return np.zeros_like(u, dtype=np.float64)

    def integral(self, u: FloatArray) -> FloatArray:
        return np.abs(u - 0.5) - 0.5

    sup_norm_derivative: ClassVar[float] = INFINITE
    sup_norm_second_derivative: ClassVar[float] = INFINITE

    def smooth_alternative(self) -> str:
        return "logistic"

    def __str__(self) -> str:
        return "median"
