"""The label column: which of its values is the positive one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from podium._types import BoolArray
from podium.exceptions import DegenerateSampleError, InputError

_SHOWN = 5  # values named in a sentence


def positives(column: pd.Series[Any], positive: str | None = None) -> tuple[BoolArray, str]:
    """Which rows are positive, and the positive value as text; every row must have a label.

    Without ``positive`` the values must be 0 and 1, −1 and 1, or false and true.
    """
    values = [value for value in pd.unique(column) if not pd.isna(value)]
    words = {_word(value): value for value in values}
    named = ", ".join(sorted(words)[:_SHOWN]) + (f" and {len(words) - _SHOWN} more" if len(words) > _SHOWN else "")
    if len(values) < 2:
        raise DegenerateSampleError(
            f"The label {column.name!r} needs two values; got {named or 'none at all'}.", "is it the right column?"
        )
    if positive is not None:
        if positive not in words:
            raise InputError(f"The label {column.name!r} has no value {positive!r}; got {named}.")
        return np.asarray(column == words[positive], dtype=np.bool_), positive
    if len(values) > 2:
        raise InputError(
            f"The label {column.name!r} needs two values; got {len(values)}: {named}.",
            "the option positive names the value whose rows belong above all others.",
        )
    truth = {word: word.lower() in ("1", "true") for word in words}
    if sum(truth.values()) != 1 or not {word.lower() for word in words} <= {"0", "1", "-1", "false", "true"}:
        raise InputError(
            f"Which value of the label {column.name!r} belongs on top? Got {named}.",
            f"the option positive names it, for instance {sorted(words)[-1]!r}.",
        )
    positive = next(word for word, is_true in truth.items() if is_true)
    return np.asarray(column == words[positive], dtype=np.bool_), positive


def _word(value: Any) -> str:
    """As people write it: 1, not 1.0."""
    return str(int(value)) if isinstance(value, (float, np.floating)) and float(value).is_integer() else str(value)


def has_value(column: pd.Series[Any], positive: str) -> BoolArray:
    """Which rows have the positive value, as people write it; one class alone may be there."""
    return np.array([_word(value) == positive for value in column], dtype=np.bool_)
