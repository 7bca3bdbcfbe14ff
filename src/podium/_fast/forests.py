"""Forests as arrays: nodes in the order of a walk that goes left first, so that only right children are stored."""

from __future__ import annotations

import numpy as np

from podium._fast.compiled import compiled


@compiled
def left_first(left, right, order, place):
    """The nodes of a tree in the order of that walk, and the place of every node in it; leaves have no children: −1."""
    pending = np.empty(left.size, dtype=np.int64)
    pending[0], n_pending, count = 0, 1, 0
    while n_pending > 0:
        n_pending -= 1
        node = pending[n_pending]
        order[count], place[node] = node, count
        count += 1
        if left[node] >= 0:
            pending[n_pending], pending[n_pending + 1] = right[node], left[node]
            n_pending += 2


@compiled
def add_leaves(X, roots, column, number, right, missing_left, out):
    """Add to every row the numbers of its leaves; where ``column`` is −1 a leaf, else rows up to ``number`` go left."""
    for root in roots:
        for i in range(X.shape[0]):
            node = root
            while column[node] >= 0:
                x = X[i, column[node]]
                goes_left = missing_left[node] if np.isnan(x) else x <= number[node]
                node = node + 1 if goes_left else right[node]
            out[i] += number[node]
