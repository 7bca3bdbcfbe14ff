"""Periods of time, and how long a label takes: a day, thirty days, or a width in the unit of a column of numbers."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from podium import _input
from podium._types import Array
from podium.columns.number import numbers
from podium.exceptions import InputError

PERIODS = {"hour": "h", "day": "D", "week": "W-SUN", "month": "M", "quarter": "Q", "year": "Y"}  # weeks end on Sundays
_UNITS = {"h": 3_600, "d": 86_400, "w": 604_800}  # seconds


def begins(time: pd.Series[Any], every: str) -> Array:
    """When the period of every row begins."""
    if types.is_datetime64_any_dtype(time):
        if every not in PERIODS:
            raise InputError(f"every must name a period of dates; got {every!r}.", f"choose from {', '.join(PERIODS)}.")
        return time.dt.to_period(PERIODS[every]).dt.start_time.to_numpy()
    width = _width("every", every, f"the column {time.name!r} holds numbers")
    return np.floor(numbers(time) / width) * width


def each(every: str, per: str | None = None) -> str:
    """How often a list is made, as in "61 hits a day"."""
    period = f"{'an' if every == 'hour' else 'a'} {every}" if every in PERIODS else "a period"
    return period if per is None else f"{period} and {per}"


def span_of(delay: str, time: pd.Series[Any]) -> float:
    """A delay such as "30d" in the unit of the times as numbers: seconds of dates, else that of the column."""
    if not types.is_datetime64_any_dtype(time):
        return _width("label_delay", delay, f"the column {time.name!r} holds numbers")
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([hdw])", str(delay).strip().lower())
    if match is None or float(match.group(1)) <= 0:
        raise InputError(
            f"label_delay must be a number above 0 of hours, days or weeks; got {delay!r}.",
            "for instance 12h, 30d or 6w.",
        )
    return float(match.group(1)) * _UNITS[match.group(2)]


def _width(name: str, text: str, because: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise InputError(f"{name} must be a number, as {because}; got {text!r}.") from None
    return _input.check_number(name, value, 0, open_low=True)
