"""How much memory is left, and a sentence before more is asked for: the system kills without one."""

from __future__ import annotations

import os
from pathlib import Path

from podium.exceptions import InputError

_GROUP = Path("/sys/fs/cgroup")  # of a container, where it has limits of its own


def require(n_bytes: float, what: str, hint: str) -> None:
    """Refuse what needs more memory than is left."""
    left = left_over()
    if left is not None and n_bytes > left:
        raise InputError(f"{what} needs about {readable(n_bytes)} of memory; {readable(left)} are left.", hint)


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
