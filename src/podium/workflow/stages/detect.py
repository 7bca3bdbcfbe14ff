"""Signs that rows are not independent draws: an order in time, units with several rows, copies, survey weights.

Each sign becomes a sentence that proposes what to do. None is proof; while one stands, nothing is called certain.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from podium._results.wording import percent
from podium._types import Array, BoolArray, FloatArray
from podium.report.periods import LEVEL, trend_pvalue
from podium.tables.columns.number import numbers
from podium.workflow.stages.roles import Roles

_ORDERED = 0.98  # share of neighbors in order: dates entered late do not hide it
_MOMENTS = 5  # distinct ones that make an order
_TIME_NAME = re.compile(r"(date|time|year|month|week|day|quarter|period|jahr|monat|datum)", re.IGNORECASE)
_WEIGHT_NAME = re.compile(
    r"^(fnlwgt|perwt|hhwt|p?wgt|pweight|.*(survey|sampl\w*|design|final|person|household|analysis|stat\w*)_?(wgt|wt|weight)s?)$",
    re.IGNORECASE,
)
_PAIRS = 2000  # of rows that share a value, compared with as many that do not
_ALIKE = 0.4  # how much closer such rows are in the other columns, on average
_ALIKE_NAMED = 0.2  # the same where the column is named like a unit: laboratory values differ from visit to visit
_UNIT_NAME = re.compile(
    r"(patient|person|subject|proband|customer|client|kunde|user|member|household|haushalt|family|account|konto|"
    r"student|pupil|employee|animal|player|driver|machine|device|sensor)",
    re.IGNORECASE,
)
_ROWS = 50_000  # that suffice to see units
_COMPARED = 50  # other columns, drawn at random, that tell whether rows are alike: all would cost columns²
_FIRST_LOOK = 200, 10  # pairs and columns; who shows no likeness in these, of many columns, is not looked at again
_COPIES = 0.01  # share of the rows
_STATUS_NAME = re.compile(
    r"status|state|stage|inspect|review|check|audit|investig|visit|verif|assess|outcome|result", re.IGNORECASE
)
_STATUSES = 20  # distinct values at most
_UNLIKELY = 1e-6  # that no positive row is among them by chance


def signs(frame: pd.DataFrame, is_positive: BoolArray, roles: Roles, rng: np.random.Generator) -> list[str]:
    """Sentences about dependence that no column role accounts for; the most serious first."""
    others = [str(name) for name in frame.columns if name not in (roles.label, roles.time, roles.group, roles.weight)]
    found = []
    if roles.time is None:
        found += _order_in_time(frame, others)
    else:
        found += _change_over_time(numbers(frame[roles.time]), is_positive, roles.time)
    if roles.group is None:
        found += _copies(frame, is_positive, others, roles.id, rng) or _units(frame, is_positive, others, roles.id, rng)
    if roles.weight is None:
        found += [
            f"Column {name!r} looks like a survey weight, but was used as a feature. "
            f"If it is a weight, pass it (option weight: {name}); if not, exclude or rename it."
            for name in others
            if _WEIGHT_NAME.match(name) and types.is_numeric_dtype(frame[name]) and float(frame[name].min()) > 0
        ]
    return found


def _order_in_time(frame: pd.DataFrame, names: list[str]) -> list[str]:
    """A date column, or a number named like a time, by which the rows are sorted."""
    for name in names:
        column = frame[name]
        is_date = types.is_datetime64_any_dtype(column)
        if not is_date and not (types.is_numeric_dtype(column) and _TIME_NAME.search(name)):
            continue
        values = numbers(column)
        steps = np.diff(values[~np.isnan(values)])
        if len(np.unique(values[: 10**5])) < _MOMENTS or not len(steps):
            continue
        if max(np.mean(steps >= 0), np.mean(steps <= 0)) >= _ORDERED:
            return [
                f"The rows are in the order of {name!r}. If that is their timestamp, new rows will be later than all "
                "of these, and a model evaluated on rows from the same days looks better than it is. Evaluate it on "
                f"the most recent rows (option time: {name})."
            ]
    return []


def _change_over_time(time: FloatArray, is_positive: BoolArray, name: str) -> list[str]:
    """Whether the share of positives has a significant trend in time."""
    if trend_pvalue(time, is_positive) >= LEVEL:
        return []
    order = np.argsort(time, kind="stable")
    first, last = (float(is_positive[part].mean()) for part in (order[: len(order) // 5], order[-(len(order) // 5) :]))
    return [
        f"The share of positives changed from {percent(first)} in the first rows to {percent(last)} in the last, by "
        f"{name!r}. Future rows may differ again."
    ]


def _units(
    frame: pd.DataFrame, is_positive: BoolArray, names: list[str], id_column: str | None, rng: np.random.Generator
) -> list[str]:
    """The column whose equal values go with the most similar rows, if any."""
    best, most = "", 0.0
    for name in names:
        rows = _whole_units(frame[name])
        codes, values = pd.factorize(frame[name].iloc[rows], sort=True)
        n_repeated = len(codes) - len(values)
        if not len(codes) / 100 <= len(values) <= 0.95 * len(codes) or n_repeated < 20:
            continue
        enough = max(_ALIKE_NAMED if _UNIT_NAME.search(name) else _ALIKE, most)
        others = [other for other in names if other != name]
        pairs, strangers = ((rows[a], rows[b]) for a, b in (_pairs(codes, rng), _strangers(codes, rng)))
        if len(others) > _COMPARED:
            others = [others[j] for j in rng.choice(len(others), _COMPARED, replace=False)]
            n_pairs, n_columns = _FIRST_LOOK
            few, far = ((a[:n_pairs], b[:n_pairs]) for a, b in (pairs, strangers))
            if name != id_column and _likeness([frame[other] for other in others[:n_columns]], few, far) < enough / 2:
                continue
        alike = _likeness([*(frame[other] for other in others), pd.Series(is_positive)], pairs, strangers)
        alike -= 1 / np.sqrt(max(len(pairs[0]), 1))  # two standard deviations of what chance makes of so many pairs
        # A name given to rows that repeats says by itself that they belong together.
        if alike > enough or (name == id_column and not best):
            best, most = name, max(alike, most)
    if not best:
        return []
    return [
        f"Rows with the same {best!r} are very similar. If they belong to one unit (a patient, a household), the model "
        "recognizes units from training, and the figures here are too good for new units. Evaluate on new units "
        f"(option group: {best})."
    ]


def _whole_units(column: pd.Series[Any]) -> Array:
    """Positions of the rows, of many rows only some: all rows of a value or none."""
    if len(column) <= _ROWS:
        return np.arange(len(column))
    hashes = pd.util.hash_pandas_object(column, index=False).to_numpy()
    return np.flatnonzero(hashes % np.uint64(-(-len(column) // _ROWS)) == 0)


def _pairs(codes: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Positions of two rows each that share a value; missing values (−1) share none."""
    order = rng.permutation(len(codes))
    order = order[np.argsort(codes[order], kind="stable")]
    ordered = codes[order]
    starts = np.flatnonzero((ordered[1:] == ordered[:-1]) & (ordered[1:] >= 0))
    kept = starts[np.concatenate([[True], np.diff(ordered[starts]) != 0])] if len(starts) else starts
    chosen = rng.permutation(kept)[:_PAIRS]
    return order[chosen], order[chosen + 1]


