"""Base class of models: from rows and a parameter to scores, and gradients back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

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
