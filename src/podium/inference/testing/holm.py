"""Many tests at once."""

from __future__ import annotations

import numpy as np

from podium._types import FloatArray


def holm(pvalues: FloatArray) -> FloatArray:
    """Adjusted by Holm's method: the k-th smallest of K times K − k + 1, made nondecreasing, at most 1."""
    order = np.argsort(pvalues)
    adjusted = np.empty(len(pvalues))
    adjusted[order] = np.maximum.accumulate(pvalues[order] * np.arange(len(pvalues), 0, -1)).clip(max=1.0)
    return adjusted