def _strangers(codes: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Pairs of rows with a value and the next one: as alike as equal ones if the column measures something."""
    order = np.argsort(codes, kind="stable")
    ends = np.flatnonzero((np.diff(codes[order]) != 0) & (codes[order][:-1] >= 0))
    chosen = rng.permutation(ends)[:_PAIRS]
    return order[chosen], order[chosen + 1]


def _likeness(columns: list[pd.Series[Any]], pairs: tuple[Array, Array], strangers: tuple[Array, Array]) -> float:
    """One less the distance of the rows of a pair over that of strangers, averaged over the columns."""
    if not len(pairs[0]) or not len(strangers[0]):
        return 0.0
    likeness = []
    for values in columns:
        together = np.concatenate([*pairs, *strangers])
        places = _places(values.iloc[together])
        a, b, c, d = np.split(places, np.cumsum([len(part) for part in (*pairs, strangers[0])]))
        measured = places.dtype.kind == "f"
        near, far = (np.mean(np.abs(x - y)) if measured else np.mean(x != y) for x, y in ((a, b), (c, d)))
        if far > 0.02:  # nearly constant columns say nothing
            likeness.append(1 - near / far)
    return float(np.mean(likeness)) if len(likeness) > 1 else 0.0


def _places(values: pd.Series[Any]) -> Array:
    """Ranks from 0 to 1 of numbers and times, codes of anything else; missing ones are equal to each other."""
    if (types.is_numeric_dtype(values) and not types.is_bool_dtype(values)) or types.is_datetime64_any_dtype(values):
        return pd.Series(numbers(values)).fillna(-np.inf).rank(pct=True).to_numpy()
    return pd.factorize(values)[0]


def _copies(
    frame: pd.DataFrame, is_positive: BoolArray, names: list[str], id_column: str | None, rng: np.random.Generator
) -> list[str]:
    """Duplicate rows, unless they arise by chance: after shuffling one column most of them must differ."""
    names = [name for name in names if name != id_column]
    if len(names) < 2:
        return []
    hashes = pd.util.hash_pandas_object(frame[names], index=False).to_numpy() ^ is_positive.astype(np.uint64)
    n_copies = len(hashes) - len(np.unique(hashes))
    if n_copies < max(20, _COPIES * len(hashes)):
        return []
    columns = pd.DataFrame({name: pd.factorize(frame[name])[0] for name in names}, copy=False)
    finest = str(columns.max().idxmax())
    columns[finest] = rng.permutation(columns[finest].to_numpy())
    shuffled = pd.util.hash_pandas_object(columns, index=False).to_numpy() ^ is_positive.astype(np.uint64)
    if n_copies < 5 * (len(shuffled) - len(np.unique(shuffled))):
        return []
    return [
        f"{n_copies:,} of {len(hashes):,} rows are duplicates. If the same case was entered more than once, some "
        "held-out rows were also in training, and the figures here are too good: remove the duplicates."
    ]


def never_looked_at(frame: pd.DataFrame, is_positive: BoolArray, names: Sequence[str]) -> list[str]:
    """A question for each column that suggests that some rows are negative because nobody looked.

    It is empty, or has a value of a status, for a part of the negative rows and never for a positive one.
    """
    found = []
    for name in names:
        column = frame[name]
        gap = column.isna().to_numpy()
        sets = {"": gap} if gap.any() else {}
        if _STATUS_NAME.search(name) and not types.is_numeric_dtype(column) and column.nunique() <= _STATUSES:
            sets |= {str(value): (column == value).to_numpy() for value in column.dropna().unique()}
        for value, rows in sets.items():
            n_rows, n_pos = int(rows.sum()), int(is_positive.sum())
            if is_positive[rows].any() or n_rows == len(rows) - n_pos or not n_rows:
                continue
            if n_pos * np.log1p(-n_rows / len(rows)) > np.log(_UNLIKELY):
                continue
            what = f"is {value!r}" if value else "is empty"
            found.append(
                f"Column {name!r} {what} in {n_rows:,} of {len(rows) - n_pos:,} negative rows "
                f"({percent(n_rows / (len(rows) - n_pos))}) and in no positive one. Were these rows never looked at? "
                f"Then they are not negative: say so (option unlabeled: {name}={value})."
            )
    return found
