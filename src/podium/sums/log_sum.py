"""Sums of exponentials that cannot overflow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from podium._types import FloatArray


@dataclass(frozen=True, slots=True)
class LogSum:
    """log Σ w e^(scale·x). ``a + b`` is that of both samples; minus infinity if nothing is summed."""

    log: float

    @classmethod
    def of(cls, x: FloatArray, weight: FloatArray | None, scale: float = 1.0) -> LogSum:
        if len(x) == 0:
            return cls(-np.inf)
        largest = scale * float(x.max() if scale > 0 else x.min())
        if largest == -np.inf:
            return cls(-np.inf)
        terms = _exponentials(x, scale, largest)
        with np.errstate(divide="ignore"):  # weights may all be zero
            return cls(float(largest + np.log(terms.sum() if weight is None else terms @ weight)))

    def __add__(self, other: LogSum) -> LogSum:
        return LogSum(float(np.logaddexp(self.log, other.log)))

    def shares(self, x: FloatArray, weight: FloatArray | None, scale: float = 1.0) -> FloatArray:
        """What each row contributes, w e^(scale·x) over the sum; zeros if the sum is zero."""
        if self.log == -np.inf:
            return np.zeros_like(x)
        terms = _exponentials(x, scale, self.log)
        if weight is not None:
            terms *= weight
        return terms


def _exponentials(x: FloatArray, scale: float, shift: float) -> FloatArray:
    """e^(scale·x − shift) in one new array: with many rows, memory costs more than arithmetic."""
    terms = scale * x
    terms -= shift
    np.exp(terms, out=terms)
    return terms
