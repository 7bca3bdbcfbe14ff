"""Groups of a counted list in several parts: the group of each part, and what it holds of each class."""

from __future__ import annotations

import numpy as np

from podium._types import Array, BoolArray

_MOST_PARTS = 1 << 22

Parts = tuple[Array, Array, Array]  # group, positives, negatives


def apart(pos: Array, neg: Array, these: BoolArray, *, positives_first: bool) -> Parts:
    """These groups in an order: one class below the other."""
    group = np.repeat(np.arange(len(pos)), 1 + these)
    first = np.append(group[1:] == group[:-1], False)
    second = np.insert(first[:-1], 0, False)
    without_pos, without_neg = (second, first) if positives_first else (first, second)
    return group, np.where(without_pos, 0, pos[group]), np.where(without_neg, 0, neg[group])


def spread_out(pos: Array, neg: Array, these: BoolArray) -> Parts:
    """These groups, each of one class, row by row, or in many equal parts."""
    total = (pos + neg)[these]
    parts = np.ones(len(pos), np.int64)
    parts[these] = np.clip(total, 1, max(1, _MOST_PARTS // max(1, len(total))))
    group = np.repeat(np.arange(len(parts)), parts)
    place = np.arange(len(group)) - np.repeat(np.cumsum(parts) - parts, parts)
    return group, _shared(pos[group], parts[group], place), _shared(neg[group], parts[group], place)


def _shared(mass: Array, parts: Array, place: Array) -> Array:
    """The share of one of so many equal parts; of whole numbers the first ones take what is left over."""
    return mass / parts if mass.dtype.kind == "f" else mass // parts + (place < mass % parts)
