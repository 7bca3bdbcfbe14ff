"""How fast something grows or falls with the size of the sample: value ≈ constant · size^slope."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import optimize, stats

_STEP = 0.01  # of an exponent, for differences


@dataclass(frozen=True)
class PowerLaw:
    """A line through logarithms, with the interval of its slope."""

    slope: float
    low: float
    high: float

    @classmethod
    def fit(cls, sizes: npt.ArrayLike, values: npt.ArrayLike, confidence_level: float = 0.95) -> PowerLaw:
        """Least squares on the logarithms; sizes and values are positive, one of each per independent trial."""
        line = stats.linregress(np.log(sizes), np.log(values))
        reach = stats.t.ppf((1 + confidence_level) / 2, np.size(sizes) - 2) * line.stderr
        return cls(float(line.slope), float(line.slope - reach), float(line.slope + reach))

    def __str__(self) -> str:
        return f"{self.slope:+.3f} [{self.low:+.3f}, {self.high:+.3f}]"


def approach(sizes: npt.NDArray[np.int64], values: npt.NDArray[np.float64]) -> tuple[float, float]:
    """The exponent a of value ≈ limit − constant · size^(−a), and its standard error; infinite where nothing decides.

    Least squares on the means by size, weighted by their standard errors, because small samples vary more: limit and
    constant are linear given a, and the curvature of the sum of squares at its least value is twice the precision of a.
    """
    distinct, at = np.unique(sizes, return_inverse=True)
    counts = np.bincount(at)
    means = np.bincount(at, values) / counts
    spread = np.sqrt(np.bincount(at, (values - means[at]) ** 2) / (counts - 1))
    # Draws that happen to be equal, as in a handful of positives that are all ranked right, are not free of error.
    error = np.maximum(spread / np.sqrt(counts), 1e-3 * np.ptp(means))

    def squares(a: float) -> float:
        design = np.column_stack([np.ones(len(distinct)), (distinct / distinct[0]) ** -a]) / error[:, None]
        return float(np.sum((means / error - design @ np.linalg.lstsq(design, means / error)[0]) ** 2))

    grid = np.arange(0.05, 4, 0.05)
    best = float(grid[np.argmin([squares(a) for a in grid])])
    best = float(optimize.minimize_scalar(squares, bounds=(best - 0.05, best + 0.05), method="bounded").x)
    curvature = (squares(best + _STEP) - 2 * squares(best) + squares(best - _STEP)) / _STEP**2
    inside = grid[1] < best < grid[-2]
    return best, float(np.sqrt(2 / curvature)) if inside and curvature > 0 else np.inf
