"""The potential behind the P-Norm Push and its Bregman distance (R09, §11): arrays of positives by negatives."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy

from podium import _input
from podium._types import FloatArray
from podium.exceptions import InputError


def push_potential(q: npt.ArrayLike, p: float) -> float:
    r"""The convex potential φ whose dual is the push (R09, §11).

    .. math:: \phi(q) = \sum_{ik} q_{ik} \gamma_{ik}(q), \qquad
       \gamma_{ik}(q) = \ln \frac{q_{ik}}{p^{1/p} (\sum_{i'} q_{i'k})^{(p-1)/p}},

    with 0·ln 0 = 0 and the sum over the positives of one negative, as in (11). (The definition prints the sum over all
    pairs.)

    Parameters
    ----------
    q : array-like of shape (n_pos, n_neg)
        Numbers of zero or more, one for each pair.
    p : float
        The power p, at least 1.

    Returns
    -------
    float
        The value φ(q) of the potential.
    """
    q, p = _check(q, p)
    return float(np.sum(xlogy(q, q)) - np.sum(q * _log_scale(q, p)))


def push_projection(q: npt.ArrayLike, v: npt.ArrayLike, p: float) -> FloatArray:
    r"""The Legendre–Bregman projection (R09, Equations 10 and 12).

    .. math:: \mathcal L(q, v)_{ik} = e^{v_{ik}} q_{ik}
       \Bigl(\frac{\sum_{i'} e^{v_{i'k}} q_{i'k}}{\sum_{i'} q_{i'k}}\Bigr)^{p-1}

    At q = I^(p−1) and v = −Mλ it runs through the family of which the push is the dual: e^(−M)·(Σ e^(−M))^(p−1).

    Parameters
    ----------
    q : array-like of shape (n_pos, n_neg)
        Numbers of zero or more, one for each pair; a negative whose numbers are all zero stays at zero.
    v : array-like of shape (n_pos, n_neg)
        The direction v, a number for each pair.
    p : float
        The power p, at least 1.

    Returns
    -------
    ndarray of shape (n_pos, n_neg)
        The projection, a number for each pair.
    """
    q, p = _check(q, p)
    tilted = np.exp(np.asarray(v, dtype=np.float64)) * q
    total = q.sum(axis=0)
    ratio = tilted.sum(axis=0) / np.where(total > 0, total, 1.0)
    return np.asarray(tilted * ratio ** (p - 1))


def push_distance(a: npt.ArrayLike, b: npt.ArrayLike, p: float) -> float:
    r"""The Bregman distance of the potential, B(a, b) (R09, Equation 13).

    .. math:: B(a, b) = \sum_{ik} a_{ik} \bigl(\gamma_{ik}(a) - \gamma_{ik}(b)\bigr)
       - \frac1p \sum_{ik} (a_{ik} - b_{ik}),

    infinite where a is positive and b is zero. At a = 0 and b = e^(−M)·(Σ e^(−M))^(p−1) it is R_p,exp/p, the dual
    objective; at b = I^(p−1) it is the primal one, the relative entropy for p = 1.

    Parameters
    ----------
    a, b : array-like of shape (n_pos, n_neg)
        Numbers of zero or more, one for each pair.
    p : float
        The power p, at least 1.

    Returns
    -------
    float
        The distance B(a, b), zero or more.

    Examples
    --------
    >>> import numpy as np
    >>> from podium.criteria import push_distance
    >>> margins = np.array([[0.5, -0.2], [1.0, 0.3]])
    >>> loss = np.exp(-margins)
    >>> float(round(push_distance(np.zeros((2, 2)), loss * loss.sum(axis=0), 2) * 2, 4))
    4.7998
    >>> float(round((loss.sum(axis=0) ** 2).sum(), 4))  # R_2,exp
    4.7998
    """
    a, p = _check(a, p)
    b, _ = _check(b, p)
    if np.any((a > 0) & (b == 0)):
        return np.inf
    cross = np.sum(xlogy(a, np.where(a > 0, b, 1.0))) - np.sum(a * _log_scale(b, p))
    return push_potential(a, p) - float(cross) - float((a - b).sum()) / p


def _log_scale(q: FloatArray, p: float) -> FloatArray:
    """Ln of the denominator of γ, by negative; 0 where it has no mass."""
    total = q.sum(axis=0)
    return np.log(p) / p + (p - 1) / p * np.log(np.where(total > 0, total, 1.0))


def _check(q: npt.ArrayLike, p: float) -> tuple[FloatArray, float]:
    matrix = np.asarray(q, dtype=np.float64)
    if matrix.ndim != 2 or not np.isfinite(matrix).all() or (matrix < 0).any():
        raise InputError(
            f"The potential needs finite numbers of zero or more, positives down and negatives across; got shape "
            f"{matrix.shape}.",
            "np.exp(-(f[:, None] - g)) has one for each pair.",
        )
    return matrix, _input.check_number("p", p, 1)
