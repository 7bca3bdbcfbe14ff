"""Where scores stand among those of a reference: φ at their ranks, on a scale from 0 to 1."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from podium._types import FloatArray
from podium.phi import Phi


def standing(phi: Phi, reference: FloatArray, scores: npt.NDArray[Any]) -> FloatArray:
    """(φ(u) − φ(0))/(φ(1) − φ(0)) at the share u of the sorted reference below; of ties the mean over their places."""
    low, high = (np.searchsorted(reference, scores, side=side) / len(reference) for side in ("left", "right"))
    value = phi.value(low)
    tied = high > low
    area = phi.integral(high[tied]) - phi.integral(low[tied])
    value[tied] = area / (high[tied] - low[tied])
    least, most = phi.value(np.array([0.0, 1.0]))
    return np.asarray((value - least) / (most - least))


def shares_below(scores: FloatArray) -> FloatArray:
    """The share of the other rows of a list that are below each, those tied with it counting half; ½ of one row."""
    ordered = np.sort(scores)
    below, upto = (np.searchsorted(ordered, scores, side=side) for side in ("left", "right"))
    return np.asarray((below + (upto - below - 1) / 2) / (len(scores) - 1)) if len(scores) > 1 else np.full(1, 0.5)
