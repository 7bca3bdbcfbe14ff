"""Samples from two distributions, one per class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from podium import _input
from podium._types import BoolArray, FloatArray
from podium.exceptions import InputError

# Checks of what a user gives a model: means, covariances, symmetric matrices.


def check_dimension(dimension: int | None, default: int, *given: npt.ArrayLike | None) -> int:
    """The number of columns: as named, else that of the first array given, else the default."""
    if dimension is not None:
        return _input.check_integer("dimension", dimension, 1)
    return next((len(np.atleast_1d(np.asarray(array))) for array in given if array is not None), default)


def check_array(name: str, given: npt.ArrayLike, shape: tuple[int, ...]) -> FloatArray:
    """Finite numbers of this shape."""
    array = np.array(given, dtype=np.float64)
    if array.shape != shape:
        raise InputError(
            f"{name} must have the shape {shape}; got {array.shape}.", "all arrays of a model share its columns."
        )
    if not np.isfinite(array).all():
        raise InputError(f"{name} must be finite; it has values that are not finite.")
    return array


def check_symmetric(name: str, given: npt.ArrayLike, dimension: int) -> FloatArray:
    """A symmetric matrix."""
    matrix = check_array(name, given, (dimension, dimension))
    if not np.allclose(matrix, matrix.T, rtol=1e-9, atol=1e-12 * float(np.abs(matrix).max())):
        raise InputError(f"{name} must be symmetric; it is not.", "(A + A.T) / 2 is.")
    return matrix


def check_covariance(name: str, given: npt.ArrayLike, dimension: int) -> FloatArray:
    """A symmetric matrix whose eigenvalues are positive."""
    matrix = check_symmetric(name, given, dimension)
    least = float(np.linalg.eigvalsh(matrix)[0])
    if not least > 0:
        raise InputError(f"{name} must have positive eigenvalues; the smallest is {least:.3g}.")
    return matrix


# What every model has: a distribution of the positives, one of the negatives, and two ways to draw from them.


_FARTHEST = 9.0  # normal scores beyond which nothing of weight lies


class TwoSampleModel(ABC):
    """A distribution of the positives and one of the negatives."""

    dimension: int

    @abstractmethod
    def sample(
        self, n_pos: int, n_neg: int, rng: np.random.Generator | int | None = None
    ) -> tuple[FloatArray, BoolArray]:
        """Rows and labels, the positives first.

        Parameters
        ----------
        n_pos, n_neg : int
            The numbers of positives and negatives to draw.
        rng : numpy.random.Generator or int, optional
            A generator or the seed of one.

        Returns
        -------
        tuple of ndarray
            The rows, and for each whether it is positive; the positives come first.
        """

    def sample_random_labels(
        self, n_total: int, positive_rate: float, rng: np.random.Generator | int | None = None
    ) -> tuple[FloatArray, BoolArray]:
        """Independent rows with random labels, in random order (CLV21, Remark 4; A05, Theorem 3.6).

        Every row is positive with probability p, so that the number of positives is binomial; it may be 0 or all.

        Parameters
        ----------
        n_total : int
            How many rows to draw.
        positive_rate : float
            The probability p that a row is positive, in [0, 1].
        rng : numpy.random.Generator or int, optional
            A generator or the seed of one.

        Returns
        -------
        tuple of ndarray
            The rows, and for each whether it is positive.
        """
        n_total = _input.check_integer("n_total", n_total, 1)
        positive_rate = _input.check_number("positive_rate", positive_rate, 0, 1)
        rng = np.random.default_rng(rng)
        is_positive = rng.random(n_total) < positive_rate
        n_pos = int(is_positive.sum())
        rows, _ = self.sample(n_pos, n_total - n_pos, rng)
        placed = np.empty_like(rows)
        placed[is_positive], placed[~is_positive] = rows[:n_pos], rows[n_pos:]
        return placed, is_positive


def push_risk(roc: Callable[[FloatArray], FloatArray], p: float) -> float:
    r"""The P-Norm Push risk of a population, off its ROC curve.

    A negative with the share α of negatives above it has the share 1 − ROC(α) of positives below it, and α is uniform:

    .. math:: R_p = \Bigl(\int_0^1 \bigl(1 - \mathrm{ROC}(\alpha)\bigr)^p\,d\alpha\Bigr)^{1/p}

    by Gauss and Legendre's rule in z, α = Φ(z).
    """
    p = _input.check_number("p", p, 1, open_high=True)
    nodes, weights = np.polynomial.legendre.leggauss(400)
    z = _FARTHEST * nodes
    height = 1 - roc(ndtr(z))
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    return float((_FARTHEST * weights @ (density * height**p)) ** (1 / p))
