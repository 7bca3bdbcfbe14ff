"""Sums over rows: moments, log-sum-exps, tilted sums, sums over pairs; tails, and quadratics with an L1 penalty."""

from __future__ import annotations

import math

import numpy as np

from podium._fast.compiled import compiled, compiled_reduction

# Weight, mean and sum of squares about it, in one pass over memory.


_BLOCK = 2048  # rows that stay in the nearest cache between the mean and the squares about it


@compiled_reduction
def spread(values, weight):
    """Moments by blocks, each centered on its own mean, then merged: no cancellation however large an outlier.

    ``weight`` is None where all weigh one.
    """
    total, mean, squares = 0.0, 0.0, 0.0
    for start in range(0, values.size, _BLOCK):
        block = values[start : start + _BLOCK]
        block_weight, block_sum, block_squares = 0.0, 0.0, 0.0
        for i in range(block.size):
            w = 1.0 if weight is None else weight[start + i]
            block_weight += w
            block_sum += w * block[i]
        block_mean = block_sum / block_weight
        for i in range(block.size):
            w = 1.0 if weight is None else weight[start + i]
            block_squares += w * (block[i] - block_mean) ** 2
        share = block_weight / (total + block_weight)
        shift = block_mean - mean
        squares += block_squares + shift * shift * total * share
        mean += shift * share
        total += block_weight
    return total, mean, squares


# The exponential and the IR push over rows as they come: what stands before and after NumPy's exp, O(N).
#
# NumPy's exp works on several numbers at once, a compiled one does not: these loops fill and read a block of rows that
# stays in cache between them. A class is chosen by value, not by a branch, which random labels would mispredict.


@compiled_reduction
def class_edges(scores, is_positive):
    """The least score of a positive and the largest of a negative."""
    lowest, highest = np.inf, -np.inf
    for i in range(scores.size):
        lowest = min(lowest, scores[i] if is_positive[i] else np.inf)
        highest = max(highest, -np.inf if is_positive[i] else scores[i])
    return lowest, highest


@compiled
def exponents(scores, is_positive, lowest, highest, up, down, out):
    """up·(lowest − s) of positives and down·(s − highest) of negatives: none is above zero."""
    for i in range(scores.size):
        out[i] = up * (lowest - scores[i]) if is_positive[i] else down * (scores[i] - highest)


@compiled_reduction
def class_sums(terms, is_positive, weight):
    """Σ w·term over positives, and over negatives."""
    of_positives = of_negatives = 0.0
    for i in range(terms.size):
        term = terms[i] if weight is None else weight[i] * terms[i]
        of_positives += term if is_positive[i] else 0.0
        of_negatives += 0.0 if is_positive[i] else term
    return of_positives, of_negatives


@compiled
def scale_by_class(terms, is_positive, weight, of_positives, of_negatives):
    """Multiply every term by its weight and by the factor of its class."""
    for i in range(terms.size):
        factor = of_positives if is_positive[i] else of_negatives
        terms[i] *= factor if weight is None else weight[i] * factor


@compiled
def folded_exponents(scores, is_positive, level, highest, out):
    """−|level − s| of positives and s − highest of negatives: none is above zero."""
    for i in range(scores.size):
        out[i] = -abs(level - scores[i]) if is_positive[i] else scores[i] - highest


@compiled_reduction
def sigmoid_sums(scores, is_positive, weight, level, folded, logs):
    """Σ w, Σ w·log(1 + e^z) and Σ w·σ(z) over positives, z = level − s; e^(−|z|) and its log1p are given."""
    count = costs = sigmoids = 0.0
    for i in range(scores.size):
        w = 1.0 if weight is None else weight[i]
        w = w if is_positive[i] else 0.0
        z = level - scores[i]
        count += w
        costs += w * (max(z, 0.0) + logs[i])
        sigmoids += w * ((1.0 if z > 0 else folded[i]) / (1 + folded[i]))
    return count, costs, sigmoids


@compiled
def sigmoids_by_class(scores, is_positive, weight, level, terms, of_positives, of_negatives):
    """From e^(−|z|) to σ(z) of positives, z = level − s; then every term times its weight and factor."""
    for i in range(scores.size):
        sigmoid = (1.0 if level > scores[i] else terms[i]) / (1 + terms[i])
        term = of_positives * sigmoid if is_positive[i] else of_negatives * terms[i]
        terms[i] = term if weight is None else weight[i] * term


# The exponential push along a line, from its gradient alone: steps (b) to (e) of R09's Figure 2, separated.
#
# Positives have g_i = w_i e^(−f_i)/Σ > 0, negatives −g_k = w_k e^(p f_k)/Σ > 0: two sets of shares. Moving f by α·h
# tilts them by e^(−αh) and e^(pαh). O(n + m), where the pair matrix costs O(nm).


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


# Sums of powers of positive parts over all pairs, at each of many thresholds.


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


@compiled
def draw_in_tails(values, center, scale, straight, step, out):
    """(x − center)/scale, beyond ±straight its logarithm; the center where x is not finite.

    Rounded to a multiple of ``step``, a power of two, unless that is 0.
    """
    for i in range(values.size):
        z = (values[i] - center) / scale if np.isfinite(values[i]) else 0.0
        beyond = abs(z) - straight
        z = np.copysign(straight + np.log1p(beyond), z) if beyond > 0 else z
        out[i] = np.floor(z * (1 / step) + 0.5) * step if step > 0 else z


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
