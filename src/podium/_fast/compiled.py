"""The decorators of every compiled loop."""

from __future__ import annotations

import numba

# Cached on disk, so that a new process compiles nothing; one thread; the GIL is released for joblib's threads;
# IEEE semantics (no fastmath): sums must not depend on how a compiler reorders them.
compiled = numba.njit(cache=True, nogil=True, error_model="numpy")

# For sums over finite numbers whose order may change, so that they use several accumulators at once. Their last digits
# then depend on the processor.
compiled_reduction = numba.njit(
    cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "nnan", "nsz"}
)
