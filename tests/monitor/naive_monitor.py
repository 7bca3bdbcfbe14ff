"""Oracles of monitors: the definitions, term by term. Imports nothing of ours."""

from __future__ import annotations

from math import exp, log, log2, prod, sqrt


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


def first_at(wealth, boundary):
    """After how many observations the wealth first reached the boundary, or None."""
    return next((t for t, value in enumerate(wealth, start=1) if value >= boundary), None)


def betting_limit(x, error):
    """The m at which a player who bets on values above m, the less the more those before varied, has 1/error."""
    n, rates, squares = len(x), [], 0.0
    for i in range(n):
        rates.append(sqrt(2 * log(1 / error) / (n * (0.25 + squares) / (i + 1))))
        squares += (x[i] - (0.5 + sum(x[:i])) / (i + 1)) ** 2

    def wealth(m):
        return prod(1 + min(rate, 0.9 / m) * (value - m) for rate, value in zip(rates, x, strict=True))

    low, high = 1e-6, 1.0
    for _ in range(40):  # the wealth falls as m grows
        middle = (low + high) / 2
        low, high = (middle, high) if wealth(middle) > 1 / error else (low, middle)
    return low if low > 2e-6 else 0.0


def rank_bounds(reference, earlier, value):
    """The gaps below that of a new score, and those within it, among the reference and all new scores before it."""
    gap = sum(edge < value for edge in reference)
    gaps = [*range(len(reference) + 1), *(sum(edge < z for edge in reference) for z in earlier)]
    return sum(g < gap for g in gaps), gaps.count(gap)
