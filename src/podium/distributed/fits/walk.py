"""Rounds over the scores of all partitions: in each of them every bundle takes a step where its rows are."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any

from podium._types import FloatArray, Sample
from podium.distributed.fits.bundles import Bundles
from podium.distributed.fits.cluster import Future
from podium.rounds.computation import Finished, Kept, LastStep, Step, Summary, run

# What the steps so far have made of a partition: the last summary, its scores with labels, and what is kept of them.
State = tuple[Summary, Sample, Kept]


@dataclass(frozen=True, slots=True)
class Pulled:
    """A summary, and the gradient in the parameters should the rounds end with it. ``a + b`` is that of both."""

    summary: Summary
    gradient: FloatArray

    def __add__(self, other: Pulled) -> Pulled:
        return Pulled(self.summary + other.summary, self.gradient + other.gradient)


class Walk:
    """The steps that rounds have taken over all partitions so far.

    ``columns`` gives X and what is known of the partitions, by bundle; ``scores`` makes scores of these, and has a way
    back, ``vjp``, where gradients are pulled. Where X is at hand, steps are taken again if what was kept is lost.
    """

    def __init__(self, bundles: Bundles, columns: Callable[[], Sequence[Any]], scores: Any, *, at_hand: bool) -> None:
        self._bundles, self._columns, self._scores, self._at_hand = bundles, columns, scores, at_hand
        self._steps: tuple[Step, ...] = ()
        self._done: list[Future] = []

    def follow(self, rounds: Generator[Step, Any, Any], *, pulls: bool = False) -> tuple[Any, FloatArray | None]:
        """What the rounds come to; and, if it was pulled in the last of them, the gradient in the parameters."""
        gradient = None

        def take(step: Step) -> Any:
            nonlocal gradient
            total, gradient = self._take(step, pulls=pulls and isinstance(step, LastStep))
            return total

        return run(rounds, take), gradient

    def gradient(self, finished: Finished) -> FloatArray:
        """In the parameters, after rounds in which it was not pulled."""
        columns = [self._done, *self._columns()]
        return self._bundles.sum(_pulled, *columns, steps=self._steps, scores=self._scores, finished=finished)

    def by_score(self, finished: Finished) -> list[Future]:
        """The gradient in the scores of every partition, by bundle."""
        columns: list[Any] = [self._done, *self._columns()] if self._at_hand else [self._done]
        return self._bundles.map(_by_score, *columns, steps=self._steps, scores=self._scores, finished=finished)

    def _take(self, step: Step, *, pulls: bool) -> tuple[Any, FloatArray | None]:
        columns: list[Any] = [self._done or self._bundles.nothing()]
        if pulls or self._at_hand or not self._done:
            columns += self._columns()
        self._steps = (*self._steps, step) if self._at_hand else (step,)
        same = {"steps": self._steps, "scores": self._scores, "pulls": pulls}
        self._done, total = self._bundles.advance(_take_step, *columns, **same, can_repeat=self._at_hand)
        return (total.summary, total.gradient) if pulls else (total, None)


def _take_step(state: State | None, X: Any = None, part: Any = None, *, steps: Any, scores: Any, pulls: bool) -> State:
    """The last of these steps, after those before it where what they made is not there."""
    _, rows, kept = state or _state(X, part, steps[:-1], scores)
    summary, kept = steps[-1](rows, kept)
    if pulls:
        return Pulled(summary, scores.vjp(X, part, steps[-1].gradient(rows, kept))), rows, None
    return summary, rows, kept


def _state(X: Any, part: Any, steps: Sequence[Step], scores: Any) -> State:
    rows = part.sample(scores(X, part))
    summary = kept = None
    for step in steps:
        summary, kept = step(rows, kept)
    return summary, rows, kept


def _by_score(
    state: State | None, X: Any = None, part: Any = None, *, steps: Any, scores: Any, finished: Finished
) -> FloatArray:
    _, rows, kept = state or _state(X, part, steps, scores)
    return finished.gradient(rows, kept)


def _pulled(state: State | None, X: Any, part: Any, *, steps: Any, scores: Any, finished: Finished) -> FloatArray:
    return scores.vjp(X, part, _by_score(state, X, part, steps=steps, scores=scores, finished=finished))
