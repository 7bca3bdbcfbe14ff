r"""Pushes with the exponential loss: its sums separate, so that rows are read as they come and nothing is kept of them.

The exponents are measured from the lowest positive and the highest negative, where each class is largest: none is above
zero, however far scores or p go. Exponentials are computed twice, for the sums and for the gradient: that costs less
than memory for them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from math import log

import numpy as np

from podium._fast import reductions as fast
from podium._types import BoolArray, FloatArray, Sample
from podium.exceptions import DegenerateSampleError
from podium.rounds.computation import Finished, Rounds
from podium.sums.frame import Extent, Frame

_BLOCK = 16384  # rows whose scores and exponentials stay in cache between one loop and the next


@dataclass(frozen=True, slots=True)
class Edges:
    """The lowest positive, the highest negative, and the extent of all rows. ``a + b`` is that of both."""

    lowest: float
    highest: float
    extent: Extent

    @classmethod
    def of(cls, rows: Sample, kept: None = None) -> tuple[Edges, None]:
        """Of the rows of a chunk, as a step of rounds."""
        lowest, highest = fast.class_edges(rows.scores, rows.is_positive)
        return cls(lowest, highest, Extent.of(rows)[0]), None

    def __add__(self, other: Edges) -> Edges:
        lowest, highest = min(self.lowest, other.lowest), max(self.highest, other.highest)
        return Edges(lowest, highest, self.extent + other.extent)

    def check(self) -> None:
        """Refuse scores whose differences may overflow, and a sample without pairs."""
        Frame.in_units_of_one(self.extent.low, self.extent.high)
        if self.lowest == np.inf or self.highest == -np.inf:
            raise DegenerateSampleError("A push needs a pair; the rows have no positive, or no negative.")


@dataclass(frozen=True, slots=True)
class ExponentialPush:
    r"""−(1/a)·log Σ w e^(−a·s) over positives − (1/b)·log Σ w e^(b·s) over negatives; one of a and b is 1, one p."""

    up: float
    down: float

    def rounds(self) -> Rounds:
        """The edges of the classes, then the two sums; the gradient is what each row adds to them, as a share."""
        edges: Edges = yield Edges.of
        edges.check()
        sums = yield partial(self._sums, edges)
        value = edges.lowest - edges.highest - log(sums[0]) / self.up - log(sums[1]) / self.down
        return Finished(float(value), partial(self._gradient, edges, sums))

    def _sums(self, edges: Edges, rows: Sample, kept: None) -> tuple[FloatArray, None]:
        sums, block = np.zeros(2), np.empty(min(_BLOCK, len(rows.scores)))
        for scores, is_positive, weight, terms in _blocks(rows, block):
            self._exponentials(edges, scores, is_positive, terms)
            sums += fast.class_sums(terms, is_positive, weight)
        return sums, None

    def _gradient(self, edges: Edges, sums: FloatArray, rows: Sample, kept: None) -> FloatArray:
        gradient = np.empty(len(rows.scores))
        for scores, is_positive, weight, terms in _blocks(rows, gradient):
            self._exponentials(edges, scores, is_positive, terms)
            fast.scale_by_class(terms, is_positive, weight, 1 / sums[0], -1 / sums[1])
        return gradient

    def _exponentials(self, edges: Edges, scores: FloatArray, is_positive: BoolArray, out: FloatArray) -> None:
        fast.exponents(scores, is_positive, edges.lowest, edges.highest, self.up, self.down, out)
        np.exp(out, out=out)


def ir_rounds() -> Rounds:
    r"""−Σ w log(1 + S·e^(−s)) / Σ w over positives, S = Σ w e^s over negatives (R09, Equation 2)."""
    edges: Edges = yield Edges.of
    edges.check()
    total = (yield partial(ExponentialPush(1.0, 1.0)._sums, edges))[1]
    level = edges.highest + log(total)
    count, costs, sigmoids = yield partial(_sigmoid_sums, level, edges.highest)
    factors = 1 / count, -sigmoids / count / total
    return Finished(float(-costs / count), partial(_sigmoid_gradient, level, edges.highest, factors))


def _sigmoid_sums(level: float, highest: float, rows: Sample, kept: None) -> tuple[FloatArray, None]:
    """Σ w, Σ w log(1 + e^z) and Σ w σ(z) over positives, z = level − s."""
    sums, block, logs = np.zeros(3), *np.empty((2, min(_BLOCK, len(rows.scores))))
    for scores, is_positive, weight, terms in _blocks(rows, block):
        fast.folded_exponents(scores, is_positive, level, highest, terms)
        np.exp(terms, out=terms)
        log1p = np.log1p(terms, out=logs[: len(terms)])
        sums += fast.sigmoid_sums(scores, is_positive, weight, level, terms, log1p)
    return sums, None


def _sigmoid_gradient(
    level: float, highest: float, factors: tuple[float, float], rows: Sample, kept: None
) -> FloatArray:
    gradient = np.empty(len(rows.scores))
    for scores, is_positive, weight, terms in _blocks(rows, gradient):
        fast.folded_exponents(scores, is_positive, level, highest, terms)
        np.exp(terms, out=terms)
        fast.sigmoids_by_class(scores, is_positive, weight, level, terms, *factors)
    return gradient


def _blocks(rows: Sample, out: FloatArray) -> Iterator[tuple[FloatArray, BoolArray, FloatArray | None, FloatArray]]:
    """Scores, labels and weights of a block, and where to write: a part of ``out`` each, or again its beginning."""
    for start in range(0, len(rows.scores), _BLOCK):
        here = slice(start, start + _BLOCK)
        scores = rows.scores[here]
        weight = None if rows.weight is None else rows.weight[here]
        yield scores, rows.is_positive[here], weight, out[here] if len(out) == len(rows.scores) else out[: len(scores)]
