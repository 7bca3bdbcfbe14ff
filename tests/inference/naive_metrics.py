"""Slow, obvious definitions for metrics of the top of the list; nothing of ours is imported."""

import numpy as np


def average_precision(y, s):
    """Mean over the positives of the share of positives among the rows that score as high as they do."""
    return np.mean([np.mean(y[s >= t]) for t in s[y]])


def jackknife_variance(y, s, metric):
    """(n − 1)/n Σ(a_{−i} − ā)² over the positives, and the same over the negatives."""
    total = 0.0
    for rows in (np.flatnonzero(y), np.flatnonzero(~y)):
        left_out = np.array([metric(np.delete(y, i), np.delete(s, i)) for i in rows])
        total += (len(rows) - 1) / len(rows) * np.sum((left_out - left_out.mean()) ** 2)
    return total


def event(y, s, metric, direction):
    """Σe³/Σe² of the losses (−1) or gains (+ 1) when a negative joins each positive, or a positive each negative."""
    value, squares, cubes = metric(y, s), 0.0, 0.0
    for rows, joins in ((y, False), (~y, True)):
        changes = np.array([metric(np.append(y, joins), np.append(s, t)) - value for t in s[rows]])
        sizes = np.maximum(direction * changes, 0)
        squares, cubes = squares + np.mean(sizes**2), cubes + np.mean(sizes**3)
    return cubes / squares if squares > 0 else 0.0


def recall_influence(y, s, k, chance_at_cut):
    """Influence values of the recall at k, row by row; of a tie group at the cut a part is above it."""

    def part_above(t):
        return float(np.clip((k - np.sum(s > t)) / np.sum(s == t), 0, 1))

    above = np.array([part_above(t) for t in s])
    values = np.empty(len(y))
    values[y] = (1 - chance_at_cut) * (above[y] - above[y].mean())
    values[~y] = -chance_at_cut * np.sum(~y) / np.sum(y) * (above[~y] - above[~y].mean())
    return values
