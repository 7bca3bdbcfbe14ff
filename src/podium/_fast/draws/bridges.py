"""Does a sorted uniform sample stay between two boundaries? The Poisson-bridge recursion, exact.

Given that a Poisson process of rate n has n points on [0, 1], they are n sorted uniforms U_(1) < … < U_(n). So carry
the distribution of the number of points so far from boundary point to boundary point: convolve it with Poisson(n·dt),
cut the counts that break a boundary, and at the end divide by the probability of n points. O(n·w·k) with w the counts
that are possible at a time (about √n) and k the terms of a Poisson distribution between neighbors (about 15).
"""

from __future__ import annotations

import math

import numpy as np

from podium._fast.compiled import compiled

# Counts and Poisson terms below this share of the largest are dropped: far below what a sum of doubles can show.
NEGLIGIBLE = 1e-20


@compiled
def _poisson_terms(mean, most, term):
    """Write the terms mean^d/d!, d = 0, 1, …, that count, at most up to d = most; how many they are."""
    n_terms = 1
    term[0] = 1.0
    largest = 1.0
    while n_terms <= most:
        term[n_terms] = term[n_terms - 1] * mean / n_terms
        largest = max(largest, term[n_terms])
        n_terms += 1
        if n_terms > mean and term[n_terms - 1] < NEGLIGIBLE * largest:
            break
    return n_terms


@compiled
def log_stay_probability(low, high):
    """Logarithm of P(low_i ≤ U_(i) ≤ high_i for all i), both boundaries ascending, of the same length n, in [0, 1]."""
    n = len(low)
    state = np.zeros(n + 1)  # state[c]: probability of c points so far, up to a factor exp(log_scale)
    fresh = np.zeros(n + 1)
    term = np.empty(n + 1)
    state[0] = 1.0
    first = last = 0  # the counts of positive probability
    i = j = 0  # boundary points passed: i of low, j of high
    here = 0.0
    log_scale = 0.0
    while i < n or j < n:
        # At low_i at most i points (from 0) may have come; at high_j at least j + 1.
        from_low = i < n and (j >= n or low[i] <= high[j])
        there = low[i] if from_low else high[j]
        most = i if from_low else min(i, n)
        least = j if from_low else j + 1
        step = n * (there - here)
        if step > 0:
            n_terms = _poisson_terms(step, most - first, term)
            for c in range(max(first, least), most + 1):
                total = 0.0
                for d in range(max(0, c - last), min(n_terms, c - first + 1)):
                    total += state[c - d] * term[d]
                fresh[c] = total
            last = most
            state, fresh = fresh, state
            log_scale -= step
        first, last = max(first, least), min(last, most)
        if first > last:
            return -np.inf
        top = 0.0
        for c in range(first, last + 1):
            top = max(top, state[c])
        if top == 0.0:
            return -np.inf
        while state[first] < NEGLIGIBLE * top:
            first += 1
        while state[last] < NEGLIGIBLE * top:
            last -= 1
        for c in range(first, last + 1):
            state[c] /= top
        log_scale += math.log(top)
        here = there
        if from_low:
            i += 1
        else:
            j += 1
    # From the last boundary point to 1: exactly the missing points.
    rest = n * (1.0 - here)
    total = 0.0
    for c in range(first, last + 1):
        missing = n - c
        if rest > 0:
            total += state[c] * math.exp(missing * math.log(rest) - math.lgamma(missing + 1.0))
        elif missing == 0:
            total += state[c]
    return math.log(total) + log_scale - rest - (n * math.log(n) - n - math.lgamma(n + 1.0))
