"""User input: arrays, sparse matrices and data frames, checked, and categorical columns coded."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from importlib import import_module
from typing import Any, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt

from podium._input import is_collection
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
            if not all(_is_single(value) for value in each):
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


def _is_single(value: Any) -> bool:
    try:
        hash(value)  # an object may hold an array
    except TypeError:
        return False
    return not isinstance(value, (tuple, frozenset))


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


Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


def takes_collections(method: Callable[Arguments, Answer]) -> Callable[Arguments, Answer]:
    """Where X is a collection, the function of the same name in `podium.distributed.fit` answers for a ranker."""

    @wraps(method)
    def dispatched(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Answer:
        if is_collection(args[1] if len(args) > 1 else kwargs.get("X")):
            return getattr(import_module("podium.distributed.fit"), method.__name__)(*args, **kwargs)
        return method(*args, **kwargs)

    return dispatched


def open_to_training(ranker: Any, X: Any, y: Any) -> tuple[Any, Any, Categories | None]:
    """Rows and labels as the ranker takes them, and the categories of a data frame where it takes these."""
    from sklearn.utils import validation  # here: what is known of a model is read without it, half a second sooner

    if not is_frame(X):
        return *_checked(ranker, X, y), None
    _refuse_equal_names(ranker, X)
    if ranker._keeps_frames():
        validation.validate_data(ranker, X, skip_check_array=True)
        validation.check_consistent_length(X, y)
        return X, validation.column_or_1d(y, warn=True), None
    columns = [column_of(X, j) for j in range(X.shape[1])]
    if not ranker._accepts_categories():
        _refuse_text(ranker, X, columns)
    elif any(map(is_category, columns)):
        validation.validate_data(ranker, X, skip_check_array=True)  # names and number of the columns
        known = getattr(ranker, "_categories", None) if ranker.warm_start else None
        categories = known or Categories.of(X)  # a fit that goes on keeps the codes of the last one
        return *validation.check_X_y(categories.codes(X), y, **ranker._input_rules()), categories
    return *_checked(ranker, X, y), None


def open_to_rows(ranker: Any, X: Any, categories: Categories | None) -> Any:
    """Rows to score."""
    from sklearn.utils import validation

    if is_frame(X):
        _refuse_equal_names(ranker, X)
    if is_frame(X) and (categories is not None or ranker._fitted_to_frame):
        validation.validate_data(ranker, X, reset=False, skip_check_array=True)
        return X if categories is None else validation.check_array(categories.codes(X), **ranker._input_rules())
    return _checked(ranker, X, reset=False)


def _checked(ranker: Any, X: Any, *y: Any, **options: Any) -> Any:
    """By scikit-learn's checks, but for missing values: those get the line that mends them."""
    from sklearn.utils.validation import validate_data

    rules = ranker._input_rules()
    try:
        with np.errstate(invalid="ignore"):  # a sum of its check may be infinity less infinity
            return validate_data(ranker, X, *y, **options, **rules)
    except ValueError as error:
        name = type(ranker).__name__
        if str(error).startswith("could not convert string to float"):
            text = str(error).partition(": ")[2].removeprefix("np.str_(").removesuffix(")")
            raise InputError(
                f"{name} needs a number in every cell; got the text {text}.",
                "encode columns of text, for instance by OneHotEncoder, or pass a data frame to GradientBoostedRanker "
                "or TreeRanker, which take categories.",
            ) from None
        if not str(error).startswith("Input X contains NaN"):
            raise
        raise InputError(
            f"{name} needs a number in every cell; got NaN, a missing value.",
            f"make_pipeline(SimpleImputer(strategy='median', add_indicator=True), {name}(...)) fills them, and says "
            "where; GradientBoostedRanker, TreeRanker and ForestRanker accept missing values.",
        ) from None


def _refuse_equal_names(ranker: Any, X: Any) -> None:
    names, counts = np.unique([str(name) for name in X.columns], return_counts=True)
    if (counts > 1).any():
        raise InputError(
            f"{type(ranker).__name__} needs a name of its own for every column; got more than one "
            f"{str(names[np.argmax(counts)])!r}.",
            "rename the columns, or pass X.to_numpy().",
        )


def _refuse_text(ranker: Any, X: Any, columns: list[Any]) -> None:
    named = [name for name, column in zip(X.columns, columns, strict=True) if holds_text(column)]
    if named:
        name = type(ranker).__name__
        raise InputError(
            f"{name} needs numbers; got text or categories in {', '.join(map(repr, named[:5]))}"
            f"{', …' if len(named) > 5 else ''}.",
            f"make_pipeline(make_column_transformer((OneHotEncoder(handle_unknown='ignore'), {named[:5]}), "
            f"remainder='passthrough'), {name}(...)); GradientBoostedRanker and TreeRanker take categories.",
        )
