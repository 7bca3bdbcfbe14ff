"""Sums of exponentials that cannot overflow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from podium._types import FloatArray


@dataclass(frozen=True, slots=True)
class LogSum:
    """log Σ w e^(scale·x), the largest exponent and the rest kept apart: added up, the rest may be lost.

    ``a + b`` is that of both samples; minus infinity if nothing is summed.
    """

    largest: float
    rest: float = 0.0

    @classmethod
    def of(cls, x: FloatArray, weight: FloatArray | None, scale: float = 1.0) -> LogSum:
        if len(x) == 0:
            return cls(-np.inf)
        largest = scale * float(x.max() if scale > 0 else x.min())
        if largest == -np.inf:
            return cls(-np.inf)
        terms = _exponentials(x, scale, largest, 0.0)
        with np.errstate(divide="ignore"):  # weights may all be zero
            return cls(largest, float(np.log(terms.sum() if weight is None else terms @ weight)))

    @property
    def log(self) -> float:
        return self.largest + self.rest

    def __add__(self, other: LogSum) -> LogSum:
        largest = max(self.largest, other.largest)
        if largest == -np.inf:
            return self
        here, there = (part.largest - largest + part.rest for part in (self, other))
        return LogSum(largest, float(np.logaddexp(here, there)))

    def shares(self, x: FloatArray, weight: FloatArray | None, scale: float = 1.0) -> FloatArray:
        """What each row contributes, w e^(scale·x) over the sum; zeros if the sum is zero."""
        if self.log == -np.inf:
            return np.zeros_like(x)
        terms = _exponentials(x, scale, self.largest, self.rest)
        if weight is not None:
            terms *= weight
        return terms


def _exponentials(x: FloatArray, scale: float, largest: float, rest: float) -> FloatArray:
    """e^(scale·x − largest − rest) in one new array: with many rows, memory costs more than arithmetic."""
    terms = scale * x
    terms -= largest
    if rest:
        terms -= rest
    np.exp(terms, out=terms)
    return terms
