"""Validation of user input: arrays, sparse matrices and data frames."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any, ParamSpec, TypeVar

import numpy as np
from sklearn.utils.validation import check_array, check_consistent_length, check_X_y, column_or_1d, validate_data

from podium._input import is_collection
from podium.exceptions import InputError
from podium.rankers.frames import Categories, column_of, holds_text, is_category, is_frame

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
    if not is_frame(X):
        return *_checked(ranker, X, y), None
    _refuse_equal_names(ranker, X)
    if ranker._keeps_frames():
        validate_data(ranker, X, skip_check_array=True)
        check_consistent_length(X, y)
        return X, column_or_1d(y, warn=True), None
    columns = [column_of(X, j) for j in range(X.shape[1])]
    if not ranker._accepts_categories():
        _refuse_text(ranker, X, columns)
    elif any(map(is_category, columns)):
        validate_data(ranker, X, skip_check_array=True)  # names and number of the columns
        known = getattr(ranker, "_categories", None) if ranker.warm_start else None
        categories = known or Categories.of(X)  # a fit that goes on keeps the codes of the last one
        return *check_X_y(categories.codes(X), y, **ranker._input_rules()), categories
    return *_checked(ranker, X, y), None


def open_to_rows(ranker: Any, X: Any, categories: Categories | None) -> Any:
    """Rows to score."""
    if is_frame(X):
        _refuse_equal_names(ranker, X)
    if is_frame(X) and (categories is not None or ranker._fitted_to_frame):
        validate_data(ranker, X, reset=False, skip_check_array=True)
        return X if categories is None else check_array(categories.codes(X), **ranker._input_rules())
    return _checked(ranker, X, reset=False)


def _checked(ranker: Any, X: Any, *y: Any, **options: Any) -> Any:
    """By scikit-learn's checks, but for missing values: those get the line that mends them."""
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
