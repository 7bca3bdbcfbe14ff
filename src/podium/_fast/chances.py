"""The chance of a positive as a line on the logit scale, by Firth's penalized likelihood."""

from __future__ import annotations

import numpy as np

from podium._fast.compiled import compiled

_MOST_STEPS, _CLOSE, _LONGEST = 60, 1e-7, 3.0


@compiled
def line_of_chances(x, positives, known):
    """Level and slope in x, of which ``known`` rows stand at each value, so many of them positive.

    With h = w (1, x) I⁻¹ (1, x)ᵀ and I the information, Σ (1, x)ᵀ {y − n p + h (½ − p)} = 0 (Firth 1993).
    """
    level, slope = 0.0, 0.0
    for _ in range(_MOST_STEPS):
        a, b, c = 1e-6, 0.0, 1e-6  # the information: Σw, Σwx, Σwx²
        for i in range(x.size):
            p = 1 / (1 + np.exp(-level - slope * x[i]))
            w = known[i] * p * (1 - p)
            a += w
            b += w * x[i]
            c += w * x[i] * x[i]
        det = a * c - b * b
        u, v = 0.0, 0.0
        for i in range(x.size):
            p = 1 / (1 + np.exp(-level - slope * x[i]))
            h = known[i] * p * (1 - p) * (c - 2 * b * x[i] + a * x[i] * x[i]) / det
            score = positives[i] - known[i] * p + h * (0.5 - p)
            u += score
            v += score * x[i]
        step, turn = (c * u - b * v) / det, (a * v - b * u) / det
        longest = max(abs(step), abs(turn))
        part = min(1.0, _LONGEST / max(longest, _CLOSE))
        level += part * step
        slope += part * turn
        if longest < _CLOSE:
            break
    return level, slope
