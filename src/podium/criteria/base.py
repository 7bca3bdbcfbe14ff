"""What every criterion offers."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy.typing as npt

from podium._input import FloatArray


class Criterion(ABC):
    """One number from scores and labels, larger is better, with its gradient in the scores.

    It depends on how positives and negatives are ordered, never on what they are.
    """

    @abstractmethod
    def value_and_gradient(
        self, scores: npt.ArrayLike, is_positive: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None
    ) -> tuple[float, FloatArray]:
        """The value, and its derivative with respect to every score."""
