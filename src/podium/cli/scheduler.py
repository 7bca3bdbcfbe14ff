"""The cluster that a command works on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from podium import _optional
from podium.cli.render import talk
from podium.distributed.cluster import local_client
from podium.exceptions import InputError

_LOCAL = "local"
_PATIENCE = 10  # seconds until a scheduler must have answered


@contextmanager
def connected(scheduler: str | None) -> Iterator[None]:
    """A Dask client for the time being, its dashboard named on standard error; none without a scheduler."""
    if scheduler is None:
        yield
        return
    distributed = _optional.load("distributed", "--scheduler")
    try:
        client = local_client() if scheduler == _LOCAL else distributed.Client(scheduler, timeout=_PATIENCE)
    except (OSError, ValueError) as error:
        raise InputError(
            f"--scheduler is the address of a Dask scheduler, or local; {scheduler!r} does not answer "
            f"({type(error).__name__}).",
            "for instance --scheduler tcp://10.0.0.7:8786",
        ) from None
    with client:
        talk(f"{len(client.scheduler_info()['workers'])} workers; dashboard: {client.dashboard_link}")
        yield
