"""What a fit asks of a cluster: map a function over partitions, add up what comes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from podium import _optional
from podium._types import Array
from podium.exceptions import ClusterLostError
from podium.rounds.computation import FAN_IN, added_up

_LOOPBACK = "127.0.0.1"

Future = Any


class Cluster:
    """A Dask client. Futures are results that stay with the workers."""

    reads_again = False  # whether it costs a pass over files to see rows again that it stores

    def __init__(self, client: Any) -> None:
        self.client = client

    def map(self, function: Callable[..., Any], *columns: Sequence[Any], **same: Any) -> list[Future]:
        """The function of every partition's entries, and of what is the same for all."""
        with speaking():
            # Not pure: its name would cost more than the work, and nothing is asked for twice.
            return list(self.client.map(function, *columns, **same, pure=False))

    def store(self, value: Any) -> Future:
        """A value of this process with one of the workers."""
        with speaking():
            return self.client.scatter(value, hash=False)

    def store_rows(self, rows: Array) -> Future:
        """Rows in memory that will be written over."""
        return self.store(rows.copy())

    def gather(self, futures: Sequence[Future]) -> list[Any]:
        """What was computed, here."""
        with speaking():
            return list(self.client.gather(list(futures)))

    def sum(self, futures: Sequence[Future]) -> Any:
        """What was computed, added up in a tree."""
        level = list(futures)
        while len(level) > FAN_IN:
            groups = [level[start : start + FAN_IN] for start in range(0, len(level), FAN_IN)]
            level = self.map(added_up, groups)
        return added_up(self.gather(level))

    @property
    def loopback(self) -> str | None:
        """The address for servers that only this machine has to reach; None if there are other machines."""
        address = self.client.scheduler.address
        return _LOOPBACK if address.startswith(("inproc://", f"tcp://{_LOOPBACK}:")) else None

    def holders(self, futures: Sequence[Future]) -> list[Any]:
        """A worker that has each of these results."""
        distributed = _optional.load("distributed", "a fit on Dask collections")
        with speaking():
            distributed.wait(futures)
            places = self.client.who_has(futures)
            return [min(places[future.key], default=None) for future in futures]

    def workers(self) -> list[Any]:
        """All that are there."""
        with speaking():
            return list(self.client.nthreads())

    def sees(self, paths: Sequence[Path]) -> bool:
        """Whether every worker has these files, as they are here."""
        with speaking():
            found = self.client.run(_sizes_and_times, paths)
        return all(each == _sizes_and_times(paths) for each in found.values())

    def copy(self, futures: Sequence[Future], worker: Any) -> None:
        """Results to a worker that does not have them yet."""
        with speaking():
            self.client.replicate(futures, workers=[worker])


def _sizes_and_times(paths: Sequence[Path]) -> list[tuple[int, int] | None]:
    facts = [path.stat() if path.exists() else None for path in paths]
    return [None if each is None else (each.st_size, each.st_mtime_ns) for each in facts]


@contextmanager
def current_cluster() -> Iterator[Cluster]:
    """The client that is there, or threads of this process for the time being."""
    distributed = _optional.load("distributed", "a fit on Dask collections")
    try:
        client = distributed.default_client()
    except ValueError:
        with local_client(processes=False) as client:
            yield Cluster(client)
        return
    yield Cluster(client)


def local_client(*, processes: bool = True) -> Any:
    """A client of workers on this machine, none of whose servers can be reached from another one."""
    distributed = _optional.load("distributed", "a fit on Dask collections")
    return distributed.Client(
        processes=processes, dashboard_address=f"{_LOOPBACK}:0", worker_dashboard_address=f"{_LOOPBACK}:0"
    )


@contextmanager
def speaking() -> Iterator[None]:
    """Translate every lost-connection error into ClusterLostError."""
    distributed = _optional.load("distributed", "a fit on Dask collections")
    lost = (distributed.comm.CommClosedError, distributed.client.FutureCancelledError, ConnectionError, TimeoutError)
    try:
        yield
    except lost as error:
        raise ClusterLostError(
            f"The connection to the Dask scheduler was lost ({type(error).__name__}).",
            "where a fit had begun, the ranker keeps the best coefficients so far; start a scheduler and a new Client.",
        ) from error
