"""Independent lists: standard errors from the limits of each, on the side of the value they may have in common.

The sampling law of ω̂ of a short list leans, the more the nearer ω is to 1, and a variance does not know it: with it,
equal scorers of 15/45 and 100/300 rows (an AUC of .96) were told apart at the 5 % level in 13 % of lists, of 10/90 and
300/2,700 in 16 %. The limits of each list's own interval do know it (Zou and Donner 2008).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from podium._normal import normal_quantile
from podium._types import FloatArray
from podium.inference.intervals.limits import Limits
from podium.inference.lists.covariance import Covariance

Errors = tuple[FloatArray, FloatArray]


def one_sided_errors(values: FloatArray, limits: Sequence[Limits], levels: Sequence[float]) -> Errors:
    """Distances from estimates down to their lower and up to their upper limits, in normal quantiles of the levels."""
    quantiles = np.array([normal_quantile(level) for level in levels])
    down, up = values - np.array([each.low for each in limits]), np.array([each.high for each in limits]) - values
    return np.maximum(down, 1e-12) / quantiles, np.maximum(up, 1e-12) / quantiles


def around_common_value(values: FloatArray, covariance: Covariance, errors: Errors) -> Covariance:
    """The covariance of estimates if all have one value in common: each with its error on the side of that value."""
    below, above = errors
    chosen = np.maximum(below, above)
    for _ in range(3):  # the mean moves by ever less
        weight = 1 / chosen**2
        chosen = np.where(values > weight @ values / weight.sum(), below, above)
    return covariance.with_errors(chosen)
