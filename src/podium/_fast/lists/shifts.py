"""Rank sums of the positives after one item has left the list or joined it, at every tie group: O(G) for G groups.

An item that leaves lowers the ranks of everything above it by 1 and takes the last rank from what ties with it; one
that joins raises them and gives its tie group one rank more. The mean scores of the groups over their old and new ranks
come in as arrays; groups ascend. Long arrays are NumPy's own, which lie on huge pages, not made in compiled loops.
"""

from __future__ import annotations

import numpy as np

from podium._fast.compiled import compiled, compiled_reduction


def sums_above(pos, above):
    """Σ_{h>g} pos_h·above_h for every group g."""
    result = np.empty(len(above))
    _add_from_top(pos, above, result)
    return result


def sums_without(pos, unchanged, shrunk, lowered):
    """Sums once an item of group g has left: a positive, and a negative."""
    return _changed_sums(pos, unchanged, shrunk, lowered, -1)


def sums_with(pos, unchanged, grown, raised):
    """Sums once an item has joined the tie of group g: a positive, and a negative."""
    return _changed_sums(pos, unchanged, grown, raised, 1)


def _changed_sums(pos, unchanged, own, above, change):
    positive, negative = np.empty(len(pos)), sums_above(pos, above)
    _add_from_below(pos, unchanged, own, change, positive, negative)
    return positive, negative


@compiled
def _add_from_top(pos, above, result):
    total = 0.0
    for g in range(len(pos) - 1, -1, -1):
        result[g] = total
        total += pos[g] * above[g]


@compiled
def _add_from_below(pos, unchanged, own, change, positive, negative):
    """``negative`` holds the sums of the groups above."""
    below = 0.0
    for g in range(len(pos)):
        others = below + negative[g]
        positive[g] = others + (pos[g] + change) * own[g]
        negative[g] = others + pos[g] * own[g]
        below += pos[g] * unchanged[g]


@compiled_reduction
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


@compiled_reduction
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


@compiled_reduction
def losses(values, mass, level, direction, power):
    """Sums of powers, 1 or 2 and the next, of how far values lie beyond ``level`` in the direction −1 or +1."""
    lower = higher = 0.0
    for g in range(len(values)):
        loss = max(direction * (values[g] - level), 0.0)
        raised = mass[g] * (loss if power == 1 else loss * loss)
        lower += raised
        higher += raised * loss
    return lower, higher
