"""Score-generating functions: their base, and the classical ones."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from scipy.special import digamma, gammaln, ndtri, polygamma

from podium import _input
from podium._types import BoolArray, FloatArray
from podium.exceptions import InputError

INFINITE = float("inf")

# What rounding may make 0 or 1, where φ may be infinite, stays between these.
INNERMOST = (1e-300, float(np.nextafter(1, 0)))


class Phi(ABC):
    r"""A nondecreasing function on [0, 1] that says which part of the list matters (CLV21, §2.3).

    A subclass is a frozen dataclass with ``value``, ``derivative`` and ``integral``; everything else has a default.
    Evaluation is vectorized; infinite values at 0 or 1 are allowed, ranks never reach the ends.
    """

    # φ jumps: a metric and a test, but no gradient can follow it.
    discontinuous: ClassVar[bool] = False

    @abstractmethod
    def value(self, u: FloatArray) -> FloatArray:
        """φ(u).

        Parameters
        ----------
        u : ndarray
            Ranks divided by N + 1, in [0, 1].

        Returns
        -------
        ndarray
            The values, one for every entry of ``u``.
        """

    @abstractmethod
    def derivative(self, u: FloatArray) -> FloatArray:
        """φ'(u), almost everywhere where φ jumps.

        Parameters
        ----------
        u : ndarray
            Ranks divided by N + 1, in [0, 1].

        Returns
        -------
        ndarray
            The derivatives, one for every entry of ``u``.
        """

    @abstractmethod
    def integral(self, u: FloatArray) -> FloatArray:
        """∫₀ᵘ φ.

        Parameters
        ----------
        u : ndarray
            Ranks divided by N + 1, in [0, 1].

        Returns
        -------
        ndarray
            The integrals from 0 to every entry of ``u``.
        """

    @property
    def sup_norm(self) -> float:
        """‖φ‖∞; a nondecreasing function attains it at an end."""
        ends = np.abs(self.value(np.array([0.0, 1.0])))
        return float(ends.max())

    @property
    @abstractmethod
    def sup_norm_derivative(self) -> float:
        """‖φ'‖∞, infinite where φ jumps or its slope is unbounded."""

    @property
    @abstractmethod
    def sup_norm_second_derivative(self) -> float:
        """‖φ''‖∞, infinite where φ' jumps or its slope is unbounded."""

    @property
    def is_affine(self) -> bool:
        """Whether φ(u) = a + b·u, so that ω_φ is the AUC."""
        low, middle, high = self.value(np.array([0.25, 0.5, 0.75]))
        return abs(low + high - 2 * middle) < 1e-12 and self.sup_norm_second_derivative == 0  # the cheap test first

    def bind(self, n_total: float) -> Phi:
        """φ for lists of ``n_total`` items; itself, unless it depends on their number.

        Parameters
        ----------
        n_total : float
            The number N of items in the list.

        Returns
        -------
        Phi
            The same φ, or one that knows N.
        """
        return self

    def smooth_alternative(self) -> str | None:
        """For a discontinuous φ: the specification of a smooth one to train with."""
        return None


_SQRT_TWO_PI = np.sqrt(2 * np.pi)


@dataclass(frozen=True, slots=True)
class Mww(Phi):
    """φ(u) = u: the scores of Wilcoxon, Mann and Whitney, at which ω_φ is the AUC."""

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
class Power(Phi):
    """φ(u) = u^q, q ≥ 1: a smooth emphasis on the top, stronger with larger q ("Pol" in CLV21, §5.2).

    The rank test with these scores is locally most powerful where the positives are distributed as
    G = (1 − ε)H + εH^(q+1), H being the distribution of the negatives. At q = 1, ω_φ is the AUC.

    Parameters
    ----------
    q : float
        The power, from 1 (the AUC) to 1,000.

    Examples
    --------
    >>> from podium.metrics import rank_statistic
    >>> from podium.phi import Power
    >>> rank_statistic([0, 1, 1, 0, 1], [1, 2, 3, 4, 5], phi=Power(3))  # the same as phi="power:3"
    0.688...
    """

    q: float = 3.0

    def __post_init__(self) -> None:
        _input.check_number("q", self.q, 1, 1e3)

    def value(self, u: FloatArray) -> FloatArray:
        return _power(u, self.q)

    def derivative(self, u: FloatArray) -> FloatArray:
        return self.q * _power(u, self.q - 1)

    def integral(self, u: FloatArray) -> FloatArray:
        return _power(u, self.q + 1) / (self.q + 1)

    @property
    def sup_norm_derivative(self) -> float:
        return float(self.q)

    @property
    def sup_norm_second_derivative(self) -> float:
        q = float(self.q)
        return 0.0 if q == 1 else INFINITE if q < 2 else q * (q - 1)

    def __str__(self) -> str:
        return f"power:{self.q:g}"


