"""Rounds over the scores of all partitions: every worker takes a step over the partitions that it holds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add, itemgetter
from typing import Any

from podium._types import FloatArray, Sample
from podium.distributed.cluster import Cluster, Future
from podium.rounds.computation import Finished, Kept, LastStep, Step, Summary, run

_MOST = 16  # summaries that go to the client one by one: more take longer to travel than the work of a round
_UNEVEN = 1.25  # of an equal share of the rows: what a worker may hold before some are moved


@dataclass(frozen=True, eq=False)
class Bundles:
    """Partitions that are mapped together. What is mapped is a list, with an entry for each partition of the bundle.

    Summaries of few partitions are added up in their order, so that the last digit does not depend on where they lie;
    those of many by bundle, and those of many bundles in a tree.
    """

    cluster: Cluster
    numbers: Sequence[Sequence[int]]

    @property
    def are_many(self) -> bool:
        return sum(map(len, self.numbers)) > _MOST

    @classmethod
    def of(cls, cluster: Cluster, sizes: Sequence[int], held: Sequence[Future] | None) -> Bundles:
        """By worker where the partitions are held; one by one where they are read again, for the sake of memory."""
        if held is None:
            return cls(cluster, [[i] for i in range(len(sizes))])
        holders = cluster.holders(held)
        by_worker = evenly(sizes, holders, {*cluster.workers(), *holders})
        for worker, bundle in by_worker.items():
            if moved := [held[i] for i in bundle if holders[i] != worker]:
                cluster.copy(moved, worker)
        return cls(cluster, [bundle for bundle in by_worker.values() if bundle])

    def of_partitions(self, entries: Sequence[Any]) -> list[list[Any]]:
        """Entries of all partitions, by bundle."""
        return [[entries[i] for i in bundle] for bundle in self.numbers]

    def map(self, function: Callable[..., Any], *columns: Sequence[Any], **same: Any) -> list[Future]:
        """The function of the entries of every partition, which come by bundle; so do the results."""
        return self.cluster.map(_each, *columns, of=function, **same)

    def sum(self, function: Callable[..., Any], *columns: Sequence[Any], **same: Any) -> Any:
        """What the function makes of all partitions, added up, wherever they are."""
        return self._added_up(self.cluster.map(_each, *columns, of=function, adds_up=self.are_many, **same))

    def advance(
        self, function: Callable[..., Any], *columns: Sequence[Any], can_repeat: bool, **same: Any
    ) -> tuple[list[Future], Any]:
        """Map a function from states, None at first, to states; the first entries of these are added up.

        Where the function can repeat what led to a state, states stay where they were made, and first entries come
        back with the same task; a state that is asked for elsewhere is None.
        """
        if can_repeat:
            done = self.cluster.map(_hold, *columns, of=function, adds_up=self.are_many, **same)
            return done, self._added_up(done)
        done = self.map(function, *columns, **same)
        return done, self.sum(itemgetter(0), done)

    def nothing(self) -> list[list[None]]:
        """The states before the first step, by bundle."""
        return [[None] * len(bundle) for bundle in self.numbers]

    def _added_up(self, results: Sequence[Future]) -> Any:
        if len(self.numbers) > _MOST:
            return self.cluster.sum(self.cluster.map(_total, results))
        found = [_summaries(result) for result in self.cluster.gather(results)]
        if self.are_many:
            return reduce(add, [total for (total,) in found])
        numbered = [pair for pairs in map(zip, self.numbers, found) for pair in pairs]
        return reduce(add, [summary for _, summary in sorted(numbered, key=itemgetter(0))])


def evenly(sizes: Sequence[int], holders: Sequence[Any], workers: Collection[Any]) -> dict[Any, list[int]]:
    """Partitions by the worker that holds them, but for those beyond its share, which go to workers with fewer rows."""
    share = _UNEVEN * sum(sizes) / len(workers)
    bundles: dict[Any, list[int]] = {worker: [] for worker in sorted(workers, key=str)}
    rows = dict.fromkeys(bundles, 0)
    beyond = []
    for i, worker in enumerate(holders):
        if bundles[worker] and rows[worker] + sizes[i] > share:
            beyond.append(i)
        else:
            bundles[worker].append(i)
            rows[worker] += sizes[i]
    for i in beyond:
        worker = min(rows, key=rows.__getitem__)
        bundles[worker].append(i)
        rows[worker] += sizes[i]
    return bundles


class Held(Sequence[Any]):
    """States of a bundle. On the way to another process only their summaries go along, and states become None."""

    def __init__(self, summaries: list[Any], states: list[Any]) -> None:
        self.summaries, self._states = summaries, states

    def __len__(self) -> int:
        return len(self._states)

    def __getitem__(self, place: Any) -> Any:
        return self._states[place]

    def __reduce__(self) -> tuple[Any, ...]:
        return Held, (self.summaries, [None] * len(self))


def _each(*columns: Sequence[Any], of: Callable[..., Any], adds_up: bool = False, **same: Any) -> list[Any]:
    results = [of(*entries, **same) for entries in zip(*columns, strict=True)]
    return [reduce(add, results)] if adds_up else results


def _hold(*columns: Sequence[Any], of: Callable[..., Any], adds_up: bool, **same: Any) -> Held:
    states = _each(*columns, of=of, **same)
    summaries = [state[0] for state in states]
    return Held([reduce(add, summaries)] if adds_up else summaries, states)


def _summaries(result: Held | list[Any]) -> list[Any]:
    return result.summaries if isinstance(result, Held) else result


def _total(result: Held | list[Any]) -> Any:
    return reduce(add, _summaries(result))


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
