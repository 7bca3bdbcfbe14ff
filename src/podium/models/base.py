"""What a model offers: from rows and a parameter to scores, and back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from podium._types import FloatArray


class Model(ABC):
    """A class of scoring rules {s_θ}. Rows may be a dense array or a sparse matrix."""

    @abstractmethod
    def scores(self, X: Any, theta: FloatArray) -> FloatArray:
        """s_θ(x) for every row."""

    @abstractmethod
    def vjp(self, X: Any, theta: FloatArray, cotangent: FloatArray) -> FloatArray:
        """Σ_l c_l ∂s_θ(x_l)/∂θ: from a gradient in the scores to one in θ."""