@dataclass(frozen=True, slots=True)
class Logistic(Phi):
    """φ(u) = 2√3 (u − ½): Wilcoxon scores with mean 0 and variance 1, so that ω_φ is the AUC."""

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
    """φ(u) = −log(1 − u): the limit of Savage's scores in long lists; unbounded at the top."""

    def value(self, u: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            return -np.log1p(-u)

    def derivative(self, u: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            return 1 / (1 - u)

    def integral(self, u: FloatArray) -> FloatArray:
        rest = 1 - u
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(rest > 0, rest * np.log1p(-u), 0.0) + u

    sup_norm_derivative: ClassVar[float] = INFINITE
    sup_norm_second_derivative: ClassVar[float] = INFINITE

    def __str__(self) -> str:
        return "logrank"


@dataclass(frozen=True, slots=True)
class Savage(Phi):
    r"""Savage's scores, the expected order statistics of exponential variables: the rank test of proportional hazards.

    .. math:: a_R = \sum_{j=N-R+1}^{N} \frac1j, \qquad \phi_N(u) = \psi(N + 1) - \psi\bigl((N + 1)(1 - u)\bigr)

    for rank R of N, with the digamma function ψ in between. It depends on N: call ``bind(n_total)`` before use; metrics
    and tests do so themselves. Beyond rank N, which ranks never pass, φ is constant. In long lists it is nearly
    `Logrank`.

    Parameters
    ----------
    n_total : float, optional
        The number N of items in the list, which :meth:`bind` fills in.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.phi import Savage
    >>> Savage().bind(4).value(np.array([1, 2, 3, 4]) / 5).round(3)  # 1/4, 1/4 + 1/3, …
    array([0.25 , 0.583, 1.083, 2.083])
    """

    n_total: float | None = None

    def bind(self, n_total: float) -> Savage:
        return replace(self, n_total=float(n_total))

    def value(self, u: FloatArray) -> FloatArray:
        return digamma(self._size) - digamma(self._from_top(u))

    def derivative(self, u: FloatArray) -> FloatArray:
        return np.where(self._inside(u), self._size * polygamma(1, self._from_top(u)), 0.0)

    def integral(self, u: FloatArray) -> FloatArray:
        beyond = np.maximum(np.asarray(u) - 1 + 1 / self._size, 0.0)
        below = (gammaln(self._from_top(u)) - gammaln(self._size)) / self._size
        # Below: ∫ −ψ((N + 1)(1 − u)) du = ln Γ((N + 1)(1 − u))/(N + 1); beyond rank N: −ψ(1) for it.
        return digamma(self._size) * np.asarray(u) + below - digamma(1.0) * beyond

    @property
    def sup_norm_derivative(self) -> float:
        return self._size * np.pi**2 / 6

    sup_norm_second_derivative: ClassVar[float] = INFINITE  # φ' jumps to 0 at rank N

    def __str__(self) -> str:
        return "savage"

    @property
    def _size(self) -> float:
        if self.n_total is None:
            raise InputError(
                "Savage's scores depend on the length of the list; got none.",
                "call Savage().bind(n_total) before evaluating it.",
            )
        return self.n_total + 1

    def _inside(self, u: FloatArray) -> BoolArray:
        return self._size * (1 - np.asarray(u)) > 1

    def _from_top(self, u: FloatArray) -> FloatArray:
        """N + 1 less the rank, not below 1."""
        return np.maximum(self._size * (1 - np.asarray(u)), 1.0)


@dataclass(frozen=True, slots=True)
class VanDerWaerden(Phi):
    """φ(u) = Φ⁻¹(u), the normal quantile: the normal scores of van der Waerden, unbounded at both ends."""

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
    """φ(u) = sgn(u − ½): Mood's median test. All that counts is in which half of the list a row stands."""

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


def _power(u: FloatArray, q: float) -> FloatArray:
    """u^q; squares and cubes by multiplication, which needs no pow."""
    return u * u if q == 2 else u * u * u if q == 3 else np.power(u, q)
