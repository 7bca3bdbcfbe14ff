"""How much memory is left, and a sentence before more is asked for: the system kills without one."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from podium.exceptions import InputError

# Tables as people have them unpack to 3 to 20 times their size, sparse ones of zeros to some 60. What unpacks to more
# than 100 times is made to fill a memory or a disk: gzip reaches 1,000. Below 100 MB it can do no harm.
_RATIO, _HARMLESS = 100, 100e6
_max_unpacked: ContextVar[float | None] = ContextVar("bytes that a compressed table may unpack to", default=None)

_GROUP = Path("/sys/fs/cgroup")  # of a container, where it has limits of its own


def require(n_bytes: float, what: str, hint: str) -> None:
    """Refuse what needs more memory than is left."""
    left = left_over()
    if left is not None and n_bytes > left:
        raise InputError(f"{what} needs about {readable(n_bytes)} of memory; {readable(left)} are left.", hint)


@contextmanager
def max_unpacked(n_bytes: float) -> Iterator[None]:
    """Let compressed tables (.gz, .xlsx, .parquet) unpack to this size each, whatever their size on disk.

    Otherwise a file is refused that unpacks to more than 100 times its size and more than 100 MB: real tables hardly
    ever do, and files made to fill a memory do.

    Parameters
    ----------
    n_bytes : float
        The limit for one file.

    Returns
    -------
    context manager
        The limit holds inside its ``with`` block.

    Examples
    --------
    >>> from podium.tables import max_unpacked, read
    >>> with max_unpacked(20e9):
    ...     table = read("flags.csv.gz")  # doctest: +SKIP
    """
    token = _max_unpacked.set(n_bytes)
    try:
        yield
    finally:
        _max_unpacked.reset(token)


def check_unpacked(path: Path, n_bytes: float) -> None:
    """Refuse a compressed file for what it unpacks to, or has unpacked to so far."""
    limit = _max_unpacked.get()
    if limit is None:
        limit = max(_HARMLESS, _RATIO * path.stat().st_size)
    if n_bytes > limit:
        raise InputError(
            f"{path} ({readable(path.stat().st_size)}) may unpack to {readable(limit)}; it unpacks to more.",
            "if you trust it, allow more: podium --max-unpacked 20GB, or podium.tables.max_unpacked in Python.",
        )


def left_over() -> float | None:
    """Bytes that this process can still get; None where the system does not say."""
    known = [each for each in (_of_machine(), _of_group(), _of_limit()) if each is not None]
    return min(known, default=None)


def address_space() -> float | None:
    """The limit of ``ulimit -v`` in bytes; None where there is none."""
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else float(limit)


def readable(n_bytes: float) -> str:
    """A size in the unit that people would take."""
    for unit, size in (("GB", 1e9), ("MB", 1e6)):
        if n_bytes >= size:
            return f"{n_bytes / size:,.1f} {unit}"
    return f"{n_bytes / 1e3:,.1f} kB"


def _of_machine() -> float | None:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:  # not Linux
        return None
    return next((1024 * float(line.split()[1]) for line in lines if line.startswith("MemAvailable:")), None)


def _of_group() -> float | None:
    try:
        limit, used = ((_GROUP / f"memory.{name}").read_text(encoding="ascii").strip() for name in ("max", "current"))
    except OSError:
        return None
    return None if limit == "max" else float(limit) - float(used)


def _of_limit() -> float | None:
    limit = address_space()
    if limit is None:
        return None
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except OSError:
        return None
    return limit - pages * os.sysconf("SC_PAGE_SIZE")


def release_arrow() -> None:
    """To the system, what columns of Arrow let go of occupied: Arrow keeps it for columns to come."""
    arrow = sys.modules.get("pyarrow")
    if arrow is not None:
        arrow.default_memory_pool().release_unused()
