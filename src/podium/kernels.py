"""Smoothing kernels K, their primitives κ, and bandwidth rules (CLV21, §4.2).

A kernel is a symmetric density; κ(t) = ∫_{−∞}^t K. Bandwidths are multiples of the standard deviation of the scores.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.polynomial import Polynomial
from scipy.special import expit, ndtr, ndtri

from podium._types import FloatArray
from podium.exceptions import InputError, InputTypeError

__all__ = [
    "Biweight",
    "Epanechnikov",
    "Gaussian",
    "Kernel",
    "Laplace",
    "LogisticKernel",
    "SmoothKernel",
    "Triweight",
    "resolve",
]

_SQRT_TWO_PI = float(np.sqrt(2 * np.pi))


class Kernel(ABC):
    """A symmetric density K with its primitive κ; evaluation is vectorized."""

    @abstractmethod
    def density(self, t: FloatArray) -> FloatArray:
        """K(t).

        Parameters
        ----------
        t : ndarray
            Where to evaluate, in multiples of the bandwidth.

        Returns
        -------
        ndarray
            The density at every entry of ``t``.
        """

    @abstractmethod
    def cdf(self, t: FloatArray) -> FloatArray:
        """κ(t), accurate relative to itself in the left tail.

        Parameters
        ----------
        t : ndarray
            Where to evaluate, in multiples of the bandwidth.

        Returns
        -------
        ndarray
            The primitive at every entry of ``t``, in [0, 1].
        """

    @abstractmethod
    def reach(self, mass: float) -> float:
        """A distance beyond which κ differs from 0 or 1 by at most ``mass``.

        Parameters
        ----------
        mass : float
            How far κ may be from 0 or from 1.

        Returns
        -------
        float
            The distance, in multiples of the bandwidth.
        """

    def default_bandwidth(self, n_total: float) -> float:
        """N^(−1/5), as in the experiments of CLV21 (§5.2).

        Parameters
        ----------
        n_total : float
            The number N of rows.

        Returns
        -------
        float
            The bandwidth, in multiples of the standard deviation of the scores.
        """
        return float(n_total) ** -0.2


class SmoothKernel(Kernel):
    """A kernel that polynomials approximate well on short intervals, so that sums of it need no sort."""

    # sup |K^(q)| / K(0), by q: how well an interpolation at q nodes follows K
    steepness: ClassVar[dict[int, float]]


@dataclass(frozen=True, slots=True)
class Gaussian(SmoothKernel):
    """The Gaussian kernel, K(t) = exp(−t²/2) / √(2π)."""

    steepness: ClassVar[dict[int, float]] = {4: 3.0, 6: 15.0, 8: 105.0}

    def density(self, t: FloatArray) -> FloatArray:
        return np.exp(-0.5 * np.square(t)) / _SQRT_TWO_PI

    def cdf(self, t: FloatArray) -> FloatArray:
        return np.asarray(ndtr(t))

    def reach(self, mass: float) -> float:
        return float(-ndtri(mass))


@dataclass(frozen=True, slots=True)
class LogisticKernel(SmoothKernel):
    """The logistic kernel, K(t) = κ(t)(1 − κ(t)) with κ(t) = 1/(1 + e^(−t))."""

    steepness: ClassVar[dict[int, float]] = {4: 1.0, 6: 4.25, 8: 31.0}

    def density(self, t: FloatArray) -> FloatArray:
        return np.asarray(expit(t) * expit(-t))

    def cdf(self, t: FloatArray) -> FloatArray:
        return np.asarray(expit(t))

    def reach(self, mass: float) -> float:
        return float(-np.log(mass))


@dataclass(frozen=True, slots=True)
class Laplace(Kernel):
    """The Laplace kernel, K(t) = exp(−|t|) / 2."""

    def density(self, t: FloatArray) -> FloatArray:
        return 0.5 * np.exp(-np.abs(t))

    def cdf(self, t: FloatArray) -> FloatArray:
        tail = 0.5 * np.exp(-np.abs(t))
        return np.where(np.asarray(t) < 0, tail, 1 - tail)

    def reach(self, mass: float) -> float:
        return float(-np.log(2 * mass))


class PolynomialKernel(Kernel):
    """K(t) ∝ (1 − t²)^p on [−1, 1], zero beyond: sums of it are exact after a sort."""

    primitive: ClassVar[Polynomial]  # κ on [−1, 1]

    def density(self, t: FloatArray) -> FloatArray:
        return np.asarray(np.where(np.abs(t) < 1, self.primitive.deriv()(np.clip(t, -1, 1)), 0.0))

    def cdf(self, t: FloatArray) -> FloatArray:
        # By symmetry from the nearer end, so that κ is accurate relative to itself on the left.
        tail = self._tail(1 - np.minimum(np.abs(t), 1.0))
        return np.where(np.asarray(t) < 0, tail, 1 - tail)

    def reach(self, mass: float) -> float:
        return 1.0

    def _tail(self, inward: FloatArray) -> FloatArray:
        """κ(−1 + inward), by powers of the distance to the end."""
        return np.asarray(_around_left_end(self.primitive)(inward))


def _primitive(p: int) -> Polynomial:
    """κ for K ∝ (1 − t²)^p: odd about (0, ½) and 1 at 1."""
    odd = (Polynomial([1.0, 0.0, -1.0]) ** p).integ()
    return 0.5 + odd / (2 * odd(1.0))


def _around_left_end(primitive: Polynomial) -> Polynomial:
    """The primitive as a polynomial in the distance to −1; its lowest p + 1 coefficients vanish."""
    shifted = primitive(Polynomial([-1.0, 1.0]))
    p = (len(primitive.coef) - 2) // 2
    return Polynomial(np.where(np.arange(len(shifted.coef)) <= p, 0.0, shifted.coef))


@dataclass(frozen=True, slots=True)
class Epanechnikov(PolynomialKernel):
    """Epanechnikov's kernel, K(t) = ¾ (1 − t²) on [−1, 1]."""

    primitive: ClassVar[Polynomial] = _primitive(1)


@dataclass(frozen=True, slots=True)
class Biweight(PolynomialKernel):
    """The biweight kernel, K(t) = 15/16 (1 − t²)² on [−1, 1]."""

    primitive: ClassVar[Polynomial] = _primitive(2)


@dataclass(frozen=True, slots=True)
class Triweight(PolynomialKernel):
    """The triweight kernel, K(t) = 35/32 (1 − t²)³ on [−1, 1]."""

    primitive: ClassVar[Polynomial] = _primitive(3)


BY_NAME: dict[str, Kernel] = {
    "gaussian": Gaussian(),
    "logistic": LogisticKernel(),
    "epanechnikov": Epanechnikov(),
    "biweight": Biweight(),
    "triweight": Triweight(),
    "laplace": Laplace(),
}


def resolve(spec: Kernel | str) -> Kernel:
    """A kernel from an instance or a name.

    Parameters
    ----------
    spec : Kernel or str
        A kernel, which is returned unchanged, or its name.

    Returns
    -------
    Kernel
        The kernel specified.

    Examples
    --------
    >>> from podium.kernels import resolve
    >>> resolve("gaussian")
    Gaussian()
    """
    if isinstance(spec, Kernel):
        return spec
    choices = f"choose from {', '.join(BY_NAME)}, or an object of podium.kernels."
    if not isinstance(spec, str):
        raise InputTypeError(f"kernel must be a name or an object of podium.kernels; got {spec!r}.", choices)
    if spec not in BY_NAME:
        raise InputError(f"kernel must be a known name; got {spec!r}.", choices)
    return BY_NAME[spec]
