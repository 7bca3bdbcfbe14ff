"""Checks of what a user gives a model: means, covariances, symmetric matrices."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from podium import _input
from podium._types import FloatArray
from podium.exceptions import InputError


def check_dimension(dimension: int | None, default: int, *given: npt.ArrayLike | None) -> int:
    """The number of columns: as named, else that of the first array given, else the default."""
    if dimension is not None:
        return _input.check_integer("dimension", dimension, 1)
    return next((len(np.atleast_1d(np.asarray(array))) for array in given if array is not None), default)


def check_array(name: str, given: npt.ArrayLike, shape: tuple[int, ...]) -> FloatArray:
    """Finite numbers of this shape."""
    array = np.array(given, dtype=np.float64)
    if array.shape != shape:
        raise InputError(
            f"{name} must have the shape {shape}; got {array.shape}.", "all arrays of a model share its columns."
        )
    if not np.isfinite(array).all():
        raise InputError(f"{name} must be finite; it has values that are not.")
    return array


def check_symmetric(name: str, given: npt.ArrayLike, dimension: int) -> FloatArray:
    """A symmetric matrix."""
    matrix = check_array(name, given, (dimension, dimension))
    if not np.allclose(matrix, matrix.T, rtol=1e-9, atol=1e-12 * float(np.abs(matrix).max())):
        raise InputError(f"{name} must be symmetric; it is not.", "(A + A.T) / 2 is.")
    return matrix


def check_covariance(name: str, given: npt.ArrayLike, dimension: int) -> FloatArray:
    """A symmetric matrix whose eigenvalues are positive."""
    matrix = check_symmetric(name, given, dimension)
    least = float(np.linalg.eigvalsh(matrix)[0])
    if not least > 0:
        raise InputError(f"{name} must have positive eigenvalues; the least is {least:.3g}.")
    return matrix
