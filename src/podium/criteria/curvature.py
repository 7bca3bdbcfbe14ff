"""The curvature of a criterion in the weights of features, from terms that add up over chunks of rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from podium._types import FloatArray

_BLOCK = 1 << 12  # rows that stay in the cache
_NOTHING = 1e-18  # of the largest share


@dataclass(frozen=True, eq=False, slots=True)
class Scatter:
    """Shares of rows, the mean of their features, and Σ share·(f − mean)(f − mean)ᵀ. ``a + b`` is that of both."""

    share: float
    mean: FloatArray
    matrix: FloatArray

    @classmethod
    def of(cls, shares: FloatArray, features: FloatArray) -> Scatter:
        """Of rows with a positive share."""
        counts = np.flatnonzero(shares > _NOTHING * shares.max())
        blocks = [counts[start : start + _BLOCK] for start in range(0, len(counts), _BLOCK)]
        total = float(shares[counts].sum())
        matrix = np.zeros((features.shape[1], features.shape[1]))
        mean = sum((shares[block] @ features[block] for block in blocks), np.zeros(len(matrix))) / (total or 1.0)
        for block in blocks:
            centered = features[block] - mean
            matrix += (centered.T * shares[block]) @ centered
        return cls(total, mean, matrix)

    def __add__(self, other: Scatter) -> Scatter:
        share, shift = self.share + other.share, other.mean - self.mean
        part = other.share / share if share else 0.0
        between = self.share * part * np.outer(shift, shift)
        return Scatter(share, self.mean + part * shift, self.matrix + other.matrix + between)


@dataclass(frozen=True, eq=False, slots=True)
class CurvatureTerms:
    """Factors and scatters whose sum is the curvature. ``a + b`` is that of both chunks."""

    terms: tuple[tuple[float, Scatter], ...]

    def __add__(self, other: CurvatureTerms) -> CurvatureTerms:
        pairs = zip(self.terms, other.terms, strict=True)
        return CurvatureTerms(tuple((factor, mine + its) for (factor, mine), (_, its) in pairs))

    def matrix(self) -> FloatArray:
        """The curvature, from the terms of all rows."""
        return np.asarray(sum(factor * part.matrix for factor, part in self.terms))
