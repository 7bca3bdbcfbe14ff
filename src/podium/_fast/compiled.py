"""The decorators of every compiled loop."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numba
import numpy as np


def _compiler(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """A decorator. One thread; the GIL is released for joblib's threads.

    Cached on disk, so that a new process compiles nothing; not cached where no folder can be written.
    """

    def compiled(function: Callable[..., Any]) -> Any:
        if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
            # to see which lines tests reach; numbers of Python would warn, those of compiled loops do not
            return np.errstate(all="ignore")(function)
        try:
            return numba.njit(cache=True, nogil=True, error_model="numpy", **options)(function)
        except RuntimeError:  # numba looks beside the file and in the home folder
            _warn_of_no_cache()
            return numba.njit(nogil=True, error_model="numpy", **options)(function)

    return compiled


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
