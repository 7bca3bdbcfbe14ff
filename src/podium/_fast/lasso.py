"""Quadratic functions with an L1 penalty, one coordinate after the other: O(coordinates²) per sweep."""

from __future__ import annotations

import numpy as np

from podium._fast.compiled import compiled


@compiled
def minimize_with_l1(curvature, slope, theta, penalty, n_sweeps, tol):
    """The θ' that minimizes ⟨g, θ' − θ⟩ + ½⟨θ' − θ, H(θ' − θ)⟩ + Σ_j λ_j|θ'_j|, by coordinate descent.

    ``curvature`` is H, symmetric; it ends when no step of a sweep changes the quadratic form by more than tol².
    """
    new, gradient = theta.copy(), slope.copy()
    for _ in range(n_sweeps):
        largest = 0.0
        for j in range(new.size):
            h = curvature[j, j]
            if h <= 0.0:
                continue
            free, cut = new[j] - gradient[j] / h, penalty[j] / h
            moved = max(abs(free) - cut, 0.0) * np.sign(free)
            step = moved - new[j]
            if step != 0.0:
                new[j] = moved
                for i in range(new.size):
                    gradient[i] += curvature[j, i] * step
                largest = max(largest, abs(step) * np.sqrt(h))
        if largest <= tol:
            break
    return new
