"""Partitions by the worker that holds them: one task for all of them, since a task costs more than a short sum."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add, itemgetter
from typing import Any

from podium.distributed.fits.cluster import Cluster, Future

_MOST = 64  # partitions whose summaries go to the client one by one; those of more are added up in a tree
_UNEVEN = 1.25  # of an equal share of the rows: what a worker may hold before some are moved


@dataclass(frozen=True, eq=False)
class Bundles:
    """Partitions that are mapped together. What is mapped is a list, with an entry for each partition of the bundle."""

    cluster: Cluster
    numbers: Sequence[Sequence[int]]

    @classmethod
    def of(cls, cluster: Cluster, sizes: Sequence[int], held: Sequence[Future] | None) -> Bundles:
        """By worker where the partitions are held; one by one where they are read again, for the sake of memory."""
        if held is None or len(sizes) > _MOST:
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
        """What the function makes of all partitions, added up in their order, wherever they are."""
        mapped = self.map(function, *columns, **same)
        if len(self.numbers) > _MOST:
            return self.cluster.sum(self.cluster.map(_only, mapped))
        return self._in_order(self.cluster.gather(mapped))

    def advance(
        self, function: Callable[..., Any], *columns: Sequence[Any], can_repeat: bool, **same: Any
    ) -> tuple[list[Future], Any]:
        """Map a function from states, None at first, to states; the first entries of these are added up.

        Where the function can repeat what led to a state, states stay where they were made, and first entries come
        back with the same task; a state that is asked for elsewhere is None.
        """
        if can_repeat and len(self.numbers) <= _MOST:
            done = self.cluster.map(_hold, *columns, of=function, **same)
            return done, self._in_order([held.firsts for held in self.cluster.gather(done)])
        done = self.map(function, *columns, **same)
        return done, self.sum(itemgetter(0), done)

    def nothing(self) -> list[list[None]]:
        """The states before the first step, by bundle."""
        return [[None] * len(bundle) for bundle in self.numbers]

    def _in_order(self, found: Sequence[Sequence[Any]]) -> Any:
        """The sum of what came by bundle, in the order of the partitions: so it does not depend on where they lie."""
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
    """States of a bundle. On the way to another process only their first entries go along, and states become None."""

    def __init__(self, firsts: list[Any], states: list[Any]) -> None:
        self.firsts, self._states = firsts, states

    def __len__(self) -> int:
        return len(self.firsts)

    def __getitem__(self, place: Any) -> Any:
        return self._states[place]

    def __reduce__(self) -> tuple[Any, ...]:
        return Held, (self.firsts, [None] * len(self.firsts))


def _each(*columns: Sequence[Any], of: Callable[..., Any], **same: Any) -> list[Any]:
    return [of(*entries, **same) for entries in zip(*columns, strict=True)]


def _hold(*columns: Sequence[Any], of: Callable[..., Any], **same: Any) -> Held:
    states = _each(*columns, of=of, **same)
    return Held([state[0] for state in states], states)


def _only(results: list[Any]) -> Any:
    (result,) = results
    return result
