"""Sums of powers of positive parts over all pairs, at each of many thresholds."""

from __future__ import annotations

import numpy as np

from podium._fast.compiled import compiled


@compiled
def hinge_sums(values, mass, thresholds, power):
    """Σ_i mass_i (t − values_i)₊^p at ascending thresholds t, its derivative in t first; p = 1 or 2, values ascending.

    Walking upwards by d turns the sums (S₀, S₁, S₂) of powers into (S₀, S₁ + d·S₀, S₂ + 2d·S₁ + d²·S₀): only
    non-negative numbers are added, so nothing cancels, whatever the scale of the scores. Values and thresholds are
    merged without branches, as their order is random; ``mass`` is None where all weigh one. O(N).
    """
    n, m = values.size, thresholds.size
    derivatives, sums = np.empty(m), np.empty(m)
    if n == 0 or m == 0:
        derivatives[:] = 0.0
        sums[:] = 0.0
        return derivatives, sums
    s0 = s1 = s2 = 0.0
    here = min(values[0], thresholds[0])
    i = k = 0
    while i < n and k < m:
        value, threshold = values[i], thresholds[k]
        is_value = value < threshold
        there = min(value, threshold)
        d = there - here
        s2 += d * (2 * s1 + d * s0)
        s1 += d * s0
        derivatives[k], sums[k] = (s0, s1) if power == 1 else (2 * s1, s2)  # final once k moves on
        s0 += is_value * (1.0 if mass is None else mass[i])
        here = there
        i += is_value
        k += 1 - is_value
    for j in range(k, m):
        d = thresholds[j] - here
        s2 += d * (2 * s1 + d * s0)
        s1 += d * s0
        derivatives[j], sums[j] = (s0, s1) if power == 1 else (2 * s1, s2)
        here = thresholds[j]
    return derivatives, sums
