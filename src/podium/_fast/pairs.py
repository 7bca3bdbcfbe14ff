"""Sums of powers of positive parts over all pairs, at each of many thresholds."""

from __future__ import annotations

import numpy as np

from podium._fast.compiled import compiled


@compiled
def hinge_sums(values, mass, thresholds):
    """Σ_i mass_i (t − values_i)₊^k for k = 0, 1, 2 at ascending thresholds t; values ascending. O(N).

    Walking upwards by d turns the sums (S₀, S₁, S₂) of powers into (S₀, S₁ + d·S₀, S₂ + 2d·S₁ + d²·S₀): only
    non-negative numbers are added, so nothing cancels, whatever the scale of the scores.
    """
    zeroth = np.empty(len(thresholds))
    first = np.empty(len(thresholds))
    second = np.empty(len(thresholds))
    s0 = s1 = s2 = 0.0
    here = 0.0
    i = 0
    for k in range(len(thresholds)):
        while i < len(values) and values[i] < thresholds[k]:
            d = values[i] - here if s0 > 0 else 0.0
            s2 += d * (2 * s1 + d * s0)
            s1 += d * s0
            s0 += mass[i]
            here = values[i]
            i += 1
        d = thresholds[k] - here if s0 > 0 else 0.0
        s2 += d * (2 * s1 + d * s0)
        s1 += d * s0
        here = thresholds[k]
        zeroth[k] = s0
        first[k] = s1
        second[k] = s2
    return zeroth, first, second
