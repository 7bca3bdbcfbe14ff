"""Rounds: how a number is computed from rows that lie in chunks, wherever these are.

In each round every chunk is mapped to a small summary; summaries add up by ``+``; and their sum decides what the next
round asks for. A computation is a generator that yields steps, is sent sums, and returns its result. Whoever runs it
says where the rows are: in arrays, in files, on a cluster, with the workers of a training. Steps are pure functions
that can be pickled, so that one may be repeated, elsewhere if need be.
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
    """The result of the rounds of a criterion.

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


def run(computation: Generator[Any, Summary, Outcome], take: Callable[[Any], Summary]) -> Outcome:
    """Run a computation over rows wherever they are.

    Parameters
    ----------
    computation : generator
        What to compute, such as `counting`: it yields steps, is sent the sum of their summaries, and returns a result.
    take : callable
        A function of your own that applies a step to every chunk and adds up the summaries.

    Returns
    -------
    object
        The result of the computation.

    Examples
    --------
    >>> from functools import reduce
    >>> from operator import add
    >>> from podium.rounds import counting, run
    >>> chunks = [([0, 0, 1], [0.1, 0.4, 0.35]), ([1], [0.8])]
    >>> run(counting(), lambda step: reduce(add, [step(y, s) for y, s in chunks]))
    list of 2 positives and 2 negatives with AUC 0.750
    """
    total: Summary = None
    while True:
        try:
            step = computation.send(total)
        except StopIteration as end:
            return end.value
        total = take(step)


def values_and_gradients(rounds: Rounds, chunks: Sequence[Sample]) -> tuple[float, list[FloatArray]]:
    """The value, and the gradient for each chunk; they follow each other, and may be without rows."""
    firsts = accumulate((len(rows.scores) for rows in chunks), initial=0)
    filled = [replace(rows, first=first) for rows, first in zip(chunks, firsts, strict=False) if len(rows.scores)]
    finished, kept = run_over(rounds, filled)
    gradients = iter([finished.gradient(rows, own) for rows, own in zip(filled, kept, strict=True)])
    return finished.value, [next(gradients) if len(rows.scores) else rows.scores * 1.0 for rows in chunks]


def run_over(computation: Generator[Step, Summary, Outcome], chunks: Sequence[Sample]) -> tuple[Outcome, list[Kept]]:
    """The result over chunks in memory, all with rows, and what each chunk has kept."""
    kept: list[Kept] = [None] * len(chunks)

    def take(step: Step) -> Summary:
        done = [step(rows, own) for rows, own in zip(chunks, kept, strict=True)]
        kept[:] = [own for _, own in done]
        return reduce(add, [summary for summary, _ in done])

    return run(computation, take), kept


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
