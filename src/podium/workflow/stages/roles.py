"""Columns with a role other than feature: timestamps, units, weights, identifiers, baselines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from podium._types import Array, FloatArray
from podium.columns.number import numbers
from podium.exceptions import InputError
from podium.selection.dependence import Dependence, Rows
from podium.tables.periods import begins, each, span_of
from podium.tables.table import require_columns

INCLUSION, WHY = "inclusion", "why"  # the probability with which a row was to be labeled, and why it was listed


@dataclass(frozen=True, kw_only=True)
class RowFacts:
    """Timestamps, units and weights of some rows; each None without such a column.

    ``period`` and ``list_of`` number the period and the list of every row, of which there is one ``each`` ("a day"); a
    label takes the time ``delay``.
    """

    time: pd.Series[Any] | None = None
    group: Array | None = None
    weight: FloatArray | None = None
    period: Array | None = None
    list_of: Array | None = None
    each: str = ""
    delay: float = 0.0

    def at(self, rows: Rows) -> RowFacts:
        """The facts of the rows at these positions."""
        parts = {name: getattr(self, name) for name in ("group", "weight", "period", "list_of")}
        return RowFacts(
            time=None if self.time is None else self.time.iloc[rows],
            **{name: None if part is None else part[rows] for name, part in parts.items()},
            each=self.each,
            delay=self.delay,
        )

    def for_report(self) -> dict[str, Any]:
        """As arguments of `podium.report.build`."""
        time = None if self.time is None else self.time.to_numpy()
        return {"sample_weight": self.weight, "groups": self.group, "time": time, "lists": self.lists}

    @property
    def lists(self) -> tuple[str, Array] | None:
        """How often a list is made, and the list of every row."""
        return None if self.list_of is None else (self.each, self.list_of)

    @property
    def dependence(self) -> Dependence:
        """The dependence between rows."""
        return Dependence(None if self.time is None else numbers(self.time), self.group, self.period, self.delay)


@dataclass(frozen=True, kw_only=True)
class Roles:
    """The names of such columns. None is used as a feature, except ``slices``, by whose values results are shown.

    ``baseline`` is a score in use today, to compare with. ``every`` names a period that has a list of its own, for each
    value of the column ``per``; labels are known after ``label_delay``.
    """

    label: str
    id: str | None = None
    time: str | None = None
    group: str | None = None
    weight: str | None = None
    baseline: str | None = None
    slices: tuple[str, ...] = ()
    every: str | None = None
    per: str | None = None
    label_delay: str | None = None

    def __post_init__(self) -> None:
        for name in ("every", "label_delay"):
            if getattr(self, name) is not None and self.time is None:
                raise InputError(
                    f"{name} counts from each row's timestamp; got no time.", "the argument time names that column."
                )
        if self.per is not None and self.every is None:
            raise InputError(
                "per divides the list of a period; got no period.", "the argument every says how often lists are made."
            )
        if self.every is not None and self.weight is not None:
            raise InputError("Hits a period are counted in rows; got weights with every.", "omit one of them.")

    @property
    def of_lists(self) -> list[str]:
        """Columns that tell the list of a row, where every period has one of its own."""
        return [] if self.every is None else [name for name in (self.time, self.per) if name is not None]

    design: tuple[str, ...] = ()

    def with_design(self, names: Sequence[str]) -> Roles:
        """Where rows have inclusion probabilities, these say how rows were chosen, and nothing of the rows."""
        return (
            replace(self, design=tuple(name for name in (INCLUSION, WHY) if name in names))
            if INCLUSION in names
            else self
        )

    @property
    def columns(self) -> list[str]:
        """Named columns that are not used as features, except the label."""
        named = (self.id, self.time, self.group, self.weight, self.baseline, *self.design)
        return list(dict.fromkeys(c for c in named if c is not None))

    def aside(self, frame: pd.DataFrame, rows: Rows) -> dict[str, Any]:
        """Baseline and slices, as arguments of `podium.report.build`."""
        require_columns(frame, self.slices, "column")
        given = None if self.baseline is None else (self.baseline, _check_baseline(frame[self.baseline].iloc[rows]))
        missing = {name: frame[name].iloc[rows].astype(object).fillna("missing") for name in self.slices}
        return {"baseline": given, "slices": {name: column.to_numpy() for name, column in missing.items()}}

    def facts(self, frame: pd.DataFrame) -> RowFacts:
        """Read them from a table that has these columns."""
        require_columns(frame, self.columns, "column")
        if self.label in self.columns:
            raise InputError(
                f"The label cannot have a second role; got {self.label!r} for two.",
                "name another column, or omit that role.",
            )
        time = None if self.time is None else check_times(frame[self.time])
        return RowFacts(
            time=time,
            group=None if self.group is None else _units(frame[self.group]),
            weight=None if self.weight is None else _one_on_average(check_weights(frame[self.weight])),
            **({} if time is None or self.every is None else lists_of(frame, time, self.every, self.per)),
            delay=0.0 if time is None or self.label_delay is None else span_of(self.label_delay, time),
        )


def lists_of(frame: pd.DataFrame, time: pd.Series[Any], every: str, per: str | None) -> dict[str, Any]:
    """The number of the period of every row, and of its list: one a period, or one for each value of ``per`` in it."""
    period = np.unique(begins(time, every), return_inverse=True)[1]
    if per is None:
        return {"period": period, "list_of": period, "each": each(every)}
    require_columns(frame, [per], "column")
    part = pd.factorize(frame[per], use_na_sentinel=False)[0]
    list_of = np.unique(period * (part.max() + 1) + part, return_inverse=True)[1]
    return {"period": period, "list_of": list_of, "each": each(every, per)}


def check_times(column: pd.Series[Any]) -> pd.Series[Any]:
    """Times without a zone; every row must have one."""
    is_time = types.is_datetime64_any_dtype(column) or types.is_numeric_dtype(column)
    _require(column, is_time, column.isna(), "A column of times", "a date or a number")
    return column.dt.tz_convert(None) if getattr(column.dtype, "tz", None) is not None else column


def _units(column: pd.Series[Any]) -> Array:
    """Numbers of the units; a row without one is a unit of its own."""
    codes, names = pd.factorize(column)
    alone = codes < 0
    codes[alone] = len(names) + np.arange(int(alone.sum()))
    return codes


def _one_on_average(weight: FloatArray) -> FloatArray:
    return weight / weight.mean()


def check_weights(column: pd.Series[Any]) -> FloatArray:
    """Weights above 0; every row must have one."""
    is_number = types.is_numeric_dtype(column)
    weight = numbers(column) if is_number else np.zeros(len(column))
    _require(column, is_number, ~(weight > 0), "A column of weights", "a number above 0")
    return weight


def _check_baseline(column: pd.Series[Any]) -> FloatArray:
    """The score in use today; every row must have one."""
    is_number = types.is_numeric_dtype(column) or types.is_datetime64_any_dtype(column)
    _require(column, is_number, column.isna(), "A baseline", "a number")
    return numbers(column)


def _require(column: pd.Series[Any], is_right: bool, lacking: Any, what: str, value: str) -> None:
    n_lacking = int(np.sum(lacking))
    if not is_right or n_lacking:
        got = f"{n_lacking:,} rows without one" if is_right else f"text, such as {column.iloc[0]!r}"
        raise InputError(
            f"{what} needs {value} in every row; {column.name!r} has {got}.",
            "name another column, or omit these rows.",
        )
