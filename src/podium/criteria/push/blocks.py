"""Pushes row by row: the rounds over blocks of rows, each with rows that should stand above others.

All rows are one block, or every group or level of relevance is one. Rows of a block may lie in several chunks.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import partial, reduce
from operator import add

import numpy as np

from podium._types import FloatArray, Sample
from podium.criteria.push.losses import Classes, IntArray, PairLoss, PairSums, Summary
from podium.criteria.push.prices import Price
from podium.exceptions import DegenerateSampleError
from podium.rounds.computation import Finished, Rounds
from podium.sums.frame import Frame


@dataclass(frozen=True, eq=False, slots=True)
class Block:
    """The rows of a block in one chunk: by class, and their places in the chunk, None where they are all of it."""

    key: Hashable
    classes: Classes
    places: IntArray | None = None


class Blocks(ABC):
    """What divides the rows of a chunk into blocks."""

    mirrored: bool = False

    @abstractmethod
    def of(self, rows: Sample) -> Iterator[Block]:
        """The blocks that have rows in this chunk."""


@dataclass(frozen=True)
class AllRows(Blocks):
    """Positives above negatives; where positives are judged, the list upside down and the negatives above."""

    loss: PairLoss
    frame: Frame
    mirrored: bool

    def of(self, rows: Sample) -> Iterator[Block]:
        scores = self.frame.place(rows.scores)
        if self.mirrored:
            yield Block(None, self.loss.classes(-scores, ~rows.is_positive, rows.weight))
        else:
            yield Block(None, self.loss.classes(scores, rows.is_positive, rows.weight))


@dataclass(frozen=True, eq=False, slots=True)
class ByBlock:
    """A summary of every block. ``a + b`` is that of both chunks."""

    parts: dict[Hashable, Summary]

    def __add__(self, other: ByBlock) -> ByBlock:
        shared = {key: part + other.parts[key] for key, part in self.parts.items() if key in other.parts}
        return ByBlock(self.parts | other.parts | shared)


@dataclass(frozen=True, slots=True)
class _Sizes:
    """How many rows of a block should stand above others, how many below, and what its loss must know."""

    n_upper: int
    n_lower: int
    survey: Summary

    def __add__(self, other: _Sizes) -> _Sizes:
        return _Sizes(self.n_upper + other.n_upper, self.n_lower + other.n_lower, self.survey + other.survey)


Losses = dict[Hashable, PairLoss]
Summed = list[tuple[Block, PairSums]]
Pushed = list[tuple[Block, FloatArray]]


@dataclass(frozen=True, eq=False)
class BlockPush:
    """A price over the sums of losses within blocks."""

    loss: PairLoss
    price: Price
    blocks: Blocks

    def rounds(self) -> Rounds:
        """Survey the blocks; sum the losses; price them; and find what the lower rows pull."""
        survey: ByBlock = yield self._survey
        both = {key: each for key, each in survey.parts.items() if each.n_upper and each.n_lower}
        if not both:
            raise DegenerateSampleError("CrucialPairs needs a pair; no group has both a positive and a negative.")
        losses = {key: self.loss.agreed(each.survey) for key, each in both.items()}
        summary = yield partial(_summaries, losses)
        total = yield partial(self._prices, losses, summary)
        tension = yield partial(self._tensions, losses, total)
        return Finished(self.price.value(total), partial(self._gradient, losses, summary, tension))

    def _survey(self, rows: Sample, kept: None) -> tuple[ByBlock, list[Block]]:
        blocks = list(self.blocks.of(rows))
        sizes = {b.key: _Sizes(len(b.classes.upper), len(b.classes.lower), self.loss.survey(b.classes)) for b in blocks}
        return ByBlock(sizes), blocks

    def _prices(self, losses: Losses, summary: ByBlock, rows: Sample, blocks: list[Block]) -> tuple[Summary, Summed]:
        summed = [(each, losses[each.key].at(summary.parts[each.key], each.classes)) for each in blocks]
        nothing = [self.price.summarize(np.empty(0), None)] if not summed else []
        prices = [self.price.summarize(sums.log, each.classes.lower_weight) for each, sums in summed]
        return reduce(add, prices + nothing), summed

    def _tensions(self, losses: Losses, total: Summary, rows: Sample, summed: Summed) -> tuple[ByBlock, Pushed]:
        tensions, pushed = {}, []
        for block, sums in summed:
            shares = self.price.elasticity(total, sums.log, block.classes.lower_weight)
            tensions[block.key] = losses[block.key].tension(sums, block.classes, shares)
            pushed.append((block, np.multiply(-sums.slope, shares, out=shares)))
        return ByBlock(tensions), pushed

    def _gradient(self, losses: Losses, summary: ByBlock, tension: ByBlock, rows: Sample, pushed: Pushed) -> FloatArray:
        gradient = None if len(pushed) == 1 and pushed[0][0].places is None else np.zeros(len(rows.scores))
        for block, pushes in pushed:
            key = block.key
            pull = losses[key].pull(summary.parts[key], tension.parts[key], block.classes)
            in_rows = block.classes.in_rows(pull, pushes)
            if gradient is None:
                gradient = in_rows
            else:
                gradient[block.places] += in_rows
        assert gradient is not None
        return np.negative(gradient, out=gradient) if self.blocks.mirrored else gradient


def _summaries(losses: Losses, rows: Sample, blocks: list[Block]) -> tuple[ByBlock, list[Block]]:
    """Of the upper rows, of blocks that have pairs; the others are dropped."""
    paired = [each for each in blocks if each.key in losses]
    return ByBlock({each.key: losses[each.key].summarize(each.classes) for each in paired}), paired
