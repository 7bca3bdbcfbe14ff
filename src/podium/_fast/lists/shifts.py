"""Rank sums of the positives after one item has left the list or joined it, at every tie group: O(G) for G groups.

An item that leaves lowers the ranks of everything above it by 1 and takes the last rank from what ties with it; one
that joins raises them and gives its tie group one rank more. The mean scores of the groups over their old and new ranks
come in as arrays; groups ascend.
"""

from __future__ import annotations

import numpy as np

from podium._fast.compiled import compiled


@compiled
def sums_above(pos, above):
    """Σ_{h>g} pos_h·above_h for every group g."""
    result = np.empty(len(above))
    total = 0.0
    for g in range(len(pos) - 1, -1, -1):
        result[g] = total
        total += pos[g] * above[g]
    return result


@compiled
def sums_without(pos, unchanged, shrunk, lowered):
    """Sums once an item of group g has left: a positive, and a negative."""
    negative = sums_above(pos, lowered)
    positive = np.empty(len(negative))
    below = 0.0
    for g in range(len(pos)):
        others = below + negative[g]
        positive[g] = others + (pos[g] - 1) * shrunk[g]
        negative[g] = others + pos[g] * shrunk[g]
        below += pos[g] * unchanged[g]
    return positive, negative


@compiled
def sums_with(pos, unchanged, grown, raised):
    """Sums once an item has joined the tie of group g: a positive, and a negative."""
    negative = sums_above(pos, raised)
    positive = np.empty(len(negative))
    below = 0.0
    for g in range(len(pos)):
        others = below + negative[g]
        positive[g] = others + (pos[g] + 1) * grown[g]
        negative[g] = others + pos[g] * grown[g]
        below += pos[g] * unchanged[g]
    return positive, negative


@compiled
def total(values, mass):
    """Sum of values that occur ``mass`` times."""
    result = 0.0
    for g in range(len(values)):
        result += mass[g] * values[g]
    return result


@compiled
def half_cumulated(mass):
    """Mass below each group, and half of its own."""
    result = np.empty(len(mass))
    below = 0.0
    for g in range(len(mass)):
        result[g] = below + mass[g] / 2
        below += mass[g]
    return result


@compiled
def spread(values, mass):
    """Mean, and sum of squares about it, of values that occur ``mass`` times."""
    count = total = 0.0
    for g in range(len(values)):
        count += mass[g]
        total += mass[g] * values[g]
    mean = total / count
    squares = 0.0
    for g in range(len(values)):
        squares += mass[g] * (values[g] - mean) ** 2
    return mean, squares


@compiled
def losses(values, mass, level, direction, power):
    """Sums, of this power and of the next, of how far the values lie beyond ``level`` in the direction −1 or +1."""
    lower = higher = 0.0
    for g in range(len(values)):
        loss = max(direction * (values[g] - level), 0.0)
        lower += mass[g] * loss**power
        higher += mass[g] * loss ** (power + 1)
    return lower, higher
