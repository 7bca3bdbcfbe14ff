"""A model: a straight line and a parabola in every column."""

from dataclasses import dataclass

import numpy as np

from podium.models import Model


@dataclass(frozen=True)
class ParabolaModel(Model):
    """s_θ(x) = Σ_j θ_j x_j + θ_{d+j} x_j²."""

    def features(self, X):
        return np.column_stack([X, X**2])

    def scores(self, X, theta):
        return self.features(X) @ theta

    def vjp(self, X, theta, cotangent):
        return self.features(X).T @ cotangent
