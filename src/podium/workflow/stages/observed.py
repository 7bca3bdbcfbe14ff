"""The whole list behind a table in which only some rows have a label: their scores, labels and inclusion probabilities.

A list with explored rows names only those to inspect. It suffices: their ranks say where all others stand, and their
inclusion probabilities for how many rows each of them was drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from pandas.api import types

from podium import _input
from podium._types import Array, FloatArray
from podium.exceptions import InputError
from podium.labels import Observed
from podium.tables.columns.number import numbers
from podium.tables.labels import LabeledTable
from podium.tables.table import require_columns
from podium.workflow.stages.selected import selection, selection_warning

INCLUSION, WHY, TIED = "inclusion", "why", "tied"  # columns of a list with explored rows
_PLACES = ("rank", TIED)


class WholeList(NamedTuple):
    """Labels of all rows of a list, with gaps; its scores by column; and what a person has to know first."""

    labels: Observed
    scores: dict[str, FloatArray]
    warnings: tuple[str, ...]


def whole_list(data: LabeledTable, names: Sequence[str]) -> WholeList | None:
    """The list, where not every row of it has a label; None if those that have one look like all.

    With inclusion probabilities their design says what holds. Without them rows may have been selected: that is tested.
    """
    frame = data.frame if data.others is None else pd.concat([data.frame, data.others])
    n_labeled = len(data.frame)
    labels = np.full(len(frame), np.nan)
    labels[:n_labeled] = data.is_positive
    checked = {name: _input.check_scores(frame[name], f"the column {name!r}").astype(float) for name in names}
    if INCLUSION in frame:
        inclusion = inclusion_of(frame[INCLUSION])
        n_rows = _n_stood_for(inclusion)
        is_whole = TIED not in frame and np.isnan(labels).any()
        if len(frame) < n_rows and not is_whole:
            (name,) = _only(names, n_rows, len(frame))
            checked[name] = _by_place(frame, n_rows)
            more = np.full(n_rows - len(frame), np.nan)
            labels, inclusion = np.append(labels, more), np.append(inclusion, more)
        if not np.isnan(labels).any():
            return None
        return WholeList(Observed(labels, filled(inclusion, next(iter(checked.values())))), checked, ())
    if data.others is None:
        return None
    is_labeled = ~np.isnan(labels)
    label = [name for name in frame if name not in data.others or data.others[name].isna().all()]
    found = selection(frame, is_labeled, [str(name) for name in frame if name not in label], seed=0)
    if not found.is_found:
        return None
    return WholeList(Observed(labels), checked, (selection_warning(found, n_labeled, len(frame)),))


def inclusion_of(column: pd.Series[float]) -> FloatArray:
    """Probabilities in (0, 1]; missing where a row was not listed."""
    if not types.is_numeric_dtype(column):
        raise InputError(f"The column {INCLUSION!r} must hold probabilities; got text, such as {column.iloc[0]!r}.")
    values = numbers(column)
    outside = ~np.isnan(values) & ~((values > 0) & (values <= 1))
    if outside.any():
        raise InputError(
            f"The column {INCLUSION!r} must hold probabilities in (0, 1]; got {values[outside][0]:g} in "
            f"{int(outside.sum()):,} rows.",
            "it is the probability with which the row was to be labeled, whether it was or not.",
        )
    return values


def _n_stood_for(inclusion: FloatArray) -> int:
    """How many rows those with an inclusion probability stand for, if they are all rows that were drawn."""
    known = inclusion[~np.isnan(inclusion)]
    return round(float((1 / known).sum())) if len(known) else 0


def _only(names: Sequence[str], n_rows: int, n_here: int) -> Sequence[str]:
    if len(names) == 1:
        return names
    raise InputError(
        f"Scores are compared on all {n_rows:,} rows of the list, for which the {n_here:,} here were drawn.",
        "give a table of all rows; the columns label and inclusion may have gaps.",
    )


def _by_place(frame: pd.DataFrame, n_rows: int) -> FloatArray:
    """Scores in the order of the ranks, first those of the rows that are here, then those of all others."""
    try:
        require_columns(frame, _PLACES, "column")
    except InputError:
        raise InputError(
            f"The inclusion probabilities of these {len(frame):,} rows are those of rows drawn from {n_rows:,}, and "
            "where the others stand is not said.",
            "give a table of all rows of the list, or the one that podium score --explore wrote, with its columns "
            "rank and tied.",
        ) from None
    rank, tied = (numbers(frame[name]) for name in _PLACES)
    turn = pd.Series(rank).groupby(rank).cumcount().to_numpy()
    if not ((rank >= 1) & (turn < tied) & (rank + tied - 1 <= n_rows)).all():
        raise InputError(
            f"The ranks and inclusion probabilities of a list must belong together; these {len(frame):,} rows stand "
            f"for {n_rows:,}, but their ranks do not.",
            "evaluate the whole list that podium score --explore wrote, and one list at a time.",
        )
    place = np.arange(1.0, n_rows + 1)
    for first, n_tied in {(int(r), int(t)) for r, t in zip(rank, tied, strict=True)}:
        place[first - 1 : first - 1 + n_tied] = first
    is_free = np.ones(n_rows, dtype=np.bool_)
    is_free[(rank + turn - 1).astype(np.intp)] = False
    return -np.append(rank, place[is_free])


def filled(inclusion: FloatArray, scores: FloatArray) -> FloatArray:
    """Probabilities of the rows that were not listed: strata follow each other along the scores.

    A row drawn with probability π stands for 1/π rows. So the rows drawn say how many of the others have theirs.
    """
    gaps = np.flatnonzero(np.isnan(inclusion))
    if not len(gaps):
        return inclusion
    known = pd.DataFrame({"p": inclusion, "s": scores}).dropna(subset="p").groupby("p")["s"].agg(["size", "median"])
    known = known.sort_values("median", ascending=False)
    missing: Array = np.round(known["size"] / known.index - known["size"]).to_numpy().astype(int)
    if missing.sum() != len(gaps):
        raise InputError(
            f"{len(gaps):,} rows have no inclusion probability, but by those of the others there should be "
            f"{missing.sum():,} of them.",
            "give every row its probability, also those that were not drawn.",
        )
    whole = inclusion.copy()
    whole[gaps[np.argsort(-scores[gaps], kind="stable")]] = np.repeat(known.index.to_numpy(), missing)
    return whole


def n_inspected(labels: Observed, scores: FloatArray) -> int:
    """How far down every row has a label; as many rows as have one where not even the first has."""
    is_labeled = labels.is_labeled[np.argsort(-scores, kind="stable")]
    return int(np.argmin(np.append(is_labeled, False))) or int(is_labeled.sum())
