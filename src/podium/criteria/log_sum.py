"""Sums of exponentials that cannot overflow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from podium._input import FloatArray


@dataclass(frozen=True, slots=True)
class LogSum:
    """log Σ w e^x. ``a + b`` is that of both samples; minus infinity if nothing is summed."""

    log: float

    @classmethod
    def of(cls, x: FloatArray, weight: FloatArray | None) -> LogSum:
        largest = x.max(initial=-np.inf)
        if largest == -np.inf:
            return cls(-np.inf)
        terms = np.exp(x - largest)
        with np.errstate(divide="ignore"):  # weights may all be zero
            return cls(float(largest + np.log(terms.sum() if weight is None else terms @ weight)))

    def __add__(self, other: LogSum) -> LogSum:
        return LogSum(float(np.logaddexp(self.log, other.log)))

    def shares(self, x: FloatArray, weight: FloatArray | None) -> FloatArray:
        """What each row contributes, w e^x over the sum; zeros if the sum is zero."""
        if self.log == -np.inf:
            return np.zeros_like(x)
        terms = np.exp(x - self.log)
        return terms if weight is None else terms * weight
