"""SplitMix64 (Steele, Lea and Flood, 2014): consecutive keys become numbers without visible pattern."""

from __future__ import annotations

import numpy as np

from podium._fast.compiled import compiled

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_30, _27, _31 = np.uint64(30), np.uint64(27), np.uint64(31)


@compiled
def splitmix(keys, start, n_times):
    """Each key, shifted by ``start`` and mixed so many times."""
    out = np.empty(keys.size, np.uint64)
    for i in range(keys.size):
        z = keys[i] + start
        for time in range(n_times):
            if time:
                z += GOLDEN
            z = (z ^ (z >> _30)) * _FIRST
            z = (z ^ (z >> _27)) * _SECOND
            z = z ^ (z >> _31)
        out[i] = z
    return out
