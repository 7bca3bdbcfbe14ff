"""The only door for user input: everything beneath trusts what comes through here.

Every refusal is a sentence that says what is needed and what was got, with a hint.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from podium import _memory
from podium._types import Array, BoolArray, FloatArray, Sample
from podium.exceptions import DegenerateSampleError, InputError, InputTypeError

# Sums of weights, and their reciprocals, are numbers; where weights multiply each other (in training, in variances),
# products of three are.
HEAVIEST, HEAVIEST_IN_PRODUCTS = 1e300, 1e75

# Before a long list is ranked there must be room: beyond it, the system ends the process without a word.
_MANY, _BYTES_PER_ROW = 1_000_000, 20  # the least that any measure needs, of those that keep a rank for every row

# Pairs of labels whose positive one needs no telling.
_PLAIN_LABELS = ({0, 1}, {-1, 1})


def is_collection(value: Any) -> bool:
    """Whether it is a Dask array, series or dataframe: what tells of a graph of tasks."""
    return hasattr(type(value), "__dask_graph__")


def kind_of_lazy(value: Any) -> str | None:
    """The package of a table that is not in memory: LazyFrames, datasets of Arrow, Spark frames; None of all else."""
    package, marks = type(value).__module__.partition(".")[0], {"polars": "sink_parquet"}
    marks |= {"pyarrow": "get_fragments", "pyspark": "sparkSession"}
    return package if package in marks and hasattr(value, marks[package]) else None


def check_sample(
    y_true: npt.ArrayLike,
    y_score: npt.ArrayLike,
    sample_weight: npt.ArrayLike | None = None,
    pos_label: Any = None,
    *,
    largest_weight: float = HEAVIEST,
) -> Sample:
    """Labels, scores and weights as users give them, checked; rows of weight zero are dropped."""
    values = check_scores(y_score)
    if len(values) >= _MANY:
        _memory.require(len(values) * _BYTES_PER_ROW, f"Ranking {len(values):,} rows", "use a sample of the rows.")
    is_positive = check_labels(y_true, pos_label)
    if len(values) != len(is_positive):
        raise InputError(
            f"y_true and y_score must have the same length; got {len(is_positive)} labels and {len(values)} scores.",
            "each score belongs to the label at the same position.",
        )
    weight = None
    if sample_weight is not None:
        weight = check_weights(sample_weight, len(values), largest_weight)
        if not weight.all():
            kept = weight > 0
            values, is_positive, weight = values[kept], is_positive[kept], weight[kept]
    n_pos = int(np.count_nonzero(is_positive))
    if n_pos in (0, len(is_positive)):
        raise DegenerateSampleError(
            f"A ranking is judged by pairs: it needs at least one positive and one negative; got {n_pos} positive and "
            f"{len(is_positive) - n_pos} negative{' of positive weight' if weight is not None else ''}.",
            "check the labels; pass pos_label if the positive class is named otherwise.",
        )
    return Sample(values, is_positive, weight)


def check_scores(y_score: npt.ArrayLike, name: str = "y_score") -> Array:
    """A one-dimensional array of finite numbers: float64, which holds them exactly, save whole numbers beyond 2⁵³."""
    values = column_of(y_score, name)
    if values.dtype.kind == "O":
        values = _numeric_column(y_score, name)
    if values.dtype.kind not in "biuf":
        raise InputTypeError(
            f"{name} must be numbers; got {_kind_of(values)}.",
            "scores are what decision_function or predict_proba(X)[:, 1] returns.",
        )
    if values.dtype.kind == "f":
        _refuse_non_finite(values, name)
    elif values.dtype.itemsize == 8 and max(-int(values.min()), int(values.max())) > 2**53:
        return np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("="))
    return np.ascontiguousarray(values, dtype=np.float64)


def check_labels(y_true: npt.ArrayLike, pos_label: Any = None) -> BoolArray:
    """Which labels are positive: {0, 1}, {-1, 1}, booleans, or any two values with ``pos_label``."""
    y = column_of(y_true, "y_true")
    if y.dtype == np.bool_ and pos_label is None:
        return np.ascontiguousarray(y)
    present = labels_of(y)
    if pos_label is not None:
        if pos_label not in present:
            raise InputError(
                f"pos_label={pos_label!r} does not occur in y_true; got the labels {present}.",
                f"pass one of them, for instance pos_label={present[-1]!r}.",
            )
        return np.asarray(y == pos_label, dtype=np.bool_)
    if not any(set(present) <= plain for plain in _PLAIN_LABELS):
        raise InputError(
            f"y_true needs pos_label unless its labels are 0 and 1, -1 and 1, or booleans; got the labels {present}.",
            f"pass pos_label={present[-1]!r} if that is the class to rank on top.",
        )
    return np.asarray(y == 1, dtype=np.bool_)


def labels_of(y: Array) -> list[Any]:
    """The labels that occur, two at most."""
    if y.dtype.kind in "fc" and np.isnan(y).any():
        raise InputError(
            f"y_true must not be missing; got NaN in {int(np.isnan(y).sum())} of {len(y)} rows.",
            "drop the rows without a label.",
        )
    present = _distinct(y)
    refuse_third_label(present)
    return present


def refuse_third_label(present: Sequence[Any], where: str = "") -> None:
    """Two classes make pairs; ``where`` says where the last of the labels occurs."""
    if len(present) > 2:
        shown = ", ".join(repr(v) for v in present[:5]) + (", …" if len(present) > 5 else "")
        raise InputError(
            f"y_true must have two labels; got {len(present)}: {shown}{where}.",
            "for one class against the rest pass y_true == that_class; for grades, y_true >= a grade.",
        )


def check_weights(
    sample_weight: npt.ArrayLike, n_rows: int, largest: float = HEAVIEST, *, may_be_zero: bool = False
) -> FloatArray:
    """Non-negative weights of which at least one is positive, each zero or between 1/largest and ``largest``."""
    w = column_of(sample_weight, "sample_weight")
    if w.dtype.kind not in "biuf":
        raise InputTypeError(f"sample_weight must be numbers; got {_kind_of(w)}.")
    w = np.ascontiguousarray(w, dtype=np.float64)
    if len(w) != n_rows:
        raise InputError(f"sample_weight must have one entry per row; got {len(w)} weights for {n_rows} rows.")
    _refuse_non_finite(w, "sample_weight")
    if w.min() < 0:
        raise InputError(
            f"sample_weight must not be negative; got {int((w < 0).sum())} negative, the least {w.min():g}.",
            "a weight of zero leaves a row out.",
        )
    if not w.any():
        if may_be_zero:
            return w
        raise DegenerateSampleError("sample_weight must have a positive entry; got zeros only.")
    lightest = w.min() or w[w > 0].min()
    if lightest < 1 / largest or w.max() > largest:
        raise InputError(
            f"sample_weight must be zero or between {1 / largest:g} and {largest:g}; got {lightest:g} to {w.max():g}.",
            "multiply all weights by one number, or set the lightest to zero.",
        )
    return w


def check_groups(groups: npt.ArrayLike, n_rows: int, name: str = "groups") -> npt.NDArray[np.intp]:
    """What every row belongs to, as numbers from 0 on."""
    labels = column_of(groups, name)
    if len(labels) != n_rows:
        raise InputError(f"{name} must have one entry per row; got {len(labels)} for {n_rows} rows.")
    return np.asarray(np.unique(labels, return_inverse=True)[1], dtype=np.intp)


def check_number(
    name: str,
    value: Any,
    low: float = -np.inf,
    high: float = np.inf,
    *,
    open_low: bool = False,
    open_high: bool = False,
    hint: str | None = None,
) -> float:
    """A real number in the interval from low to high, each end included unless open."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise InputTypeError(f"{name} must be a number; got {value!r}.")
    x = float(value)
    below = x <= low if open_low else x < low
    above = x >= high if open_high else x > high
    if below or above or np.isnan(x):
        interval = f"{'(' if open_low else '['}{low:g}, {high:g}{')' if open_high else ']'}"
        if hint is None and (low, high) == (0, 1) and 1 < x <= 100:
            hint = f"{x:g} % is {x / 100:g}."
        raise InputError(f"{name} must be in {interval}; got {value!r}.", hint)
    return x


