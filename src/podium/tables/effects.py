"""What moves a row up or down the list: change one column, keep the others, look at the score.

Effects are in points of the list: +10 means a tenth of the list further up. They describe the model, not causes.
A shape is the mean place at several values of a column (partial dependence).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pandas.api import types

from podium._fast.order import ascending
from podium._progress import report_progress
from podium._shares import normal_quantile
from podium._threads import one_thread
from podium._types import FloatArray
from podium.columns.date import shared_moments
from podium.columns.encode import Column, kind_of
from podium.columns.number import numbers
from podium.columns.text import TextColumn, is_free_text
from podium.metrics.scorers import estimator_scores
from podium.selection.dependence import Rows
from podium.tables.model import TableModel

_ROWS = 300  # on which an effect is averaged
_LISTED = 10_000  # that stand for the whole list
_VALUES = 3  # of a column of text: the most frequent ones
_COLUMNS = 200  # changed at most: each costs a scoring of the rows
_LIMIT = normal_quantile(0.95)
_OF_THIS_MODEL = (
    f"The 95 % ranges of effects hold the error of averaging over at most {_ROWS} rows; a model trained on other rows "
    "would have other effects."
)
_TRIED, _SHAPES, _POINTS, _AVERAGED = 12, 6, 10, 150  # columns tried and kept, values of each, rows averaged over
_HELD_BY = 5  # rows at least: a value, or the rows that one shown is the mean of
_LONGEST = 60  # letters of a value that is quoted


class Effect(NamedTuple):
    """How far a change moves rows, in points of the list, with a 95 % interval for the mean."""

    name: str
    effect: float
    low: float
    high: float


class Shape(NamedTuple):
    """Values of a column, and the mean place in the list, 0 to 100, of rows that are given each of them."""

    name: str
    values: list[Any]
    places: list[float]


def about_effects(model: TableModel) -> list[str]:
    """What the ranges of effects hold; and a sentence where there are too many columns to change each of them.

    Parameters
    ----------
    model : TableModel
        The model that scores the rows.

    Returns
    -------
    list of str
        One sentence or two, for the notes beside the effects.
    """
    n_columns = len(model.kinds)
    notes = [_OF_THIS_MODEL]
    if n_columns <= _COLUMNS:
        return notes
    return [*notes, f"Effects are of the {_COLUMNS} columns that go most with the score, of {n_columns:,}."]


def listed_rows(frame: pd.DataFrame, rows: Rows, names: Iterable[str], rng: np.random.Generator) -> pd.DataFrame:
    """A random sample of the rows at these positions, which stands for the whole list.

    Parameters
    ----------
    frame : pandas.DataFrame
        The columns, as `to_table` reads them.
    rows : array of int
        The positions to choose from.
    names : sequence of str
        The columns to keep.
    rng : Generator
        Draws the rows.

    Returns
    -------
    pandas.DataFrame
        The rows drawn, in random order.
    """
    some = rng.permutation(rows)[:_LISTED]
    return pd.DataFrame({name: frame[name].iloc[some] for name in names})


def typical_effects(model: TableModel, frame: pd.DataFrame) -> list[Effect]:
    """How far typical changes of each column move rows up or down the list.

    Numbers are changed from the lower to the upper decile, each held by five rows or the mean of five; text from the
    row's own value to one of the frequent values. Sentences, which hardly any two rows share, are not changed.

    The frame is a list in random order, see `listed_rows`. Of many columns, only those most associated with the score
    are changed.

    Parameters
    ----------
    model : TableModel
        The model that scores the rows.
    frame : pandas.DataFrame
        The columns, as `to_table` reads them.

    Returns
    -------
    list of Effect
        One effect per column of numbers and one per frequent value of text, the largest first.
    """
    with one_thread():
        return _typical_effects(model, frame)


def _typical_effects(model: TableModel, frame: pd.DataFrame) -> list[Effect]:
    X = model.encoder.encode(frame)
    scores = model.scores_of(X)
    places = _Places(scores)
    rows = _ChangedRows(model, frame.iloc[:_ROWS])
    before = places(scores[:_ROWS])
    effects = []
    names = most_telling(model, X, scores)
    shared = {column.name: column.categories for column in model.encoder.columns if isinstance(column, TextColumn)}
    for done, name in enumerate(names):
        report_progress(done / len(names))
        column = frame[name]
        if kind_of(column) != "text":
            if column.isna().all():
                continue
            low, high = _ends(column)
            change = places(rows.scores(name, high)) - places(rows.scores(name, low))
            effects.append(_effect(f"{name}: {short(low)} → {short(high)}", change))
            continue
        for value in column[column.isin(shared.get(name, ()))].value_counts().index[:_VALUES]:
            effects.append(_effect(f"{name} = {value}", places(rows.scores(name, value)) - before))
    return sorted(effects, key=lambda effect: -abs(effect.effect))


def _ends(column: pd.Series[Any]) -> tuple[Any, Any]:
    """What a number or a date is changed from and to: the deciles, or the ends where these are the same."""
    is_date = types.is_datetime64_any_dtype(column)
    known = column.to_numpy(dtype="datetime64[s]") if is_date else numbers(column)
    ends = [shared_moments(known[~np.isnan(known)], shares) for shares in ((0.1, 0.9), (0.0, 1.0))]
    low, high = ends[0] if ends[0][0] < ends[0][1] else ends[1]
    if not is_date:
        return low, high
    zone = getattr(column.dtype, "tz", None)  # moments are those of UTC
    first, last = (pd.Timestamp(end, tz=None if zone is None else "UTC") for end in (low, high))
    return (first, last) if zone is None else (first.tz_convert(zone), last.tz_convert(zone))


def shapes(model: TableModel, frame: pd.DataFrame) -> list[Shape]:
    """The columns that move rows most, with the mean place of 150 rows at about ten values of each.

    Friedman's partial dependence, of places instead of scores. A value of text is one of the most frequent, a number
    or a date the mean of a tenth of the rows, or, of at most ten distinct ones, the number itself; at least five rows
    stand behind each.

    Parameters
    ----------
    model : TableModel
        The model that scores the rows.
    frame : pandas.DataFrame
        A list in random order, see `listed_rows`.

    Returns
    -------
    list of Shape
        At most six, the one with the largest difference of places first.
    """
    with one_thread():
        X = model.encoder.encode(frame)
        scores = model.scores_of(X)
        places = _Places(scores)
        rows = _ChangedRows(model, frame.iloc[:_AVERAGED])
        found = []
        for name in most_telling(model, X, scores, _TRIED):
            values = _values_held(frame[name])
            means = [float(places(rows.scores(name, value)).mean()) for value in values]
            if len(values) > 1 and max(means) > min(means):
                found.append(Shape(name, values, means))
    return sorted(found, key=lambda one: min(one.places) - max(one.places))[:_SHAPES]


def _values_held(column: pd.Series[Any]) -> list[Any]:
    """Values that are safe to show: each is held by five rows, or the mean of as many."""
    known = column.dropna()
    if types.is_float_dtype(known):
        known = known[np.isfinite(known)]
    counts = known.value_counts()
    if kind_of(column) == "text" and is_free_text(column):
        return []
    if kind_of(column) == "text" or types.is_bool_dtype(column) or len(counts) <= _POINTS:
        frequent = list(counts.index[counts >= _HELD_BY][:_POINTS])
        return frequent if kind_of(column) == "text" else sorted(frequent)
    n_parts = min(_POINTS, len(known) // _HELD_BY)
    parts = np.array_split(np.sort(known.to_numpy()), max(n_parts, 1))
    means = [pd.Series(part).mean() for part in parts]
    whole = types.is_integer_dtype(column)
    return list(dict.fromkeys(round(mean) if whole else mean for mean in means)) if n_parts > 1 else []


def row_effects(model: TableModel, frame: pd.DataFrame, row: int, rng: np.random.Generator) -> list[Effect]:
    """The effect of each value of a row on its place in the list, compared with the values of other rows.

    Of many columns, only those most associated with the score are changed.

    Parameters
    ----------
    model : TableModel
        The model that scores the rows.
    frame : pandas.DataFrame
        The columns, as `to_table` reads them.
    row : int
        The position of the row in the table.
    rng : Generator
        Draws the values of other rows.

    Returns
    -------
    list of Effect
        One effect per column, the largest first.
    """
    with one_thread():
        return _row_effects(model, frame, row, rng)


def _row_effects(model: TableModel, frame: pd.DataFrame, row: int, rng: np.random.Generator) -> list[Effect]:
    X = model.encoder.encode(frame)
    scores = model.scores_of(X)
    places = _Places(scores)
    others = frame.iloc[rng.permutation(len(frame))[:_ROWS]]
    own = frame.iloc[[row]]
    copies = _ChangedRows(model, own.iloc[np.zeros(len(others), dtype=np.intp)].reset_index(drop=True))
    place = places(scores[[row]])
    effects = []
    names = most_telling(model, X, scores)
    for done, name in enumerate(names):
        report_progress(done / len(names))
        swapped = places(copies.scores(name, others[name].reset_index(drop=True)))
        effects.append(_effect(f"{name} = {short(own[name].iloc[0])}", place - swapped))
    return sorted(effects, key=lambda effect: -abs(effect.effect))


def most_telling(model: TableModel, X: FloatArray, scores: FloatArray, most: int | None = None) -> list[str]:
    """The columns to change: all, or of more than so many those that are correlated most with the score."""
    names, most = list(model.kinds), most or _COLUMNS
    if len(names) <= most:
        return names
    centered = scores - scores.mean()
    strength = dict.fromkeys(names, 0.0)
    for column, out in model.encoder.parts(X):
        spread = np.maximum(out.std(axis=0), 1e-300)
        closest = float(np.abs(centered @ (out - out.mean(axis=0)) / spread).max())
        for name in column.sources:
            strength[name] = max(strength[name], closest)
    chosen = set(sorted(names, key=lambda name: -strength[name])[:most])
    return [name for name in names if name in chosen]


class _ChangedRows:
    """Rows of which one column is changed at a time: only what depends on it is encoded again."""

    def __init__(self, model: TableModel, rows: pd.DataFrame) -> None:
        self._model, self._rows = model, rows
        self._X = model.encoder.encode(rows)
        self._parts: dict[str, list[tuple[Column, FloatArray]]] = {}
        for column, out in model.encoder.parts(self._X):
            for name in column.sources:
                self._parts.setdefault(name, []).append((column, out))

    def scores(self, name: str, values: Any) -> FloatArray:
        """The scores where the column has these values, or this one."""
        parts = self._parts[name]
        kept = [out.copy() for _, out in parts]
        for column, out in parts:
            changed = self._rows[list(column.sources)].copy()
            changed[name] = values
            if not types.is_numeric_dtype(changed[name]):
                changed[name] = changed[name].astype(self._rows[name].dtype)
            column.encode(column.take(changed), out)
        scores = estimator_scores(self._model.ranker, self._X)
        for (_, out), before in zip(parts, kept, strict=True):
            out[:] = before
        return scores


class _Places:
    """From scores to places in the list, in points: 0 at the bottom, 100 on top."""

    def __init__(self, scores: FloatArray) -> None:
        self._sorted = ascending(scores)

    def __call__(self, scores: FloatArray) -> FloatArray:
        below = np.searchsorted(self._sorted, scores, "left") + np.searchsorted(self._sorted, scores, "right")
        return 50.0 * below / len(self._sorted)


def _effect(name: str, changes: FloatArray) -> Effect:
    mean, error = float(changes.mean()), float(changes.std() / np.sqrt(len(changes)))
    return Effect(name, mean, mean - _LIMIT * error, mean + _LIMIT * error)


def short(value: object) -> str:
    """A value of a table for a sentence; a time without a time of the day is a date, long text is cut."""
    if isinstance(value, pd.Timestamp):
        value = value.replace(tzinfo=None)
    if not isinstance(value, (float, np.floating)):
        words = " ".join(str(value).removesuffix(" 00:00:00").split())
        return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"
    return f"{value:.0f}" if 1e3 <= abs(float(value)) < 1e9 else f"{value:.4g}"
