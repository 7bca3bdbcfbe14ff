"""Columns cut into a few bins, each worth the log-odds of its rows: what a scorecard is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy
from scipy.special import xlogy

from podium._types import BoolArray, FloatArray
from podium.rankers.treerank.gain import Bins

_ADDED = 20.0  # average rows in every bin: bins of few rows say little, and those of one class have odds, too
_SHRINK = 5.0  # rows of the average share that the share of a category starts from, where categories are ordered


@dataclass(frozen=True)
class BinnedColumn:
    """The cuts of one column (of categories: their codes), and the weight of evidence of every code of a bin.

    Codes are those of `Bins.codes`: 0 for what is missing or unknown, whose evidence is 0 where no row showed any.
    """

    cuts: FloatArray
    evidence: FloatArray


@dataclass(frozen=True)
class Binning:
    """How columns are cut: into how many bins, of which share of the rows, whether rising or falling."""

    most: int
    least_share: float
    special_values: tuple[float, ...] = ()

    def columns(
        self,
        X: FloatArray,
        is_positive: BoolArray,
        weight: FloatArray,
        categorical: Sequence[int],
        directions: Sequence[int | None],
    ) -> list[BinnedColumn]:
        """Every column by itself; directions are 1, −1, 0 for any shape, None for the better of rising and falling."""
        special = np.isin(X, self.special_values)
        plain = np.where(special, np.nan, X) if special.any() else X
        fine = Bins.of(plain, weight, categorical)
        codes = fine.codes(plain)
        masses = [weight * (is_positive == label) for label in (True, False)]
        totals = [float(mass.sum()) for mass in masses]
        found = []
        for j, direction in enumerate(directions):
            size = len(fine.cuts[j]) + 2
            known = ~special[:, j]
            pos, neg = (np.bincount(codes[known, j], mass[known], size).astype(np.float64) for mass in masses)
            counts = _Counts(pos, neg, *totals)
            if fine.is_categorical[j]:
                found.append(self._categories(fine.cuts[j], counts))
                continue
            numbers = self._numbers(fine.cuts[j], counts, direction)
            for value in np.unique(X[special[:, j], j]):
                own = [float(mass[X[:, j] == value].sum()) for mass in masses]
                numbers = _with_value(numbers, float(value), float(counts.evidence_of(*own)))
            found.append(numbers)
        return found

    def _numbers(self, cuts: FloatArray, counts: _Counts, direction: int | None) -> BinnedColumn:
        pos, neg = counts.pos[1:], counts.neg[1:]
        ways = [_monotone(pos, neg, sign) for sign in ((1, -1) if direction is None else (direction,))]
        blocks = max(ways, key=lambda way: _likelihood(*_summed(way, pos, neg)))
        starts = blocks[self._segments(counts, *_summed(blocks, pos, neg))]
        evidence = counts.evidence_of(*_summed(starts, pos, neg))
        return BinnedColumn(cuts[starts[1:] - 1], np.concatenate([[counts.evidence[0]], evidence]))

    def _categories(self, values: FloatArray, counts: _Counts) -> BinnedColumn:
        pos, neg = counts.pos[1 : len(values) + 1], counts.neg[1 : len(values) + 1]
        share = counts.n_pos / (counts.n_pos + counts.n_neg)
        order = np.argsort((pos + _SHRINK * share) / (pos + neg + _SHRINK), kind="stable")
        starts = self._segments(counts, pos[order], neg[order])
        evidence = counts.evidence_of(*_summed(starts, pos[order], neg[order]))
        of_category = np.empty(len(values))
        of_category[order] = np.repeat(evidence, np.diff(np.append(starts, len(values))))
        return BinnedColumn(values, np.concatenate([[counts.evidence[0]], of_category]))

    def _segments(self, counts: _Counts, pos: FloatArray, neg: FloatArray) -> npt.NDArray[np.intp]:
        return best_segments(pos, neg, self.most, self.least_share * (counts.n_pos + counts.n_neg))


@dataclass(frozen=True)
class _Counts:
    """Positives and negatives by code, and in all."""

    pos: FloatArray
    neg: FloatArray
    n_pos: float
    n_neg: float

    @property
    def evidence(self) -> FloatArray:
        return np.where(self.pos + self.neg > 0, self.evidence_of(self.pos, self.neg), 0.0)

    def evidence_of(self, pos: Any, neg: Any) -> FloatArray:
        return evidence_of(pos, neg, self.n_pos, self.n_neg)


def evidence_of(pos: Any, neg: Any, n_pos: Any, n_neg: Any) -> FloatArray:
    """The weight of evidence log (pos/neg)/(n/m), average rows added."""
    share = n_pos / (n_pos + n_neg)
    return np.asarray(np.log((pos + _ADDED * share) / (neg + _ADDED * (1 - share))) - np.log(n_pos / n_neg))


def best_segments(pos: FloatArray, neg: FloatArray, most: int, least: float) -> npt.NDArray[np.intp]:
    """The first cells of at most so many runs of neighboring cells that make labels likeliest, by dynamic programming.

    The sum of n log (n/N) + m log (m/N) over the runs is the largest of all partitions whose runs have at least so many
    rows; all cells are one run if no cut leaves that.
    """
    n = len(pos)
    p, m = (np.concatenate([[0.0], np.cumsum(count)]) for count in (pos, neg))
    hits, others = p[None, 1:] - p[:-1, None], m[None, 1:] - m[:-1, None]
    possible = np.triu(hits + others >= least)
    possible[0, -1] = True
    gain = np.where(possible, _terms(hits, others), -np.inf)
    best, last = [gain[0]], [np.zeros(n, dtype=np.intp)]
    for _ in range(min(most, n) - 1):
        before = np.concatenate([[-np.inf], best[-1][:-1]])[:, None] + gain
        last.append(np.argmax(before, axis=0))
        best.append(np.take_along_axis(before, last[-1][None], axis=0)[0])
    count = int(np.argmax([values[-1] for values in best]))
    starts, end = [], n - 1
    for k in range(count, -1, -1):
        starts.append(int(last[k][end]))
        end = starts[-1] - 1
    return np.array(starts[::-1], dtype=np.intp)


def _terms(hits: FloatArray, others: FloatArray) -> FloatArray:
    hits, others = np.maximum(hits, 0.0), np.maximum(others, 0.0)
    total = np.maximum(hits + others, 1e-300)
    return np.asarray(xlogy(hits, hits / total) + xlogy(others, others / total))


def _likelihood(pos: FloatArray, neg: FloatArray) -> float:
    return float(_terms(pos, neg).sum())


def _summed(starts: npt.NDArray[np.intp], pos: FloatArray, neg: FloatArray) -> tuple[FloatArray, FloatArray]:
    return np.add.reduceat(pos, starts), np.add.reduceat(neg, starts)


def _monotone(pos: FloatArray, neg: FloatArray, sign: int) -> npt.NDArray[np.intp]:
    """Where the blocks begin whose shares of positives rise (1) or fall (−1) most likely; each cell is one for 0."""
    cells = np.flatnonzero(pos + neg > 0)
    if sign == 0 or len(cells) == 0:
        return np.arange(len(pos))
    size = (pos + neg)[cells]
    shares = scipy.optimize.isotonic_regression(pos[cells] / size, weights=size, increasing=sign > 0).x
    return np.concatenate([[0], cells[1:][np.diff(shares) != 0]])


def _with_value(column: BinnedColumn, value: float, evidence: float) -> BinnedColumn:
    """A value in a bin of its own, the bin it stands in on either side of it."""
    at = int(np.searchsorted(column.cuts, value))
    here = column.evidence[at + 1]
    cuts = np.concatenate([column.cuts[:at], [np.nextafter(value, -np.inf), value], column.cuts[at:]])
    worth = np.concatenate([column.evidence[: at + 1], [here, evidence, here], column.evidence[at + 2 :]])
    if at < len(column.cuts) and column.cuts[at] == value:  # it was the last of its bin
        cuts, worth = np.delete(cuts, at + 2), np.delete(worth, at + 3)
    return BinnedColumn(cuts, worth)