def check_fraction(name: str, value: Any) -> float:
    """A number strictly between 0 and 1."""
    return check_number(name, value, 0, 1, open_low=True, open_high=True)


def check_integer(name: str, value: Any, low: int, high: int | None = None, hint: str | None = None) -> int:
    """A whole number from low to high, both included."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise InputTypeError(f"{name} must be a whole number; got {value!r}.", hint)
    if not isinstance(value, (int, np.integer)) and not float(value).is_integer():
        raise InputTypeError(f"{name} must be a whole number; got {value!r}.", hint)
    whole = int(value)
    if whole < low or (high is not None and whole > high):
        upper = "or more" if high is None else f"to {high}"
        raise InputError(f"{name} must be {low} {upper}; got {value!r}.", hint)
    return whole


def check_choice(name: str, value: Any, allowed: Sequence[Any]) -> Any:
    """One of the allowed values."""
    if not any(value is a or (isinstance(value, str) and value == a) for a in allowed):
        near = nearest(value, allowed)
        hint = None if near is None else f"did you mean {near!r}?"
        raise InputError(f"{name} must be one of {', '.join(repr(a) for a in allowed)}; got {value!r}.", hint)
    return value


def nearest(word: Any, known: Iterable[Any]) -> str | None:
    """The word that was probably meant, if any."""
    words = [each for each in known if isinstance(each, str)]
    return next(iter(get_close_matches(word, words, n=1)), None) if isinstance(word, str) else None


def column_of(column: npt.ArrayLike, name: str) -> Array:
    """One-dimensional and not empty; lists, tensors of torch, columns of NumPy, pandas, polars and pyarrow."""
    if sparse.issparse(column):
        raise InputTypeError(f"{name} must be a dense column; got a sparse array.", "call .toarray().ravel() on it.")
    if np.ma.isMaskedArray(column):
        raise InputTypeError(
            f"{name} must not be masked; got a masked array.", "drop the masked rows, for instance with .compressed()."
        )
    if hasattr(column, "detach"):  # a tensor of torch: its numbers, without their history and type of 16 bits
        tensor: Any = column
        tensor = tensor.detach().cpu()
        column = tensor.float() if str(tensor.dtype) == "torch.bfloat16" else tensor
    try:
        values = np.asarray(column)
    except ValueError:
        raise InputTypeError(f"{name} must be a flat column; got rows of differing lengths.") from None
    if values.ndim != 1:
        got = f"an array of shape {values.shape}" if values.ndim else f"one {type(column).__name__}"
        one = "predict_proba(X)[:, 1]" if "score" in name else "table['column']"
        hint = f"pass one column, for instance {one}." if values.ndim == 2 else "pass a list or array."
        raise InputError(f"{name} must be one-dimensional; got {got}.", hint)
    if len(values) == 0:
        raise DegenerateSampleError(f"{name} must not be empty; got no rows.")
    return values


def _numeric_column(column: Any, name: str) -> Array:
    """Nullable data-frame columns arrive as objects although they hold numbers; anything else is refused."""
    if hasattr(column, "to_numpy") and "string" not in str(getattr(column, "dtype", "")).lower():
        try:
            return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
        except (TypeError, ValueError):
            pass
    values = np.asarray(column, dtype=object)
    odd = next((value for value in values if not isinstance(value, numbers.Real)), values[0])
    raise InputTypeError(f"{name} must be numbers; got objects such as {odd!r}.", "turn them into numbers first.")


def _refuse_non_finite(values: Array, name: str) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum(dtype=np.float64)):
            return  # one fast pass; a sum of finite numbers may overflow, so only otherwise look closer
    n_nan, n_inf = int(np.isnan(values).sum()), int(np.isinf(values).sum())
    if n_nan:
        raise InputError(
            f"{name} must be finite; got NaN in {n_nan} of {len(values)} rows.",
            "a missing score has no rank: drop these rows or fill them.",
        )
    if n_inf:
        raise InputError(
            f"{name} must be finite; got {n_inf} infinite of {len(values)} rows.",
            "infinities come from log(0) or overflow and would tie rows that may differ; "
            "use the score before the logarithm, or clip it.",
        )


def _distinct(y: Array) -> list[Any]:
    """The sorted distinct labels, as Python values; at most a few passes for numbers."""
    if y.dtype.kind in "biuf":
        low, high = y.min(), y.max()
        if np.all((y == low) | (y == high)):
            return [low.item()] if low == high else [low.item(), high.item()]
        return [v.item() for v in np.unique(y)]
    values = set(y.tolist())
    if any(is_missing(v) for v in values):
        raise InputError(
            "y_true must not be missing; got None or NaN among the labels.", "drop the rows without a label."
        )
    return sorted(values, key=lambda v: (str(type(v)), v))


def is_missing(label: Any) -> bool:
    """None, NaN, NaT, or pandas' NA, whose comparison has no truth value."""
    try:
        return label is None or bool(label != label)
    except TypeError:
        return True


def _kind_of(values: Array) -> str:
    return {"U": "text", "S": "bytes", "c": "complex numbers", "M": "dates", "m": "durations"}.get(
        values.dtype.kind, f"dtype {values.dtype}"
    )
