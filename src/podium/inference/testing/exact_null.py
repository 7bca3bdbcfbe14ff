"""The exact null distribution of a linear rank statistic: all ways to split the pooled scores."""

from __future__ import annotations

import math

import numpy as np

from podium._types import Array, FloatArray
from podium.exceptions import InputError

_MOST_STATES = 3_000_000  # distinct (size, sum) pairs held at a time
_QUICK_SPLITS = 20_000
_QUICK_ROWS = 40


def feasible(scores: FloatArray, n_drawn: int, n_steps: float) -> bool:
    """Whether the exact distribution takes no noticeable time: few splits, or few rows whose sums lie on a lattice."""
    if math.comb(len(scores), n_drawn) <= _QUICK_SPLITS:
        return True
    return len(scores) <= _QUICK_ROWS and not (_on_lattice(scores, n_steps) % (1 << 32)).any()


def exact_tails(scores: FloatArray, n_drawn: int, n_steps: float) -> tuple[float, float]:
    """P(W ≤ w) and P(W ≥ w) for W the sum of ``n_drawn`` of the scores at random, w that of the first ones.

    Items are taken in one by one; splits of equal size and equal sum are merged. Scores on a lattice (φ(u) = u, also
    with ties) have few distinct sums, so their cost is polynomial; others cost as much as there are splits.
    ``n_steps`` is the number of lattice steps from the least to the largest score, if there is a lattice.
    """
    keys = _on_lattice(scores, n_steps)
    observed = int(keys[:n_drawn].sum())
    sums: list[Array] = [np.zeros(1, np.int64)] + [np.empty(0, np.int64)] * n_drawn
    ways: list[FloatArray] = [np.ones(1)] + [np.empty(0)] * n_drawn
    for key in keys:
        for size in range(n_drawn, 0, -1):
            if len(sums[size - 1]):
                sums[size], ways[size] = _merged(
                    np.concatenate([sums[size], sums[size - 1] + key]), np.concatenate([ways[size], ways[size - 1]])
                )
        if sum(map(len, sums)) > _MOST_STATES:
            raise InputError(
                f"The exact distribution has too many values to list; got {n_drawn} of {len(scores)} items.",
                "method='permutation' draws from it.",
            )
    total = ways[n_drawn].sum()
    return (
        float(ways[n_drawn][sums[n_drawn] <= observed].sum() / total),
        float(ways[n_drawn][sums[n_drawn] >= observed].sum() / total),
    )


def _merged(sums: Array, ways: FloatArray) -> tuple[Array, FloatArray]:
    distinct, where = np.unique(sums, return_inverse=True)
    return distinct, np.asarray(np.bincount(where, weights=ways), dtype=np.float64)


def _on_lattice(scores: FloatArray, n_steps: float) -> Array:
    """Scores as whole numbers, so that equal sums are equal: 2³² to a step, to which all others are rounded."""
    relative = (scores - scores.min()) / np.ptp(scores)
    return np.rint(relative * n_steps * 2.0**32).astype(np.int64)
