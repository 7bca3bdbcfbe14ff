"""Base class of score-generating functions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from podium._types import FloatArray

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
