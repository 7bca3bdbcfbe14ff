"""Periods of time, and how long a label takes: a day, thirty days, or a width in the unit of a column of numbers."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.api import types

from podium import _input
from podium.exceptions import InputError
from podium.tables.columns.number import numbers

PERIODS = {"hour": "h", "day": "D", "week": "W-SUN", "month": "M", "quarter": "Q", "year": "Y"}  # weeks end on Sundays
_UNITS = {"h": 3_600, "d": 86_400, "w": 604_800}  # seconds


def period_numbers(time: pd.Series[Any], every: str) -> npt.NDArray[np.intp]:
    """The period of every row, counted from 0 in the order of time; periods without a row are not counted."""
    if types.is_datetime64_any_dtype(time):
        if every not in PERIODS:
            raise InputError(f"every must name a period of dates; got {every!r}.", f"choose from {', '.join(PERIODS)}.")
        begins = time.dt.to_period(PERIODS[every]).astype("int64").to_numpy()
    else:
        begins = np.floor(numbers(time) / _width("every", every, f"the column {time.name!r} holds numbers"))
    return np.unique(begins, return_inverse=True)[1]


def each(every: str) -> str:
    """How often, as in "61 hits a day"."""
    return f"{'an' if every == 'hour' else 'a'} {every}" if every in PERIODS else "a period"


def span_of(delay: str, time: pd.Series[Any]) -> float:
    """A delay such as "30d" in the unit of the times as numbers: seconds of dates, else that of the column."""
    if not types.is_datetime64_any_dtype(time):
        return _width("label_delay", delay, f"the column {time.name!r} holds numbers")
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([hdw])", delay.strip().lower())
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
