r"""The exponential push along a line, from its gradient alone: steps (b) to (e) of R09's Figure 2, separated.

Positives have g_i = w_i e^(−f_i)/Σ > 0, negatives −g_k = w_k e^(p f_k)/Σ > 0: two sets of shares. Moving f by α·h tilts
them by e^(−αh) and e^(pαh). O(n + m), where the pair matrix costs O(nm).
"""

from __future__ import annotations

import math

import numpy as np

from podium._fast.compiled import compiled


@compiled
def tilted_moments(gradient, direction, up, down, shift_up, shift_down):
    """Σ c, Σ c·h and Σ c·h², c = g·e^(up·h − shift) over g > 0; then the same over g < 0 with −g and ``down``."""
    a0 = a1 = a2 = b0 = b1 = b2 = 0.0
    for r in range(gradient.size):
        g, h = gradient[r], direction[r]
        if g > 0:
            c = g * math.exp(up * h - shift_up)
            a0 += c
            a1 += c * h
            a2 += c * h * h
        elif g < 0:
            c = -g * math.exp(down * h - shift_down)
            b0 += c
            b1 += c * h
            b2 += c * h * h
    return a0, a1, a2, b0, b1, b2


@compiled
def tilted(gradient, direction, up, down, shift_up, shift_down):
    """The shares tilted, each class scaled to its sum before; and the logarithm of each scale before that."""
    result = np.empty_like(gradient)
    total_up = total_down = sum_up = sum_down = 0.0
    for r in range(gradient.size):
        g, h = gradient[r], direction[r]
        if g > 0:
            result[r] = g * math.exp(up * h - shift_up)
            total_up += g
            sum_up += result[r]
        elif g < 0:
            result[r] = g * math.exp(down * h - shift_down)
            total_down -= g
            sum_down -= result[r]
        else:
            result[r] = 0.0
    for r in range(gradient.size):
        result[r] *= total_up / sum_up if result[r] > 0 else total_down / sum_down
    return result, math.log(sum_up / total_up) + shift_up, math.log(sum_down / total_down) + shift_down


@compiled
def class_ranges(gradient, direction):
    """Least and largest h over g > 0, then over g < 0."""
    low_up = low_down = np.inf
    high_up = high_down = -np.inf
    for r in range(gradient.size):
        h = direction[r]
        if gradient[r] > 0:
            low_up, high_up = min(low_up, h), max(high_up, h)
        elif gradient[r] < 0:
            low_down, high_down = min(low_down, h), max(high_down, h)
    return low_up, high_up, low_down, high_down


@compiled
def shares_by_side(gradient, chosen):
    """Σ g over g > 0 where ``chosen`` is one and where it is zero, then Σ −g over g < 0 likewise.

    All four are summed: near one, a share says nothing about what is left of it.
    """
    sums = np.zeros(4)
    for r in range(gradient.size):
        side = 0 if chosen[r] > 0 else 1
        if gradient[r] > 0:
            sums[side] += gradient[r]
        else:
            sums[2 + side] -= gradient[r]
    return sums
