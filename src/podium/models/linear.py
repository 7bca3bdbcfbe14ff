"""Linear scoring rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from podium._types import FloatArray
from podium.models.base import Model


@dataclass(frozen=True)
class LinearModel(Model):
    """s_θ(x) = ⟨θ, x⟩ (CLV21, §5.2, location model)."""

    def scores(self, X: Any, theta: FloatArray) -> FloatArray:
        return np.asarray(X @ theta)

    def vjp(self, X: Any, theta: FloatArray, cotangent: FloatArray) -> FloatArray:
        return np.asarray(X.T @ cotangent)

    def n_features(self, n_columns: int) -> int:
        return n_columns

    def features(self, X: Any) -> Any:
        """The columns as they are."""
        return X
