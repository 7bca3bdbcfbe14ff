"""Oracles of monitors: the definitions, term by term. Imports nothing of ours."""

from __future__ import annotations

from math import exp, log, log2, prod, sqrt

import numpy as np


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


def moved(d, v, c, j, g):
    """Quadratic forms and determinants of the covariances diag(v) + c, and of that with g added from entry j on."""
    forms, determinants = [], []
    for extra in (0.0, g):
        matrix = np.diag(v) + c
        matrix[j:, j:] += extra
        forms.append(float(d @ np.linalg.solve(matrix, d)))
        determinants.append(np.linalg.det(matrix))
    return forms, determinants


STARTS, STAKES = (1, 2, 3, 5, 8, 13, 21), (0.6, *[0.4 / 6] * 6)


def order_ratio(numbers, start, weight):
    """How much likelier an order is, drawn by weights from its beginning on, than if all are alike; numbers from 1."""
    left = [weight if number >= start else 1.0 for number in numbers]
    ratio = 1.0
    while left:
        ratio *= len(left) * left[0] / sum(left)
        left.pop(0)
    return ratio


def batch_evidence(d, sizes, n_reference, spread, places, reference=()):
    """Of means of batches less that of the reference; places within ranks are given."""
    from scipy.stats import norm

    t = len(d)
    lambdas = [sign * size for sign in (1, -1) for size in (0.25, 0.5, 1.0, 1.5, 2.0)]
    ordered, z = [(value, 0) for value in sorted(reference)], []
    for i in range(t):
        below, equal = sum(x < d[i] for x, _ in ordered), sum(x == d[i] for x, _ in ordered)
        place = below + places[i] * (1 + equal)
        ordered.insert(int(place), (d[i], i + 1))
        z.append(norm.ppf(place / len(ordered)))
    reserve = [0.5 / log2(i + 2) for i in range(t + 1)]
    staked = [0.5 + reserve[0] - reserve[1], *(reserve[i] - reserve[i + 1] for i in range(1, t))]
    among = reserve[t] + sum(
        staked[a] * prod(exp(lam * z[i] - lam**2 / 2) for i in range(a, t)) for lam in lambdas for a in range(t)
    ) / len(lambdas)
    numbers = [number for _, number in ordered]
    weights = [exp(sign * size) for sign in (1, -1) for size in (0.75, 1.5, 3.0)]
    ratios = [
        1.0 if j > t else np.mean([order_ratio(way, j, w) for w in weights for way in (numbers, numbers[::-1])])
        for j in STARTS
    ]
    if reference:
        return 0.2 * among + 0.8 * np.dot(STAKES, ratios)
    models, d, sizes = [], d[:30], sizes[:30]
    t = len(d)
    for v, c in (([1 / n for n in sizes], 1 / n_reference), ([1.0] * t, sizes[0] / n_reference)):
        least = 0.25 * spread * sum(1 / (size * each) for size, each in zip(sizes, v, strict=True))
        value = 0.0
        for j, share in zip(STARTS, STAKES, strict=True):
            if j > t:
                value += share
                continue
            forms, determinants = moved(np.array(d), np.array(v), c, j - 1, 6 * v[0])
            room = max(0.0, least - forms[1])
            ratio = ((forms[0] + room) / (forms[1] + room)) ** (t / 2)
            value += share * sqrt(determinants[0] / determinants[1]) * ratio
        models.append(value)
    return max(0.35 * (0.2 * among + 0.8 * np.mean(ratios[1:])), 0.65 * min(models))


def reviewed(batches, bets):
    """Wealth of bets staked batch by batch: of each batch the x by every measure, of which the worst counts."""
    n = len(batches)
    reserve = [0.5 / log2(b + 2) for b in range(n + 1)]
    staked = [0.5 + reserve[0] - reserve[1], *(reserve[b] - reserve[b + 1] for b in range(1, n))]
    return reserve[n] + sum(
        staked[a] * prod(min(prod(1 + bet * x for x in measure) for measure in batch) for batch in batches[a:])
        for bet in bets
        for a in range(n)
    ) / len(bets)


def weighted_distance(values, weights, limit):
    """How far the weighted sum is from what a limit says, and the V that goes with it."""
    gaps = [w * (x - limit) for x, w in zip(values, weights, strict=True)]
    return abs(sum(gaps)), sum(gap**2 for gap in gaps)
