"""U-statistics of degree two with any kernel, and their Hoeffding decomposition (CLV21, Definitions 11 and 12)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from podium._results import wording
from podium._results.result import Result
from podium._types import FloatArray
from podium.exceptions import InputError

# Of two arrays that broadcast against each other, entry by entry.
PairKernel = Callable[[Any, Any], npt.ArrayLike]


@dataclass(frozen=True, eq=False, kw_only=True)
class HoeffdingDecomposition(Result):
    """A U-statistic as its value, what single observations add to it, and what is left of every pair.

    Of two samples kernel(x_i, y_j) = value + by_x[i] + by_y[j] + remainder[i, j], and of one sample, for i ≠ j,
    value + by_x[i] + by_x[j] + remainder[i, j]; the parts of observations sum to zero, and so do the rows and the
    columns of the remainder, which is degenerate.

    Attributes
    ----------
    value : float
        The U-statistic itself.
    by_x, by_y : ndarray
        What every observation adds; ``by_y`` is empty for one sample.
    remainder : ndarray of shape (n_x, n_y)
        What no single observation explains; of one sample its diagonal is zero.
    """

    value: float
    by_x: FloatArray
    by_y: FloatArray
    remainder: FloatArray

    def __repr__(self) -> str:
        left = float(np.sqrt(np.mean(self.remainder**2)))
        return wording.minus(f"U = {self.value:.6g}, left of each pair {left:.3g} (root mean square)")


def u_statistic(kernel: PairKernel, x: npt.ArrayLike, y: npt.ArrayLike | None = None) -> float:
    r"""The mean of a kernel over all pairs of two samples, or over all pairs of different observations of one.

    .. math:: U = \frac1{nm} \sum_{i, j} k(X_i, Y_j), \qquad U = \frac1{n(n - 1)} \sum_{i \ne j} k(X_i, X_j)

    Parameters
    ----------
    kernel : callable
        The kernel k: it takes two arrays that broadcast against each other and returns a number for each pair.
    x : array-like of shape (n,) or (n, ...)
        The first sample, an observation in each entry of its first axis.
    y : array-like, optional
        The second sample; without it the statistic is of one sample.

    Returns
    -------
    float
        The U-statistic, a mean over pairs.

    Examples
    --------
    >>> from podium.metrics import u_statistic
    >>> u_statistic(lambda a, b: a > b, [3, 5], [1, 4])  # the AUC
    0.75
    >>> u_statistic(lambda a, b: (a - b) ** 2 / 2, [1.0, 2.0, 3.0])  # the variance
    1.0
    """
    return _mean(_pairs(kernel, x, y), y is None)


def hoeffding_decomposition(
    kernel: PairKernel, x: npt.ArrayLike, y: npt.ArrayLike | None = None
) -> HoeffdingDecomposition:
    """A U-statistic as value, parts of single observations and a degenerate remainder (CLV21, (A.1) and (A.2)).

    The parts are the empirical ones: conditional means over the sample in the place of those of the population.

    Parameters
    ----------
    kernel : callable
        The kernel, as of :func:`u_statistic`; of one sample it is symmetric.
    x : array-like of shape (n,) or (n, ...)
        The first sample, an observation in each entry.
    y : array-like, optional
        The second sample; without it the statistic is of one sample, of at least three observations.

    Returns
    -------
    HoeffdingDecomposition
        The value, the parts of observations and the remainder.

    Examples
    --------
    >>> from podium.metrics import hoeffding_decomposition
    >>> hoeffding_decomposition(lambda a, b: a > b, [3, 5], [1, 4]).by_x
    array([-0.25,  0.25])
    """
    pairs = _pairs(kernel, x, y)
    value = _mean(pairs, y is None)
    if y is not None:
        by_x, by_y = pairs.mean(axis=1) - value, pairs.mean(axis=0) - value
        remainder = pairs - value - by_x[:, None] - by_y
        return HoeffdingDecomposition(value=value, by_x=by_x, by_y=by_y, remainder=remainder)
    n = len(pairs)
    off = ~np.eye(n, dtype=bool)
    if n < 3 or not np.allclose(pairs, pairs.T):
        raise InputError(
            f"The decomposition of one sample needs a symmetric kernel and three observations; got {n}.",
            "(k(a, b) + k(b, a))/2 is symmetric and has the same U-statistic.",
        )
    # Of kernel = value + a_i + a_j + R_ij with rows of R that sum to zero: Σ_{j≠i}(kernel − value) = (n − 2)·a_i.
    parts = np.where(off, pairs - value, 0.0).sum(axis=1) / (n - 2)
    remainder = np.where(off, pairs - value - parts[:, None] - parts, 0.0)
    return HoeffdingDecomposition(value=value, by_x=parts, by_y=np.empty(0), remainder=remainder)


def _pairs(kernel: PairKernel, x: npt.ArrayLike, y: npt.ArrayLike | None) -> FloatArray:
    first = np.asarray(x)
    second = first if y is None else np.asarray(y)
    if min(first.ndim, second.ndim) < 1 or len(first) < (2 if y is None else 1) or len(second) < 1:
        raise InputError(
            f"A U-statistic needs {'two observations' if y is None else 'an observation of each sample'}; got shapes "
            f"{first.shape} and {second.shape}.",
            "pass arrays with an observation in each entry of the first axis.",
        )
    values = np.asarray(kernel(first[:, None], second[None]), dtype=np.float64)
    if values.shape != (len(first), len(second)):
        raise InputError(
            f"kernel must return one number for each of {len(first)} × {len(second)} pairs; got shape {values.shape}.",
            "it is called once, with arrays that broadcast against each other.",
        )
    return values


def _mean(pairs: FloatArray, of_one_sample: bool) -> float:
    if not of_one_sample:
        return float(pairs.mean())
    n = len(pairs)
    return float((pairs.sum() - np.trace(pairs)) / (n * (n - 1)))
