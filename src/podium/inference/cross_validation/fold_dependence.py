"""How much the folds of a cross-validation depend on each other, through the models that they helped to fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

import numpy as np

from podium._types import Array, BoolArray

Split = tuple[Array, Array]  # rows trained on, rows held out
_NEIGHBORS = 2  # pairs of folds at most so far apart, in a circle: all pairs of up to five folds, 2V of V folds


def dependence_variance(
    splits: Sequence[Split],
    omegas: Sequence[float],
    is_positive: BoolArray,
    omegas_of: Callable[[Sequence[Split], Sequence[int]], list[tuple[float, float]]],
) -> float | None:
    r"""The part of the variance of the mean of ω̂ over folds that comes from fits sharing rows; None if unknown.

    Fold v is held out from its own model but helped to fit the model of every other fold w. Let
    Δ_vw = ω̂_v(model without v) − ω̂_v(model without v and w) be what the rows of w change in the figure of v. To first
    order the errors of the two folds have the covariance E Δ_vw Δ_wv, so that

    .. math:: \Bigl(1 - \frac1V\Bigr) \operatorname{mean}_{v < w} \Delta_{vw} \Delta_{wv}

    is to be added; 0 if it is negative. The mean of Δ, what more rows gain, is not subtracted: it pays for the
    model that is refitted to all rows. ``omegas_of`` fits the models of splits that hold out two folds, the first of
    which has so many rows, and gives ω̂ of both.
    """
    products: list[float] = []
    shares: list[float] = []
    for partition in partitions(splits):
        pairs = [(v, w) for v, w in _neighbors(partition) if _has_both(is_positive[_common(splits[v], splits[w])])]
        without_both = [(_common(splits[v], splits[w]), np.append(splits[v][1], splits[w][1])) for v, w in pairs]
        refitted = omegas_of(without_both, [len(splits[v][1]) for v, _ in pairs]) if pairs else []
        for (v, w), (omega_v, omega_w) in zip(pairs, refitted, strict=True):
            products.append((omegas[v] - omega_v) * (omegas[w] - omega_w))
            shares.append(1 - 1 / len(partition))
    return max(0.0, float(np.dot(shares, products)) / len(products)) if products else None


def partitions(splits: Sequence[Split]) -> list[list[int]]:
    """Successive splits whose held-out parts do not overlap: one list for each repetition of a cross-validation."""
    parts: list[list[int]] = []
    seen: set[int] = set()
    for number, (_, held_out) in enumerate(splits):
        rows = set(held_out.tolist())
        if not parts or seen & rows:
            parts.append([])
            seen = set()
        parts[-1].append(number)
        seen |= rows
    return parts


def _neighbors(partition: Sequence[int]) -> Iterator[tuple[int, int]]:
    size = len(partition)
    for i, j in combinations(range(size), 2):
        if min(j - i, size - j + i) <= _NEIGHBORS:
            yield partition[i], partition[j]


def _common(one: Split, other: Split) -> Array:
    """Rows that both models were trained on, neither of whose folds holds them out."""
    return np.intersect1d(one[0], other[0])


def _has_both(labels: BoolArray) -> bool:
    return bool(labels.any() and not labels.all())
