"""The exact null distribution of a linear rank statistic: all ways to draw the one sample from the pooled scores.

Two sums are equal if they differ by no more than ``SLACK`` of the range of the scores, which is far more than rounding
makes them differ: sums that are equal are always counted as such, so that no p-value is too small by rounding. Where
the scores are multiples of one number (ranks, powers of ranks, Savage's scores of short lists), different sums differ
by at least that number, and the p-value is exact; otherwise sums closer than the slack count as ties, which can only
enlarge it.
"""

from __future__ import annotations

import math

import numpy as np

from podium._types import Array, FloatArray
from podium.exceptions import InputError

SLACK = 1e-10  # of the range of the scores
_MOST_STEPS = 50_000_000  # additions when sums are counted on a lattice: about a tenth of a second
_QUICK_SUBSETS = 1 << 17  # of either half of the scores: about a tenth of a second
_MOST_SUBSETS = 1 << 21  # about two seconds
_MOST_PARTS = 1000  # of the smallest difference of two scores, in search of a common measure


def feasible(scores: FloatArray, n_drawn: int) -> bool:
    """Whether the exact distribution takes about a tenth of a second at most."""
    n_drawn = min(n_drawn, len(scores) - n_drawn)
    return _n_subsets(len(scores), n_drawn) <= _QUICK_SUBSETS or _lattice(scores, n_drawn) is not None


def exact_tails(scores: FloatArray, n_drawn: int) -> tuple[float, float]:
    """P(W ≤ w) and P(W ≥ w) for W the sum of ``n_drawn`` of the scores at random, w that of the first ones."""
    if 2 * n_drawn > len(scores):  # the others have the smaller sum where these have the larger
        lower, upper = exact_tails(scores[::-1], len(scores) - n_drawn)
        return upper, lower
    keys = _lattice(scores, n_drawn)
    if keys is not None:
        return _lattice_tails(keys, n_drawn)
    if _n_subsets(len(scores), n_drawn) > _MOST_SUBSETS:
        raise InputError(
            f"The exact distribution has too many values to list; got {n_drawn} of {len(scores)} items.",
            "method='permutation' draws from it.",
        )
    return _halves_tails(scores, n_drawn)


def _lattice(scores: FloatArray, n_drawn: int) -> Array | None:
    """The scores, less the smallest, as whole multiples of a common measure; None if there is none that is useful."""
    heights = scores - scores.min()
    distinct = np.unique(heights)
    smallest = np.diff(distinct)[np.diff(distinct) > SLACK * distinct[-1]].min()
    parts = np.arange(1, _MOST_PARTS + 1)
    largest = heights.max() / smallest * parts
    parts = parts[largest * n_drawn**2 * len(scores) <= _MOST_STEPS]
    multiples = distinct / smallest * parts[:, None]
    off = np.abs(multiples - np.rint(multiples)).max(axis=1, initial=0.0)
    whole = parts[off <= SLACK * np.rint(distinct[-1] / smallest * parts)]
    return np.rint(heights / smallest * whole[0]).astype(np.int64) if len(whole) else None


def _lattice_tails(keys: Array, n_drawn: int) -> tuple[float, float]:
    """By the number of ways to reach every sum with every number of items, taken in one by one."""
    observed = int(keys[:n_drawn].sum())
    ways = np.zeros((n_drawn + 1, int(np.sort(keys)[-n_drawn:].sum()) + 1))
    ways[0, 0] = 1.0
    for taken, key in enumerate(keys.tolist(), start=1):
        ways[1:, key:] += ways[:-1, : ways.shape[1] - key]
        if taken % 500 == 0:
            ways /= ways.max()  # only ratios count, and the numbers of ways outgrow a float
    possible = ways[n_drawn]
    total = possible.sum()
    return float(possible[: observed + 1].sum() / total), float(possible[observed:].sum() / total)


def _halves_tails(scores: FloatArray, n_drawn: int) -> tuple[float, float]:
    """By all subsets of either half of the scores: k from the one, sorted, and n − k from the other."""
    observed, slack = scores[:n_drawn].sum(), SLACK * np.ptp(scores)
    half = len(scores) // 2
    one, other = _subset_sums(scores[:half], n_drawn), _subset_sums(scores[half:], n_drawn)
    at_most = at_least = 0
    for k in range(max(0, n_drawn - len(scores) + half), min(half, n_drawn) + 1):
        rest = observed - one[k]
        ordered = np.sort(other[n_drawn - k])
        at_most += int(np.searchsorted(ordered, rest + slack, side="right").sum())
        at_least += int((len(ordered) - np.searchsorted(ordered, rest - slack, side="left")).sum())
    total = math.comb(len(scores), n_drawn)
    return at_most / total, at_least / total


def _subset_sums(scores: FloatArray, largest: int) -> list[FloatArray]:
    """Sums of all subsets of size 0, 1, …, ``largest`` (at most all)."""
    sums = [np.zeros(1)]
    for score in scores:
        grown = [np.append(a, b + score) for a, b in zip(sums[1:], sums[:-1], strict=True)]
        sums = [sums[0], *grown] + ([sums[-1] + score] if len(sums) <= largest else [])
    return sums


def _n_subsets(n_items: int, n_drawn: int) -> int:
    """Of the larger half, of at most so many items; any number beyond the limit stands for all that are larger."""
    half = (n_items + 1) // 2
    count = 0
    for k in range(min(n_drawn, half) + 1):
        count += math.comb(half, k)
        if count > _MOST_SUBSETS:
            break
    return count
