"""The smoothed distribution function and rank statistic of a population (CLV21, 4.7 and 4.9)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from podium import _input, kernels
from podium._types import FloatArray
from podium.phi import Phi, resolve

_FARTHEST = 8.2  # normal scores beyond which a double has no probability left
_NODES = 400
_BEYOND = 1e-15  # of the mass of a kernel


class Distribution(Protocol):
    """A distribution of scores, such as a frozen one of ``scipy.stats``."""

    def cdf(self, x: FloatArray) -> FloatArray:
        """The distribution function."""

    def ppf(self, q: FloatArray) -> FloatArray:
        """The quantiles."""


def smoothed_distribution(
    cdf: Callable[[FloatArray], FloatArray],
    t: npt.ArrayLike,
    bandwidth: float,
    kernel: kernels.Kernel | str = "gaussian",
) -> FloatArray:
    r"""A distribution function, smoothed by a kernel (CLV21, Equation 4.7).

    .. math:: \tilde F_h(t) = \int \kappa\Bigl(\frac{t - u}{h}\Bigr) F(du) = \int F(t - hv)\, K(v)\, dv

    by Gauss and Legendre's rule in v, to about ten digits where F is smooth on the scale of h.

    Parameters
    ----------
    cdf : callable
        The distribution function F, of arrays.
    t : array-like
        Where to evaluate it.
    bandwidth : float
        The bandwidth h, in units of the scores; 0 means no smoothing.
    kernel : Kernel or str
        The kernel K; see :func:`podium.kernels.resolve`.

    Returns
    -------
    ndarray
        The smoothed distribution function at every entry of ``t``.

    Examples
    --------
    >>> from scipy.stats import norm
    >>> from podium.datasets import smoothed_distribution
    >>> smoothed_distribution(norm.cdf, [1.0], 0.75).round(6), norm.cdf([1 / 1.25]).round(6)
    (array([0.788145]), array([0.788145]))
    """
    h = _input.check_number("bandwidth", bandwidth, 0, open_high=True)
    at = np.asarray(t, dtype=np.float64)
    if h == 0:
        return np.asarray(cdf(at))
    chosen = kernels.resolve(kernel)
    nodes, weights = np.polynomial.legendre.leggauss(_NODES // 2)
    half = chosen.reach(_BEYOND) * (1 + nodes) / 2  # either side by itself: a kernel may have its peak at 0
    v = np.concatenate([-half, half])
    share = np.tile(weights, 2) * chosen.density(v)
    return np.asarray(cdf(at[..., None] - h * v) @ (share / share.sum()))


def smoothed_rank_statistic(
    positives: Distribution,
    negatives: Distribution,
    phi: Phi | str = "auc",
    *,
    bandwidth: float,
    positive_rate: float = 0.5,
    kernel: kernels.Kernel | str = "gaussian",
) -> float:
    r"""The smoothed rank statistic of a population (CLV21, Equation 4.9).

    .. math:: \widetilde W_{\phi,h} = E\,\phi\bigl(\tilde F_h(s(X))\bigr), \qquad
       F = p\,G + (1 - p)\,H

    with X positive, G and H the distributions of the scores of positives and negatives, and :math:`\tilde F_h` as in
    :func:`smoothed_distribution`. It is the limit of ``criteria.RankStatistic(phi, kernel, relative=False)`` in
    large samples with the share p of positives; at h = 0 it is W_φ itself (Equation 3.3). Scores are continuous: there
    are no ties.

    Parameters
    ----------
    positives, negatives : object
        The distributions of the scores, with methods ``cdf`` and ``ppf`` such as those of ``scipy.stats``.
    phi : Phi or str
        The score-generating function φ.
    bandwidth : float
        The bandwidth h, in units of the scores; 0 means no smoothing.
    positive_rate : float
        The share p of positives, between 0 and 1.
    kernel : Kernel or str
        The smoothing kernel; see :func:`podium.kernels.resolve`.

    Returns
    -------
    float
        The statistic, per positive.

    Examples
    --------
    >>> from scipy.stats import norm
    >>> from podium.datasets import smoothed_rank_statistic
    >>> round(smoothed_rank_statistic(norm(1), norm(0), "auc", bandwidth=0.0), 4)  # (½ + AUC)/2
    0.6301
    >>> round(smoothed_rank_statistic(norm(1), norm(0), "auc", bandwidth=0.5), 4)
    0.6238
    """
    p = _input.check_fraction("positive_rate", positive_rate)
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    z = _FARTHEST * nodes
    share = weights * np.exp(-(z**2) / 2)
    at = np.asarray(positives.ppf(ndtr(z)), dtype=np.float64)

    def pooled(t: FloatArray) -> FloatArray:
        return p * np.asarray(positives.cdf(t)) + (1 - p) * np.asarray(negatives.cdf(t))

    ranks = np.clip(smoothed_distribution(pooled, at, bandwidth, kernel), 0.0, 1.0)
    return float(resolve(phi).value(ranks) @ (share / share.sum()))
