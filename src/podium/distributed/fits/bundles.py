"""Partitions by the worker that holds them: one task for all of them, since a task costs more than a short sum."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add, itemgetter
from typing import Any

from podium.distributed.fits.cluster import Cluster, Future

_MOST = 64  # partitions whose summaries go to the client one by one; those of more are added up in a tree


@dataclass(frozen=True, eq=False)
class Bundles:
    """Partitions that are mapped together. What is mapped is a list, with an entry for each partition of the bundle."""

    cluster: Cluster
    numbers: Sequence[Sequence[int]]

    @classmethod
    def of(cls, cluster: Cluster, n_partitions: int, held: Sequence[Future] | None) -> Bundles:
        """By worker where the partitions are held; one by one where they are read again, for the sake of memory."""
        if held is None or n_partitions > _MOST:
            return cls(cluster, [[i] for i in range(n_partitions)])
        by_worker: dict[Any, list[int]] = {}
        for i, worker in enumerate(cluster.holders(held)):
            by_worker.setdefault(worker, []).append(i)
        return cls(cluster, list(by_worker.values()))

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
        found = self.cluster.gather(mapped)
        numbered = [pair for pairs in map(zip, self.numbers, found) for pair in pairs]
        return reduce(add, [summary for _, summary in sorted(numbered, key=itemgetter(0))])


def _each(*columns: Sequence[Any], of: Callable[..., Any], **same: Any) -> list[Any]:
    return [of(*entries, **same) for entries in zip(*columns, strict=True)]


def _only(results: list[Any]) -> Any:
    (result,) = results
    return result
