"""A model with an intercept, for criteria that use one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from podium._types import FloatArray
from podium.models.base import Model
from podium.models.linear import LinearModel


@dataclass(frozen=True)
class WithIntercept(Model):
    """s_θ(x) of another model plus a number that is the same for all rows: the last entry of θ.

    Ranks do not change with it; a likelihood does.

    Parameters
    ----------
    model : Model
        The model that the intercept is added to.
    """

    model: Model = field(default_factory=LinearModel)

    def scores(self, X: Any, theta: FloatArray) -> FloatArray:
        return self.model.scores(X, theta[:-1]) + theta[-1]

    def vjp(self, X: Any, theta: FloatArray, cotangent: FloatArray) -> FloatArray:
        return np.append(self.model.vjp(X, theta[:-1], cotangent), cotangent.sum())

    def features(self, X: Any) -> Any:
        """The features of the model, and a column of ones."""
        return np.hstack([self.model.features(X), np.ones((X.shape[0], 1))])

    def n_features(self, n_columns: int) -> int:
        return self.model.n_features(n_columns) + 1

    @property
    def is_linear(self) -> bool:
        return self.model.is_linear
