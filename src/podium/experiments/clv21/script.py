r"""The gradient ascent of the authors' published script, as it is written there, errors included.

Beside Algorithm 1 as printed: the start is divided by its norm; a step is (1/√n)·g/√‖g‖, g with a factor 2; weights
do not step against their last step, and a matrix steps if the number of entries of g·(last step) that are not negative
is odd, because a bitwise "and" takes their number for a truth value; the derivative of RTB is
1/β + u₀·λ/(N + 1)·σ'(λ(u − u₀)); T − 1 steps are taken, and what is returned is the iterate after the one with the
largest Ŵ. The matrix of a quadratic score starts from A·A, A uniform, the weights of a linear one from uniform numbers.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, ndtr

from podium._types import BoolArray, FloatArray
from podium.phi import Phi, SmoothTopShare, resolve

_BETA = _LAMBDA = 100.0


def ascend(
    X: FloatArray, is_positive: BoolArray, phi: str, start: FloatArray, n_steps: int
) -> tuple[FloatArray, FloatArray]:
    """Weights, or the matrix if the start is one, and Ŵ_φ/n of the ranks at every step."""
    n_total, n_pos = len(X), int(is_positive.sum())
    bandwidth = n_total**-0.2
    generating = resolve(phi)
    theta = start / np.linalg.norm(start)
    iterates, path, last = [theta], [], np.zeros_like(theta)
    for _ in range(n_steps - 1):
        scores = scores_of(X, theta)
        ranks = scores.argsort().argsort()[is_positive] + 1
        path.append(float(generating.value(ranks / (n_total + 1)).mean()))
        gap = (scores[is_positive, None] - scores) / bandwidth
        slope = _derivative(generating, ndtr(gap).mean(axis=1), n_total)
        pull = slope[:, None] * np.exp(-(gap**2) / 2)
        by_row = -pull.sum(axis=0)
        by_row[is_positive] += pull.sum(axis=1)
        gradient = 2 / (np.sqrt(2 * np.pi) * n_total * bandwidth) * _back(X, by_row, theta.ndim)
        ahead = int(np.sum(gradient @ last >= 0)) % 2  # of weights it is one number, of a matrix the parity
        last = gradient / np.sqrt(np.linalg.norm(gradient) * n_pos) * ahead
        theta = theta + last
        iterates.append(theta)
    return iterates[int(np.argmax(path)) + 1], np.array(path)


def start_of(linear: bool, dimension: int, rng: np.random.Generator) -> FloatArray:
    """Where the script begins."""
    if linear:
        return rng.random(dimension)
    a = rng.random((dimension, dimension))
    return a @ a


def scores_of(X: FloatArray, theta: FloatArray) -> FloatArray:
    """⟨θ, z⟩ or ⟨z, θz⟩ of every row."""
    return X @ theta if theta.ndim == 1 else np.einsum("ij,ij->i", X @ theta, X)


def _back(X: FloatArray, by_row: FloatArray, n_axes: int) -> FloatArray:
    """The gradient by θ from that by scores."""
    return by_row @ X if n_axes == 1 else X.T @ (by_row[:, None] * X)


def _derivative(phi: Phi, u: FloatArray, n_total: int) -> FloatArray:
    if not isinstance(phi, SmoothTopShare):
        return phi.derivative(u)
    at = expit(_LAMBDA * (u - phi.u0))
    return 1 / _BETA + phi.u0 * _LAMBDA / (n_total + 1) * at * (1 - at)
