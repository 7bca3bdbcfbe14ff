"""Where scores lie and how far they spread, so that those of different models can be compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from podium._types import FloatArray


@dataclass(frozen=True)
class LocationScale:
    """Mean and mean absolute deviation: no squares, which of huge scores would be no numbers."""

    center: float
    spread: float

    @classmethod
    def of(cls, scores: FloatArray, weight: FloatArray | None) -> LocationScale:
        """Of some scores, each with its weight."""
        low, high = float(scores.min()), float(scores.max())
        if low == high:  # whose mean may be off by a last bit, and that would be their spread
            return cls(low, 0.0)
        share = np.full(len(scores), 1 / len(scores)) if weight is None else weight / weight.sum()
        center = float(share @ scores)
        return cls(center, float(share @ np.abs(scores - center)))

    def moved_to(self, other: LocationScale, scores: FloatArray) -> FloatArray:
        """Scores of this location and scale on the other one; equal scores stay as far from the center as they are."""
        factor = other.spread / self.spread if self.spread > 0 else 1.0
        return other.center + factor * (scores - self.center)
