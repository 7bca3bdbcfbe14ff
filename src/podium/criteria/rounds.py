"""Rounds: how a criterion is computed where its rows lie in chunks, wherever these are.

In each round every chunk is mapped to a small summary; summaries add up by ``+``; what all chunks add up to says what
the next round asks for. After the last one the gradient of each chunk follows from what the rounds learned. A criterion
writes this as a generator that yields steps and is sent sums; whoever runs it decides where the chunks are: a loop,
processes, a cluster. Steps are pure functions and can be pickled, so that one may be repeated, elsewhere if need be.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import accumulate
from operator import add
from typing import Any, TypeVar

from podium._types import FloatArray, Sample

# A number, an array, or an object with ``+``; and what a chunk keeps from a round for the next ones, None at first.
Summary = Any
Kept = Any

# From the rows of a chunk and what it kept to the summary of the chunk and what it keeps now.
Step = Callable[[Sample, Kept], tuple[Summary, Kept]]


@dataclass(frozen=True, eq=False)
class Finished:
    """What the rounds come to.

    Attributes
    ----------
    value : float
        The value of the criterion.
    gradient : callable
        From the rows of a chunk and what it kept to the derivative with respect to every score of the chunk.
    """

    value: float
    gradient: Callable[[Sample, Kept], FloatArray]


@dataclass(frozen=True, eq=False)
class LastStep:
    """A step after which the rounds end, unless its sum says otherwise.

    ``gradient`` is that of :class:`Finished`, should they end: whoever carries gradients from scores on to parameters
    can then do so in the same round. What it keeps is for that gradient alone: rounds that go on do not ask for it.
    """

    step: Step
    gradient: Callable[[Sample, Kept], FloatArray]

    def __call__(self, rows: Sample, kept: Kept) -> tuple[Summary, Kept]:
        """The summary, and what is kept."""
        return self.step(rows, kept)


Rounds = Generator[Step, Summary, Finished]
Outcome = TypeVar("Outcome")


def run_rounds(rounds: Rounds, chunks: Sequence[Sample]) -> tuple[float, list[FloatArray]]:
    """The value, and the gradient for each chunk, in a loop; they follow each other, and may be without rows."""
    firsts = accumulate((len(rows.scores) for rows in chunks), initial=0)
    filled = [replace(rows, first=first) for rows, first in zip(chunks, firsts, strict=False) if len(rows.scores)]
    finished, kept = run_over(rounds, filled)
    gradients = iter([finished.gradient(rows, own) for rows, own in zip(filled, kept, strict=True)])
    return finished.value, [next(gradients) if len(rows.scores) else rows.scores * 1.0 for rows in chunks]


def run_over(rounds: Generator[Step, Summary, Outcome], chunks: Sequence[Sample]) -> tuple[Outcome, list[Kept]]:
    """What any rounds come to over chunks with rows, and what each chunk has kept."""
    kept: list[Kept] = [None] * len(chunks)
    total: Summary = None
    while True:
        try:
            step = rounds.send(total)
        except StopIteration as end:
            return end.value, kept
        done = [step(rows, own) for rows, own in zip(chunks, kept, strict=True)]
        total, kept = reduce(add, [summary for summary, _ in done]), [own for _, own in done]


@dataclass(frozen=True)
class Within:
    """A step or gradient of one of several criteria, of which a chunk keeps what each has kept, in their order."""

    step: Callable[[Sample, Kept], Any]
    place: int

    def __call__(self, rows: Sample, kept: Kept) -> tuple[Summary, Kept]:
        """The summary, and what all have kept."""
        before = kept or ()
        summary, own = self.step(rows, before[self.place] if len(before) > self.place else None)
        return summary, (*before[: self.place], own)


def rounds_within(rounds: Rounds, place: int) -> Rounds:
    """The rounds of one of several criteria, which take theirs one after the other."""
    total: Summary = None
    while True:
        try:
            step = rounds.send(total)
        except StopIteration as end:
            return end.value
        total = yield Within(step, place)
