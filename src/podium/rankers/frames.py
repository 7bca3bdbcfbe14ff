"""Data frames of pandas and polars: selecting rows, and coding categorical columns."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from podium._types import FloatArray
from podium.exceptions import InputError


def is_frame(X: Any) -> bool:
    """Whether rows are a data frame; checked without importing either library."""
    return hasattr(X, "columns") and (hasattr(X, "iloc") or hasattr(X, "to_series"))


def rows_of(X: Any, chosen: npt.NDArray[Any]) -> Any:
    """Some rows of an array, a sparse matrix or a data frame, by a mask or by their positions."""
    if not is_frame(X):
        return X[chosen]
    positions = np.flatnonzero(chosen) if chosen.dtype == np.bool_ else chosen
    return X.iloc[positions] if hasattr(X, "iloc") else X[positions]


def column_of(X: Any, j: int) -> Any:
    """A column of a data frame, by its position."""
    return X.iloc[:, j] if hasattr(X, "iloc") else X.to_series(j)


def with_column_in_order(X: Any, j: int, order: npt.NDArray[np.intp]) -> Any:
    """A copy of a data frame in which one column has its values in another order."""
    column = column_of(X, j)
    if hasattr(X, "iloc"):
        changed = X.copy()
        changed.isetitem(j, column.iloc[order].set_axis(X.index))
        return changed
    return X.clone().replace_column(j, column[order])


def is_category(column: Any) -> bool:
    """Whether a column holds categories: by its type, or because it holds text."""
    kind = str(column.dtype).lower()
    if kind.startswith(("categor", "enum", "str", "utf8")):
        return True
    return kind == "object" and any(isinstance(value, str) for value in column)


def holds_text(column: Any) -> bool:
    """Whether a column of categories cannot be read as numbers."""
    return is_category(column) and any(isinstance(value, str) for value in column)


def numbers(X: Any) -> FloatArray:
    """A data frame as numbers, the same for equal rows: texts by their checksums."""
    columns = [column_of(X, j) for j in range(X.shape[1])]
    return np.column_stack([_checksums(each) if is_category(each) else _floats(each) for each in columns])


@dataclass(frozen=True, eq=False)
class Categories:
    """The values of each column of categories, by the position of the column; codes are places among them."""

    values: dict[int, list[Any]]

    def __post_init__(self) -> None:
        for each in self.values.values():
            if any(isinstance(value, (list, tuple, dict, set, np.ndarray)) for value in each):
                raise ValueError("categories are single values")

    @classmethod
    def of(cls, X: Any) -> Categories:
        """Of the training rows of a data frame."""
        columns = {j: column_of(X, j) for j in range(X.shape[1])}
        distinct = {j: {v for v in each if not _is_missing(v)} for j, each in columns.items() if is_category(each)}
        return cls({j: sorted(values, key=lambda v: (str(type(v)), v)) for j, values in distinct.items()})

    def codes(self, X: Any) -> FloatArray:
        """The data frame as numbers: codes of categories, NaN where they are missing or were not seen in training."""
        parts = []
        for j in range(X.shape[1]):
            column = column_of(X, j)
            if j in self.values:
                place = {value: float(k) for k, value in enumerate(self.values[j])}
                parts.append(np.array([np.nan if _is_missing(v) else place.get(v, np.nan) for v in column]))
            else:
                parts.append(_floats(column))
        return np.column_stack(parts)


def _floats(column: Any) -> FloatArray:
    """Numbers, NaN where they are missing."""
    try:
        if hasattr(column, "iloc"):
            return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
        return np.asarray(column.to_numpy(), dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"A column that held numbers in training needs numbers; {column.name!r} has others.") from None


def _checksums(column: Any) -> FloatArray:
    return np.array([np.nan if _is_missing(v) else float(zlib.crc32(str(v).encode())) for v in column])


def _is_missing(value: Any) -> bool:
    """None, NaN, or pandas' NA, whose comparison has no truth value."""
    try:
        return value is None or bool(value != value)
    except TypeError:
        return True
