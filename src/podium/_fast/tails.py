"""Columns of numbers on a scale that is linear in the middle and logarithmic in the tails."""

from __future__ import annotations

import numpy as np

from podium._fast.compiled import compiled


@compiled
def draw_in_tails(values, center, scale, straight, step, out):
    """(x − center)/scale, beyond ±straight its logarithm; the center where x is not finite.

    Rounded to a multiple of ``step``, a power of two, unless that is 0.
    """
    for i in range(values.size):
        z = (values[i] - center) / scale if np.isfinite(values[i]) else 0.0
        beyond = abs(z) - straight
        z = np.copysign(straight + np.log1p(beyond), z) if beyond > 0 else z
        out[i] = np.floor(z * (1 / step) + 0.5) * step if step > 0 else z
