"""Labels and scores wherever they are: arrays, Dask collections, chunks read anew for every pass, or counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy.typing as npt

from podium import _input
from podium._input import is_collection
from podium._types import Sample
from podium.exceptions import InputError, InputTypeError
from podium.ranks.pooled import TieGroups
from podium.rounds.computation import Partitions, Take, over_chunks, run
from podium.rounds.counted import CountedList
from podium.rounds.counting import counting

Chunks = Callable[[], Iterable[tuple[Any, ...]]]
RowsLike = npt.ArrayLike | Chunks | CountedList  # or a Dask collection


def count_list(
    y_true: RowsLike,
    y_score: npt.ArrayLike | None = None,
    *,
    sample_weight: npt.ArrayLike | None = None,
    pos_label: Any = None,
    memory: float | None = None,
    tol: float = 0.0,
) -> CountedList:
    """Count a list once, so that several metrics, curves and intervals can be computed from it.

    One pass is enough if all distinct scores fit into memory, two if those of one class do. Otherwise there are three
    or more: scores are counted in cells, then the rows of cells that hold both classes are gathered. If these do not
    fit, ``CountedList.max_error`` bounds the error.

    Parameters
    ----------
    y_true : callable, Dask array or series, or array-like
        A function that returns the chunks anew for every pass, each labels and scores, and weights if rows have any.
        Or the labels of all rows.
    y_score : Dask array or series, or array-like, optional
        With labels of all rows, their scores; larger scores are more positive.
    sample_weight : Dask array or series, or array-like, optional
        One weight per row; a weight of 3 is three equal rows.
    pos_label : object, optional
        The label of the positive class, needed where labels are not 0/1, −1/1 or booleans.
    memory : float, optional
        Bytes that may be used beside the chunks, here and on each worker; by default a quarter of what is available.
    tol : float
        The error of the AUC at which passes may end. It is an error if it cannot be reached. At 0 the list is exact, or
        as exact as memory allows.

    Returns
    -------
    CountedList
        The whole list, which metrics and inference take in place of labels and scores.

    Examples
    --------
    >>> from podium import metrics
    >>> from podium.rounds import count_list
    >>> counted = count_list(lambda: [([0, 0, 1], [0.1, 0.4, 0.35]), ([1], [0.8])])
    >>> counted
    list of 2 positives and 2 negatives with AUC 0.750
    >>> metrics.precision_at(counted, k=1)
    1.0
    """
    take = elsewhere(y_true, y_score, sample_weight)
    if take is None:
        take = over_chunks(lambda: [(y_true, y_score) if sample_weight is None else (y_true, y_score, sample_weight)])
    return run(counting(pos_label=pos_label, memory=memory, tol=tol), take)


def elsewhere(y_true: Any, y_score: Any = None, sample_weight: Any = None) -> Take | None:
    """What takes a step over rows that lie in chunks; None for rows in arrays."""
    if callable(y_true):
        _refuse_columns(y_score, sample_weight)
        return over_chunks(y_true)
    if y_score is None:
        raise InputTypeError(
            "Rows are labels and scores, or a function that returns chunks of them anew for every pass; got "
            f"{type(y_true).__name__} alone.",
            "wrap chunks in a function: lambda: chunks.",
        )
    if not any(map(is_collection, (y_true, y_score, sample_weight))):
        return None
    return Partitions.of(y_true=y_true, y_score=y_score, sample_weight=sample_weight).map_reduce


def rows_of(y_true: Any, y_score: Any, sample_weight: Any = None, pos_label: Any = None) -> Sample | CountedList:
    """A list, wherever its rows are: arrays are checked, rows in chunks counted."""
    if isinstance(y_true, CountedList):
        _refuse_columns(y_score, sample_weight)
        return y_true
    take = elsewhere(y_true, y_score, sample_weight)
    if take is None:
        return _input.check_sample(y_true, y_score, sample_weight, pos_label)
    counted = run(counting(pos_label=pos_label), take)
    counted.require_exact()
    return counted


def whole_rows_of(y_true: Any, y_score: Any, pos_label: Any) -> Sample | CountedList:
    """A list for statements about numbers of rows, which needs exact counts without weights."""
    rows = rows_of(y_true, y_score, None, pos_label)
    if isinstance(rows, CountedList):
        rows.require_exact()
        if rows.is_weighted:
            raise InputError("The list must have no weights, as rows are counted; got some.", "count it without.")
    return rows


def ties_of(y_true: Any, y_score: Any, sample_weight: Any, pos_label: Any) -> TieGroups:
    """The tie groups of a list, wherever its rows are."""
    rows = rows_of(y_true, y_score, sample_weight, pos_label)
    return rows if isinstance(rows, CountedList) else TieGroups.of(rows)


def _refuse_columns(*columns: Any) -> None:
    for column in columns:
        if column is not None:
            raise InputTypeError(
                f"Chunks and counted lists have their scores and weights in them; got {type(column).__name__} beside.",
                "pass all other arguments by name, as in phi='power:3'.",
            )


def refuse(function: str, **options: Any) -> None:
    """Refuse options that need all rows in one array."""
    for name, value in options.items():
        if value is not None and value is not False:
            raise InputError(
                f"{function} of rows in chunks takes no {name}.", "load the columns as arrays, which does."
            )
