"""How the process of a command uses memory: what is let go of goes back to the system at once."""

from __future__ import annotations

import contextlib
import ctypes

import pyarrow as pa

_MMAP_THRESHOLD = -3  # M_MMAP_THRESHOLD of malloc.h
_LARGE = 128 * 1024  # bytes; glibc begins with it, too, but raises it to the size of what was freed last


def return_freed_memory() -> None:
    """A table takes a third less then: neither Arrow nor the C library keeps freed columns for later ones.

    It is for a command to decide this, not for the library: it holds for the whole process.
    """
    pa.set_memory_pool(pa.system_memory_pool())
    with contextlib.suppress(OSError, AttributeError):  # other C libraries have no such switch
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _LARGE)
