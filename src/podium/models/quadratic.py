"""Quadratic scoring rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from podium._types import FloatArray
from podium.models.base import Model

_ROOT_TWO = float(np.sqrt(2))
_BLOCK = 2**14  # rows at a time: X Θ stays in the cache


@dataclass(frozen=True)
class QuadraticModel(Model):
    """s_θ(z) = ⟨z, Θz⟩ + ⟨b, z⟩ with Θ symmetric, b only with ``linear_term`` (CLV21, §5.2, scale model).

    θ holds the diagonal of Θ, √2 times its upper triangle row by row, then b; so the norm of θ is that of Θ and b, and
    the model is linear in z_i², √2·z_i z_j and z_i. (The paper asks for a positive definite Θ⁻¹; the optimal
    Σ_Y⁻¹ − Σ_X⁻¹ need not be definite, so symmetric is the right class.)

    Parameters
    ----------
    linear_term : bool
        Whether b is free; without it scores are purely quadratic.
    """

    linear_term: bool = True

    def scores(self, X: Any, theta: FloatArray) -> FloatArray:
        matrix, linear = self.unpack(theta, X.shape[1])
        scores = np.empty(len(X))
        for start in range(0, len(X), _BLOCK):
            rows = X[start : start + _BLOCK]
            scores[start : start + _BLOCK] = np.einsum("ij,ij->i", rows @ matrix + linear, rows)
        return scores

    def vjp(self, X: Any, theta: FloatArray, cotangent: FloatArray) -> FloatArray:
        matrix = np.zeros((X.shape[1], X.shape[1]))
        for start in range(0, len(X), _BLOCK):
            rows = X[start : start + _BLOCK]
            matrix += rows.T @ (cotangent[start : start + _BLOCK, None] * rows)
        return self.pack(matrix, X.T @ cotangent)

    def features(self, X: FloatArray) -> FloatArray:
        """z_i², √2·z_i z_j for i < j, and z_i: the model is linear in these."""
        upper = _upper(X.shape[1])
        parts = [X**2, _ROOT_TWO * X[:, upper[0]] * X[:, upper[1]]]
        return np.concatenate([*parts, X] if self.linear_term else parts, axis=1)

    def n_features(self, n_columns: int) -> int:
        return n_columns * (n_columns + 1) // 2 + (n_columns if self.linear_term else 0)

    def pack(self, matrix: FloatArray, linear: FloatArray) -> FloatArray:
        """θ from a symmetric Θ and b.

        Parameters
        ----------
        matrix : array of shape (n_columns, n_columns)
            The symmetric matrix Θ.
        linear : array of shape (n_columns,)
            The vector b.
        """
        parts = [np.diag(matrix), _ROOT_TWO * matrix[_upper(len(matrix))]]
        return np.concatenate([*parts, linear] if self.linear_term else parts)

    def unpack(self, theta: FloatArray, n_columns: int) -> tuple[FloatArray, FloatArray]:
        """Θ and b from θ.

        Parameters
        ----------
        theta : array
            The parameters as one vector.
        n_columns : int
            The number of columns of a row.
        """
        n_pairs = n_columns * (n_columns - 1) // 2
        matrix = np.diag(theta[:n_columns])
        upper = _upper(n_columns)
        matrix[upper] = theta[n_columns : n_columns + n_pairs] / _ROOT_TWO
        matrix.T[upper] = matrix[upper]
        linear = theta[n_columns + n_pairs :] if self.linear_term else np.zeros(n_columns)
        return matrix, linear


def _upper(n_columns: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    return np.triu_indices(n_columns, 1)
