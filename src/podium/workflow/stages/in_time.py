"""Signs of time: rows in the order of a date, rows that differ over a date, shares of positives with a trend."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pandas.api import types
from scipy.special import chdtrc

from podium._results.doubts import Doubt
from podium._results.wording import percent, quoted
from podium._types import Array, BoolArray, FloatArray
from podium.columns.number import numbers
from podium.report.periods import LEVEL, trend_pvalue
from podium.workflow.stages.repeated import also, places

_ORDERED = 0.97  # share of the steps in one direction: dates entered late do not hide an order
_STEP = 10  # part of the table between two rows compared: visits of one unit that follow each other are no order
_MOMENTS = 5  # distinct ones that make an order
_FILLED = 0.5  # of the rows, and most that share one value of a number: most days past due are 0, no two days are one
_NEARLY = 0.99  # of the rows: some dates are typed wrongly
_KNOWN = 30  # rows with a time
_TIME_NAME = re.compile(r"(date|time|year|month|week|day|quarter|period|jahr|monat|datum)", re.IGNORECASE)
_BIRTH_NAME = re.compile(r"birth|born|dob\b|geburt|naissance", re.IGNORECASE)
_CHANGED = 0.005  # level of the test of labels over all dates, and of that of the other columns: .01 in all
_PARTS = 5  # stretches of time compared
_PER_PART = 10  # rows of the rarer class in each
_VISIBLE, _VISIBLE_OF_COLUMN = 0.0025, 0.02  # least share of the variance between stretches; of many rows less is seen
_SAME_TIME = 0.9  # correlation with a date of what is that time in another form, such as a running number
_ROWS, _COMPARED = 50_000, 50  # rows and columns that suffice to see a change
_NAMED = 4  # columns in a sentence


def order_in_time(frame: pd.DataFrame, names: list[str]) -> list[Doubt]:
    """Date columns, and numbers named like a time, by which the rows are sorted; the likeliest first."""
    found = []
    for name in names:
        column = frame[name]
        is_date = types.is_datetime64_any_dtype(column)
        if is_date or (types.is_numeric_dtype(column) and _TIME_NAME.search(name)):
            steps = _steps(numbers(column), is_date)
            if steps is not None:
                found.append((not is_date, -steps.near, -steps.n_moments, name))
    if not found:
        return []
    first, *more = (name for *_, name in sorted(found))
    return [
        Doubt(
            "order",
            f"The rows are in the order of {first!r}{also(more)}. If that is their timestamp, new rows will be later "
            "than all of these, and a model evaluated on rows from the same days looks better than it is. Evaluate it "
            f"on the most recent rows (option time: {first}).",
        )
    ]


class _Rise(NamedTuple):
    """The share of steps from row to row that go the usual way, and how many moments there are."""

    near: float
    n_moments: int


def _steps(values: FloatArray, is_date: bool) -> _Rise | None:
    """None unless values rise, or fall, from row to row. Equal values are no order: only steps other than 0 count."""
    known = values[~np.isnan(values)]
    if len(known) < max(_KNOWN, _FILLED * len(values)):
        return None
    n_rows = np.unique(known[:: -(-len(known) // 10**5)], return_counts=True)[1]
    if len(n_rows) < _MOMENTS or (not is_date and n_rows.max() > _FILLED * n_rows.sum()):
        return None
    far = _share_one_way(known[(apart := max(1, len(known) // _STEP)) :] - known[:-apart])
    return _Rise(_share_one_way(np.diff(known)), len(n_rows)) if far >= _ORDERED else None


def _share_one_way(steps: FloatArray) -> float:
    rises = np.sign(steps[steps != 0])
    return float((1 + abs(rises.mean())) / 2) if len(rises) else 0.0


def change_over_dates(
    frame: pd.DataFrame, is_positive: BoolArray, names: list[str], id_column: str | None, rng: np.random.Generator
) -> list[Doubt]:
    """Date columns over which labels or other columns differ by more than chance, though rows are in no order.

    Of dates drawn at random, one is named with a probability of at most .01, however many dates and columns there are.
    A row was not recorded before any date that it holds. So a date which others follow in nearly all rows, none of them
    with a change, is a property of the row, such as when an account was opened, and not its timestamp.
    """
    is_date = {name: types.is_datetime64_any_dtype(frame[name]) for name in names}
    dates = [name for name in names if is_date[name] and not _BIRTH_NAME.search(name)]
    if not dates:
        return []
    others = [name for name in names if not is_date[name] and name != id_column]
    others = [name for name in others if not (types.is_numeric_dtype(frame[name]) and _TIME_NAME.search(name))]
    if len(others) > _COMPARED:
        others = [others[j] for j in np.sort(rng.choice(len(others), _COMPARED, replace=False))]
    some = slice(None, None, -(-len(frame) // _ROWS))
    features = {name: _feature(frame[name].iloc[some]) for name in others}
    changes = [
        _change(name, numbers(frame[name].iloc[some]), is_positive[some], features, len(dates)) for name in dates
    ]
    found = sorted((one for one in changes if one is not None), key=lambda one: -one.share)
    changed = {one.date for one in found}
    later = {one.date: _followers(frame, one.date, dates) for one in found}
    found = [one for one in found if not later[one.date] or changed & {*later[one.date]}]
    if not found:
        return []
    first, *more = found
    what = f"{percent(first.early)} of the earliest rows are positive and {percent(first.late)} of the latest"
    if first.columns:
        what += f"; {quoted(first.columns[:_NAMED])} change{'s' if len(first.columns) == 1 else ''}"
    return [
        Doubt(
            "change",
            f"The rows change over {first.date!r}{also([one.date for one in more], 'over')}: {what}. If that is their "
            "timestamp, new rows will be later than all of these, and may differ as much. Evaluate the model on the "
            f"most recent rows (option time: {first.date}).",
        )
    ]


def _followers(frame: pd.DataFrame, date: str, dates: list[str]) -> list[str]:
    """The other dates that are later in nearly all rows."""
    known = {name: numbers(frame[name]) for name in dates}

    def follows(name: str) -> bool:
        gap = (known[name] - known[date])[~np.isnan(known[name] + known[date])]
        is_told = len(gap) >= _FILLED * len(frame)
        return is_told and bool(np.mean(gap >= 0) >= _NEARLY and np.mean(gap > 0) >= _FILLED)

    return [name for name in dates if follows(name)]


class _Change(NamedTuple):
    """How much labels and columns differ over a date: by which part of the variance, from which share to which."""

    date: str
    share: float
    early: float
    late: float
    columns: list[str]


def _change(
    name: str, time: FloatArray, is_positive: BoolArray, features: dict[str, FloatArray], n_dates: int
) -> _Change | None:
    """None unless there is a significant change that is large enough to matter."""
    known = ~np.isnan(time)
    time, y = time[known], is_positive[known]
    if len(time) < max(_KNOWN, _FILLED * len(known)) or (part := _stretches(time, y)) is None:
        return None
    level, columns = _CHANGED / n_dates, {}
    for other, values in features.items():
        seen = _between(part, values[known])
        is_clear = seen.pvalue < level / len(features) and seen.share > _VISIBLE_OF_COLUMN
        if is_clear and abs(pd.Series(time).corr(pd.Series(values[known]), method="spearman")) < _SAME_TIME:
            columns[other] = seen.share
    of_labels = _between(part, y.astype(np.float64))
    if not columns and (of_labels.pvalue >= level or of_labels.share <= _VISIBLE):
        return None
    early, late = (float(y[part == one].mean()) for one in (0, part.max()))
    return _Change(name, of_labels.share, early, late, sorted(columns, key=lambda other: -columns[other]))


class _Between(NamedTuple):
    """p-value of "no difference between stretches of time", and the share of the variance that lies between them."""

    pvalue: float
    share: float


def _stretches(time: FloatArray, is_positive: BoolArray) -> Array | None:
    """Number of the stretch of time of every row: about equally many rows in each, no moment in two."""
    rarer = min(int(is_positive.sum()), int((~is_positive).sum()))
    n_parts = int(np.clip(rarer // _PER_PART, 2, _PARTS))
    before = np.searchsorted(np.sort(time), time)
    parts = np.unique(before * n_parts // len(time), return_inverse=True)[1]
    return parts if parts.max() > 0 else None


def _between(parts: Array, values: FloatArray) -> _Between:
    """Kruskal and Wallis' test, on ranks or on marks 0 and 1: (n − 1) times the share of the variance, by χ²."""
    deviation = values - values.mean()
    total = float(deviation @ deviation)
    if total <= 0:
        return _Between(1.0, 0.0)
    sizes = np.bincount(parts)
    share = float((np.bincount(parts, deviation) ** 2 / sizes).sum()) / total
    return _Between(float(chdtrc(len(sizes) - 1, (len(values) - 1) * share)), share)


def _feature(values: pd.Series[Any]) -> FloatArray:
    """Ranks of numbers; of anything else, whether a row has the most frequent value."""
    place = places(values)
    if place.dtype.kind == "f":
        return np.asarray(place)
    return np.asarray(place == np.argmax(np.bincount(place[place >= 0], minlength=1)), dtype=np.float64)


def trend(time: FloatArray, is_positive: BoolArray, name: str) -> list[Doubt]:
    """Whether the share of positives has a significant trend in time."""
    if trend_pvalue(time, is_positive) >= LEVEL:
        return []
    order = np.argsort(time, kind="stable")
    first, last = (float(is_positive[part].mean()) for part in (order[: len(order) // 5], order[-(len(order) // 5) :]))
    return [
        Doubt(
            "trend",
            f"The share of positives changed from {percent(first)} in the first rows to {percent(last)} in the last, "
            f"by {name!r}. Future rows may differ again.",
        )
    ]
