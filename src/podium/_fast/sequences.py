"""Loops over rows in the order in which they come: ranks among all earlier ones, wealth of bets. O(n)."""

from __future__ import annotations

import numpy as np

from podium._fast.compiled import compiled


@compiled
def count_earlier(counts, cells):
    """For every row, how many counted so far are in lower cells and in its own; then the row is counted, too.

    A tree of partial sums (Fenwick, 1994) makes it a logarithm of the number of cells per row.
    """
    n_cells = len(counts)
    tree = np.zeros(n_cells + 1, np.int64)
    for i in range(n_cells):
        j = i + 1
        while j <= n_cells:
            tree[j] += counts[i]
            j += j & -j
    below, equal = np.empty(len(cells), np.int64), np.empty(len(cells), np.int64)
    for t in range(len(cells)):
        cell, total = cells[t], 0
        j = cell
        while j > 0:
            total += tree[j]
            j -= j & -j
        below[t], equal[t] = total, counts[cell]
        counts[cell] += 1
        j = cell + 1
        while j <= n_cells:
            tree[j] += 1
            j += j & -j
    return below, equal


@compiled
def play(wealth, bets, x, fresh, reserve, boundary):
    """Wealth of every bet after every x, w ← (w + fresh)(1 + bet·x), in place; the reserve is not staked.

    Returns the largest mean wealth, reserve included, and after how many x it first reached the boundary (−1: never).
    """
    largest, first = -1.0, -1
    for t in range(len(x)):
        total = 0.0
        for g in range(len(bets)):
            wealth[g] = min((wealth[g] + fresh[t]) * (1 + bets[g] * x[t]), 1e300)
            total += wealth[g]
        mean = reserve[t] + total / len(bets)
        largest = max(largest, mean)
        if first < 0 and mean >= boundary:
            first = t + 1
    return largest, first


@compiled
def refuted_after(is_positive, bets, slopes, total, boundary):
    """After how many rows the wealth of bets against so many positives in all reaches the boundary; −1: never.

    Bets lose with every positive. With ``left`` positives among a row and m later ones, its odds of being one are at
    least left · slope/(m − left + 1). More positives than rows are refuted at once.
    """
    n, left, wealth = len(is_positive), total, 1.0
    if left > n:
        return 0
    for i in range(n):
        later = n - 1 - i
        odds = left * slopes[i]
        chance = odds / (odds + later - left + 1)
        wealth *= 1 + bets[i] * (chance - is_positive[i])
        left -= is_positive[i]
        if wealth >= boundary or left > later:
            return i + 1
    return -1
