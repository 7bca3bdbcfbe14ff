"""Columns of numbers on a scale that is linear in the middle and logarithmic in the tails."""

from __future__ import annotations

import numpy as np

from podium._fast.compiled import compiled


@compiled
def draw_in_tails(values, center, scale, straight, out):
    """(x − center)/scale, beyond ±straight its logarithm; the center where x is not finite."""
    for i in range(values.size):
        z = (values[i] - center) / scale if np.isfinite(values[i]) else 0.0
        beyond = abs(z) - straight
        out[i] = np.copysign(straight + np.log1p(beyond), z) if beyond > 0 else z
