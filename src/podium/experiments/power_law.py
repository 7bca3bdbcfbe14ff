"""How fast something grows or falls with the size of the sample: value ≈ constant · size^slope."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats


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
