"""What the steps of a scikit-learn pipeline make of columns."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from functools import singledispatch
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import SelectorMixin
from sklearn.impute import SimpleImputer
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)

from podium._types import FloatArray
from podium.exceptions import InputError
from podium.workflow.exports.cells import Cell, Filled, Number
from podium.workflow.exports.expressions import constant, missing, where


def after(steps: Sequence[Any], cells: Sequence[Cell]) -> list[Cell]:
    """The columns that fitted steps make of others, one step after the other."""
    made = list(cells)
    for step in steps:
        made = _after(step, made)
    return made


@singledispatch
def _after(step: Any, cells: Sequence[Cell]) -> list[Cell]:
    raise InputError(
        f"Scalers, encoders, imputers and selections of columns can be exported; got a {type(step).__name__}.",
        "let what exports read the columns that this step makes, or score with podium.",
    )


@_after.register(str)
@_after.register(type(None))
def _(step: str | None, cells: Sequence[Cell]) -> list[Cell]:
    return list(cells)  # "passthrough"; what is dropped is not among those after which columns are asked for


@_after.register
def _(step: Pipeline, cells: Sequence[Cell]) -> list[Cell]:
    return after([one for _, one in step.steps], cells)


@_after.register
def _(step: FeatureUnion, cells: Sequence[Cell]) -> list[Cell]:
    weights = step.transformer_weights or {}
    made: list[Cell] = []
    for name, one in step.transformer_list:
        parts = [] if one == "drop" else _after(one, cells)
        made += [Number(part.number() * weights[name]) for part in parts] if name in weights else parts
    return made


@_after.register
def _(step: ColumnTransformer, cells: Sequence[Cell]) -> list[Cell]:
    names = [str(name) for name in getattr(step, "feature_names_in_", range(len(cells)))]
    chosen = [(one, _positions(columns, names)) for _, one, columns in step.transformers_]
    return [made for one, at in chosen if not _is(one, "drop") for made in _after(one, [cells[j] for j in at])]


def _is(step: Any, word: str) -> bool:
    return isinstance(step, str) and step == word


def _positions(columns: Any, names: list[str]) -> list[int]:
    """Columns by name or place, as a list or a slice of these, or by a mask."""
    places = pd.Series(range(len(names)), index=names)
    listed = [columns.start, columns.stop] if isinstance(columns, slice) else np.atleast_1d(columns).tolist()
    chosen: Any = places.loc if any(isinstance(one, str) for one in listed) else places.iloc
    return [int(place) for place in np.atleast_1d(chosen[columns])]


@_after.register
def _(step: FunctionTransformer, cells: Sequence[Cell]) -> list[Cell]:
    if step.func is not None:
        raise InputError(
            f"What a function of Python computes cannot be exported; a FunctionTransformer has {step.func!r}.",
            "compute it where the rows come from, and fit to the result.",
        )
    return list(cells)


@_after.register
def _(step: StandardScaler, cells: Sequence[Cell]) -> list[Cell]:
    return _affine(cells, -_or(step.mean_, step.with_mean, 0.0, cells), _or(step.scale_, step.with_std, 1.0, cells))


@_after.register
def _(step: RobustScaler, cells: Sequence[Cell]) -> list[Cell]:
    center, scale = _or(step.center_, step.with_centering, 0.0, cells), _or(step.scale_, step.with_scaling, 1.0, cells)
    return _affine(cells, -center, scale)


@_after.register
def _(step: MaxAbsScaler, cells: Sequence[Cell]) -> list[Cell]:
    made = _affine(cells, np.zeros(len(cells)), step.scale_)
    return _clipped(made, -1.0, 1.0) if getattr(step, "clip", False) else made


@_after.register
def _(step: MinMaxScaler, cells: Sequence[Cell]) -> list[Cell]:
    rows = zip(cells, step.scale_, step.min_, strict=True)
    made: list[Cell] = [Number(cell.number() * scale + least) for cell, scale, least in rows]
    return _clipped(made, *step.feature_range) if step.clip else made


def _or(values: Any, is_used: bool, default: float, cells: Sequence[Cell]) -> FloatArray:
    return np.asarray(values) if is_used and values is not None else np.full(len(cells), default)


def _affine(cells: Sequence[Cell], shift: Any, scale: Any) -> list[Cell]:
    parts = zip(cells, shift, scale, strict=True)
    shifted = ((cell.number() + by if by else cell.number(), size) for cell, by, size in parts)
    return [Number(x / size if size != 1 else x) for x, size in shifted]


def _clipped(cells: Sequence[Cell], low: float, high: float) -> list[Cell]:
    return [Number(where(x <= low, low, where(x > high, high, x))) for x in (cell.number() for cell in cells)]


@_after.register
def _(step: SimpleImputer, cells: Sequence[Cell]) -> list[Cell]:
    gap = step.missing_values
    if gap is not None and gap is not pd.NA and not (isinstance(gap, float) and math.isnan(gap)):
        raise InputError(
            f"An imputer of what is missing can be exported; got one of {gap!r}.",
            "SimpleImputer(missing_values=np.nan), after what stands for missing was made so.",
        )
    filled: list[Cell] = [
        Filled(cell, value) for cell, value in zip(cells, step.statistics_, strict=True) if not _is_nan(value)
    ]
    if step.indicator_ is None:
        return filled
    marks = (cells[j].number() for j in step.indicator_.features_)
    return [*filled, *(Number(where(missing(x), 1.0, 0.0)) for x in marks)]


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


@_after.register
def _(step: SelectorMixin, cells: Sequence[Cell]) -> list[Cell]:
    return [cells[j] for j in step.get_support(indices=True)]


@_after.register(OneHotEncoder)
@_after.register(OrdinalEncoder)
@_after.register(TargetEncoder)
def _(step: Any, cells: Sequence[Cell]) -> list[Cell]:
    """Asked what it makes of every category, of another value and of none; NaN where it would refuse."""
    firsts = [values[:1] for values in step.categories_]
    base = _outputs(step, firsts)[0]
    made: list[Cell] = [Number(constant(value)) for value in base]
    for j, (cell, values) in enumerate(zip(cells, step.categories_, strict=True)):
        known = [value for value in values.tolist() if not _is_gap(value)]
        gap = next((value for value in values.tolist() if _is_gap(value)), np.nan)
        of_known = _asked(step, firsts, j, known) if known else np.empty((0, len(base)))
        other, absent = (_asked(step, firsts, j, [value])[0] for value in (_unlike(known), gap))
        answers = np.vstack([of_known, *(one for one in (other, absent) if not np.isnan(one).all())])
        for k in np.flatnonzero(~((answers == base) | (np.isnan(answers) & np.isnan(base))).all(axis=0)):
            numbers = dict(zip(known, of_known[:, k].tolist(), strict=True))
            made[k] = Number(cell.by_value(numbers, float(other[k]), float(absent[k])))
    return made


def _asked(step: Any, firsts: Sequence[Any], j: int, values: Sequence[Any]) -> FloatArray:
    """The outputs for these values of a column, whatever is in the others; NaN for values that are refused."""
    columns = [values if i == j else [one[0]] * len(values) for i, one in enumerate(firsts)]
    try:
        return _outputs(step, columns)
    except ValueError:
        return np.full((len(values), _outputs(step, firsts).shape[1]), np.nan)


def _outputs(step: Any, columns: Sequence[Any]) -> FloatArray:
    names = getattr(step, "feature_names_in_", None)
    kinds = [object if one.dtype.kind in "OU" else None for one in step.categories_]  # of words, and gaps among them
    series = [pd.Series(list(column), dtype=kind) for column, kind in zip(columns, kinds, strict=True)]
    rows: Any = pd.DataFrame(dict(enumerate(series)))
    rows = rows.to_numpy() if names is None else rows.set_axis(names, axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about values that it does not know
        made = step.transform(rows)
    return np.asarray(made.toarray() if hasattr(made, "toarray") else made, dtype=np.float64)


def _is_gap(value: Any) -> bool:
    return value is None or value is pd.NA or _is_nan(value)


def _unlike(known: Sequence[Any]) -> Any:
    """A value that is none of these."""
    if known and not isinstance(known[0], str):
        return max(known) + 1.5
    return "?" * (1 + max(map(len, known), default=0))
