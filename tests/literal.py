"""The papers' methods as literal loops, a line per line of the paper: what the page on them shows and tests compare.

Boosting is in ``rankers/naive_boosting.py``. Imports nothing of ours.
"""

from __future__ import annotations

import numpy as np
from scipy import optimize
from scipy.special import ndtr


def algorithm_1(scores, slopes, theta, is_positive, derivative, n_steps, step=None, bandwidth=None):
    """CLV21, Algorithm 1 with the Gaussian kernel; ``slopes(θ)`` has ∂s_θ(x_l)/∂θ of every row."""
    n_rows = len(is_positive)
    h = n_rows**-0.2 if bandwidth is None else bandwidth
    eta = n_steps**-0.5 if step is None else step
    for _ in range(n_steps):
        s, ds = scores(theta), slopes(theta)
        total = np.zeros_like(theta)
        for i in np.flatnonzero(is_positive):  # (5.1), (5.2)
            gaps = (s[i] - s) / h
            smoothed_rank = ndtr(gaps).sum() / n_rows  # (4.8)
            density = np.exp(-(gaps**2) / 2) / np.sqrt(2 * np.pi)
            total += derivative(smoothed_rank) * np.tensordot(density, ds[i] - ds, 1) / (n_rows * h)
        theta = theta + eta * total
    return theta


def linear(X):
    """⟨θ, z⟩ (location models)."""
    return lambda theta: X @ theta, lambda theta: X


def symmetric(X):
    """⟨z, θz⟩, θ symmetric."""
    squares = X[:, :, None] * X[:, None, :]
    return lambda theta: np.einsum("li,ij,lj->l", X, theta, X), lambda theta: squares


def definite(X):
    """⟨z, θ⁻¹z⟩, as printed for the scale models."""

    def scores(theta):
        return np.einsum("li,ij,lj->l", X, np.linalg.inv(theta), X)

    def slopes(theta):
        Z = X @ np.linalg.inv(theta)
        return -Z[:, :, None] * Z[:, None, :]

    return scores, slopes


def ir_push(X, is_positive):
    """R09 (2): Σ_i ln(1 + Σ_k e^(−(f(x_i) − f(x̃_k)))), minimized over f(x) = ⟨w, x⟩."""
    X, negatives = X[is_positive], X[~is_positive]

    def objective(w):
        losses = np.exp(-(X @ w)[:, None] + negatives @ w)
        inner = losses.sum(axis=1)
        weights = losses / (1 + inner)[:, None]
        return np.log1p(inner).sum(), weights.sum(axis=0) @ negatives - weights.sum(axis=1) @ X

    return optimize.minimize(objective, np.zeros(X.shape[1]), jac=True, method="BFGS", options={"gtol": 1e-9}).x


def penalized_selection(scores_of_classes, dimensions, is_positive, b1):
    """CLV21 (4.4), (4.5) at φ(u) = u: which of the maximizers ŝ_k is selected, and Ŵ/n less penalty of all."""
    n_total, n_pos = len(is_positive), int(is_positive.sum())
    p, values = n_pos / n_total, []
    for k, (s, dimension) in enumerate(zip(scores_of_classes, dimensions, strict=True), start=1):
        ranks = np.array([np.sum(s <= s[i]) for i in np.flatnonzero(is_positive)])
        c = 6 * (1 + 9 * 1 + 9 * 0)  # 6·(‖φ‖² + 9‖φ'‖² + 9‖φ''‖²)
        penalty = b1 * np.sqrt(dimension / (p * n_total)) + np.sqrt(2 * c * np.log(k) / (p**2 * n_total))
        values.append(ranks.mean() / (n_total + 1) - penalty)
    return int(np.argmax(values)), np.array(values)


def treerank(X, is_positive, depth):
    """TreeRank with thresholds: cut every cell where TPR − FPR is largest; the cell of every row, the best first."""
    cells = [np.arange(len(X))]
    for _ in range(depth):
        finer = []
        for cell in cells:
            y = is_positive[cell]
            best, parts = 0.0, None
            for j in range(X.shape[1]):
                for cut in np.unique(X[cell, j])[:-1]:
                    for upper in (X[cell, j] > cut, X[cell, j] <= cut):
                        gain = upper[y].mean() - upper[~y].mean() if y.any() and not y.all() else 0.0
                        if gain > best + 1e-12:
                            best, parts = gain, [cell[upper], cell[~upper]]
            finer += [cell] if parts is None else parts
        cells = finer
    return cells
