"""Losses of single pairs, for criteria over a list of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from podium._types import FloatArray


def _exponential(r: FloatArray) -> tuple[FloatArray, FloatArray]:
    return -r, np.ones_like(r)


def _logistic(r: FloatArray) -> tuple[FloatArray, FloatArray]:
    loss = np.logaddexp(0.0, -r)
    far = r > 40  # log(1 + e^(−r)) is e^(−r) there, and may underflow
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(far, -r, np.log(loss)), np.where(far, 1.0, expit(-r) / loss)


def _hinge(power: int) -> Callable[[FloatArray], tuple[FloatArray, FloatArray]]:
    def loss(r: FloatArray) -> tuple[FloatArray, FloatArray]:
        short = np.maximum(1 - r, 0.0)
        with np.errstate(divide="ignore"):
            return power * np.log(short), np.where(short > 0, power / short, 0.0)

    return loss


# log ℓ(r) and −ℓ'(r)/ℓ(r), zero where ℓ is
EDGE_LOSSES: dict[str, Callable[[FloatArray], tuple[FloatArray, FloatArray]]] = {
    "exponential": _exponential,
    "logistic": _logistic,
    "hinge": _hinge(1),
    "squared_hinge": _hinge(2),
}


def sums_by_lower_row(log_loss: FloatArray, lower: npt.NDArray[np.intp], n_rows: int) -> FloatArray:
    """Logarithms of Σ e^(log_loss) over the pairs of each lower row; minus infinity where there are none."""
    largest = np.full(n_rows, -np.inf)
    np.maximum.at(largest, lower, log_loss)
    scale = np.where(largest == -np.inf, 0.0, largest)
    with np.errstate(divide="ignore"):
        return scale + np.log(np.bincount(lower, np.exp(log_loss - scale[lower]), n_rows))
