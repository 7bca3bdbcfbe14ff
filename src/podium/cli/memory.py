"""How the process of a command uses memory: little at once, and what is let go of goes back to the system."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os

from podium import _memory
from podium.exceptions import InputError

_ARENAS, _MMAP_THRESHOLD = -8, -3  # M_ARENA_MAX and M_MMAP_THRESHOLD of malloc.h
_LARGE = 128 * 1024  # bytes; glibc begins with it, too, but raises it to the size of what was freed last
_LEAST = 1.0e9  # of address space: libraries alone take 0.7 GB with one thread, training 0.9
_AMPLE = 4.0e9  # room for threads, each of which reserves some


def spare_memory() -> None:
    """A table takes a third less then: neither Arrow nor the C library keeps freed columns for later ones.

    It is for a command to decide this, not for the library: it holds for the whole process. It comes before NumPy and
    Arrow are loaded.
    """
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    with contextlib.suppress(OSError, AttributeError, TypeError):  # other C libraries have no such switch, or no name
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _LARGE)
    limit = _memory.address_space()
    if limit is not None and limit < _AMPLE:
        _fit_into(limit)


def is_shortage(error: BaseException) -> bool:
    """Whether memory is what was missing: libraries that cannot be loaded for lack of it say so otherwise."""
    if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
        return True
    return isinstance(error, (ImportError, OSError)) and "failed to map segment" in str(error)


def _fit_into(limit: float) -> None:
    """One thread, and the buffers of linear algebra first: its libraries wait for ever or abort where they get none."""
    if limit < _LEAST:
        raise InputError(
            f"podium needs an address space of {_memory.readable(_LEAST)}; its limit here is "
            f"{_memory.readable(limit)}.",
            "ulimit -v unlimited takes the limit away.",
        )
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_ARENAS, 1)
    import numpy as np
    from scipy import linalg

    linalg.solve(np.eye(2), np.eye(2) @ np.ones(2))
