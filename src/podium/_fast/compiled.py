"""The decorators of every compiled loop."""

from __future__ import annotations

import contextlib
import hashlib
import pickle
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numba
import numpy as np
from numba.core import caching


def _compiler(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """A decorator. One thread; the GIL is released for joblib's threads.

    Cached on disk, so that a new process compiles nothing; not cached where no folder can be written.
    """

    def compiled(function: Callable[..., Any]) -> Any:
        if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
            # to see which lines tests reach; numbers of Python would warn, those of compiled loops do not
            return np.errstate(all="ignore")(function)
        loop = numba.njit(nogil=True, error_model="numpy", **options)(function)
        try:
            loop._cache = _Cache(function)  # what cache=True does, with another class
        except RuntimeError:  # numba looks beside the file and in the home folder
            _warn_of_no_cache()
        return loop

    return compiled


class _CacheFile(caching.IndexDataCacheFile):
    """Files of a cache with checksums: what a crash or a full disk has damaged is no entry, and is written anew."""

    def save(self, key: Any, data: Any) -> None:
        content = self._dump(data)
        super().save(key, (_digest(key, content), content))

    def load(self, key: Any) -> Any:
        try:
            digest, content = super().load(key)
            return pickle.loads(content) if digest == _digest(key, content) else None
        except Exception:  # also None, where there is no entry; there is no list of what pickle raises
            return None

    def _load_index(self) -> Any:
        try:
            return super()._load_index()
        except Exception:
            return {}


class _Cache(caching.FunctionCache):
    """A cache that is never the reason for a failure: without it a loop is compiled again."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _CacheFile(self._cache_path, self._impl.filename_base, stamp)

    def save_overload(self, sig: Any, data: Any) -> None:
        with contextlib.suppress(OSError):  # such as a full disk
            super().save_overload(sig, data)


def _digest(key: Any, content: bytes) -> bytes:
    return hashlib.sha256(repr(key).encode() + content).digest()


@cache
def _warn_of_no_cache() -> None:
    warnings.warn(
        "podium compiles its loops anew in every process, which takes seconds: neither its own folder nor the home "
        "folder can be written. Set NUMBA_CACHE_DIR to a folder that can.",
        RuntimeWarning,
        stacklevel=2,
    )


# IEEE semantics (no fastmath): sums must not depend on how a compiler reorders them.
compiled = _compiler()

# For sums over finite numbers whose order may change, so that they use several accumulators at once. Their last digits
# then depend on the processor.
compiled_reduction = _compiler(fastmath={"reassoc", "contract", "nnan", "nsz"})
