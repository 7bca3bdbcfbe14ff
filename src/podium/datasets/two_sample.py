"""What every model has: a distribution of the positives, one of the negatives, and two ways to draw from them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
from scipy.special import ndtr

from podium import _input
from podium._types import BoolArray, FloatArray

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
            How many positives and how many negatives to draw.
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
