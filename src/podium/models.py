"""Models: classes of scoring rules, from rows and a parameter to scores, and gradients back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from podium._types import FloatArray
from podium.exceptions import InputError


class Model(ABC):
    """Base of the models: a class of scoring rules s_θ with a vector θ of parameters.

    A model of your own implements :meth:`scores` and :meth:`vjp`. Where scores are linear in θ,
    s_θ(x) = ⟨θ, features(x)⟩, it also says in which :meth:`features`: then the length of θ is known, and criteria with
    a curvature can be climbed by Newton's method. A model that is not linear in θ says by :meth:`n_features` how long
    θ is. Rows come as a dense array of type float64, to :class:`~podium.models.LinearModel` also as a sparse matrix.
    """

    @abstractmethod
    def scores(self, X: Any, theta: FloatArray) -> FloatArray:
        """The score s_θ(x) of every row.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
            The rows, with the columns of the training.
        theta : array of shape (n_features(n_columns),)
            The parameters θ of the model.

        Returns
        -------
        ndarray of shape (n_rows,)
            One score per row.
        """

    @abstractmethod
    def vjp(self, X: Any, theta: FloatArray, cotangent: FloatArray) -> FloatArray:
        """Σ_l c_l ∂s_θ(x_l)/∂θ: from a gradient c in the scores to one in θ.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
            The rows, with the columns of the training.
        theta : array of shape (n_features(n_columns),)
            The parameters θ of the model.
        cotangent : array of shape (n_rows,)
            A number c for every score, such as the gradient of a criterion.

        Returns
        -------
        ndarray of shape (n_features(n_columns),)
            The gradient in θ.
        """

    def features(self, X: Any) -> Any:
        """What scores are linear in, one column per entry of θ.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns)
            The rows, with the columns of the training.

        Returns
        -------
        ndarray or sparse matrix of shape (n_rows, n_features)
            One row per row of ``X``, one column per entry of θ.
        """
        raise InputError(
            f"{type(self).__name__} names no features that its scores are linear in.",
            "implement features(X), or n_features(n_columns) where scores are not linear in the parameter.",
        )

    def n_features(self, n_columns: int) -> int:
        """The length of θ for rows of so many columns; by default, how many features such a row has.

        Parameters
        ----------
        n_columns : int
            The number of columns of a row.

        Returns
        -------
        int
            The length of θ.
        """
        return int(self.features(np.zeros((1, n_columns))).shape[1])

    @property
    def is_linear(self) -> bool:
        """Whether scores are linear in θ: whether the model names its features."""
        return type(self).features is not Model.features


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


@dataclass(frozen=True)
class DefiniteModel(Model):
    """s_θ(z) = ⟨z, Θ⁻¹z⟩ with Θ symmetric and positive definite: the class that CLV21 prints for its scale models.

    θ holds Θ as in :class:`QuadraticModel` without its linear term, so that a step along the gradient in θ is one along
    that in Θ. The optimal matrix need not be definite, and then this class does not hold the optimal score.
    """

    def scores(self, X: Any, theta: FloatArray) -> FloatArray:
        return _SQUARES.scores(X, _SQUARES.pack(self.inverse(theta, X.shape[1]), np.empty(0)))

    def vjp(self, X: Any, theta: FloatArray, cotangent: FloatArray) -> FloatArray:
        inverse = self.inverse(theta, X.shape[1])
        by_inverse, _ = _SQUARES.unpack(_SQUARES.vjp(X, theta, cotangent), X.shape[1])
        return _SQUARES.pack(-inverse @ by_inverse @ inverse, np.empty(0))

    def n_features(self, n_columns: int) -> int:
        return _SQUARES.n_features(n_columns)

    def inverse(self, theta: FloatArray, n_columns: int) -> FloatArray:
        """Θ⁻¹ from θ.

        Parameters
        ----------
        theta : array
            The parameters as one vector.
        n_columns : int
            The number of columns of a row.
        """
        values, vectors = np.linalg.eigh(_SQUARES.unpack(theta, n_columns)[0])
        if values[0] <= 0:
            raise InputError(
                f"Θ must be positive definite; its least eigenvalue is {values[0]:.3g}.",
                "a step of a solver may leave the class, and nothing leads back: take smaller steps or a larger start.",
            )
        return np.asarray(vectors / values @ vectors.T)


_SQUARES = QuadraticModel(linear_term=False)


def _upper(n_columns: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    return np.triu_indices(n_columns, 1)


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


__all__ = ["DefiniteModel", "LinearModel", "Model", "QuadraticModel", "WithIntercept"]
