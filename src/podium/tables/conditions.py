"""Conditions of rules, which are about encoded columns, in the words and units of the table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from podium._results.wording import quoted
from podium.columns.date import DateColumn, GapColumn
from podium.columns.encode import Encoder
from podium.columns.number import NumberColumn
from podium.columns.text import TextColumn
from podium.rankers.treerank.rules import Condition


def in_words(encoder: Encoder, condition: Condition) -> str:
    """A condition on an output of the encoder.

    A mark (0 or 1) is there or not, a number is in its own units, and a share of positives stands for the values that
    have it.
    """
    at = condition.column
    for column in encoder.columns:
        if at < len(column.outputs):
            return _said(column, at, column.outputs[at], condition)
        at -= len(column.outputs)
    raise IndexError(condition.column)


def _said(column: Any, at: int, output: str, condition: Condition) -> str:
    if isinstance(column, TextColumn) and column.uses_labels:
        return _values(column, condition)
    number = {DateColumn: "level", GapColumn: "days"}.get(type(column))
    number = column if number is None else getattr(column, number)
    if isinstance(number, NumberColumn) and at == 0:
        low, high = (number.original(limit) for limit in (condition.low, condition.high))
        missing = number.marks_missing and condition.low < 0 <= condition.high  # they are encoded as the median
        if isinstance(column, DateColumn):
            ends = [f"{sign} {_day(end)}" for sign, end in ((">", low), ("≤", high)) if np.isfinite(end)]
            return f"{output} {' and '.join(ends)}{' or missing' if missing else ''}"
        return replace(condition, low=low, high=high, missing=missing).in_words(output)
    if condition.high == np.inf and 0 <= condition.low < 1:
        return output
    if condition.low == -np.inf and 0 <= condition.high < 1:
        return f"not {output}"
    return condition.in_words(output)


def _values(column: TextColumn, condition: Condition) -> str:
    """The values whose share of positives is asked for; the last share is that of all others."""
    *inside, others = ((column.values[:, 0] > condition.low) & (column.values[:, 0] <= condition.high)).tolist()
    names = quoted([value for value, within in zip(column.categories, inside, strict=True) if within])
    return f"{column.name} is {names or 'none of those known'}{' or another' if others and names else ''}"


def _day(seconds: float) -> str:
    return str(np.datetime64(round(seconds), "s")).replace("T", " ").removesuffix(" 00:00:00")
