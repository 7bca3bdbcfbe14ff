"""Oracles of monitors: the definitions, term by term. Imports nothing of ours."""

from __future__ import annotations

from math import exp, log, log2, prod


def mean_wealth(bets, x):
    """After every x: the reserve, and the mean over bets of what was staked at each time and multiplied since."""
    n = len(x)
    reserve = [0.5 / log2(t + 2) for t in range(n + 1)]
    staked = [0.5 + reserve[0] - reserve[1], *(reserve[t] - reserve[t + 1] for t in range(1, n))]
    return [
        reserve[t]
        + sum(sum(staked[s] * prod(1 + bet * x[i] for i in range(s, t)) for s in range(t)) for bet in bets) / len(bets)
        for t in range(1, n + 1)
    ]


def mixture(distance, v):
    """Wealth of those who bet that the sum is too far away, at rates 2⁻ᵏ with shares as 1/(k(k + 1))."""
    shares = [1 / (k * (k + 1)) for k in range(1, 17)]
    wealth = [exp(0.5**k * distance + (log(1 - 0.5**k) + 0.5**k) * v) for k in range(1, 17)]
    return sum(a * b for a, b in zip(shares, wealth, strict=True)) / sum(shares)
