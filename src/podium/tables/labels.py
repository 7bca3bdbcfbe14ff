"""Labeled tables: the rows with a label, and which of its values is the positive one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from podium import _input
from podium._types import BoolArray
from podium.exceptions import DegenerateSampleError, InputError
from podium.tables.files.read import to_table
from podium.tables.files.source import sheets_named
from podium.tables.formats.recognize import Format
from podium.tables.table import labeled_rows, require_columns

_SHOWN = 5  # values named in a sentence
_MOST_NAMED = 20  # values that a label may have for any of them to be named
_OR = " | "  # between several positive values


def positives(column: pd.Series[Any], positive: str | Sequence[str] | None = None) -> tuple[BoolArray, str]:
    """Which rows are positive, and the positive value as text; every row must have a label.

    Without ``positive`` the values must be 0 and 1, −1 and 1, or false and true.

    Parameters
    ----------
    column : Series
        The label of every row.
    positive : str or sequence of str, optional
        The value or values that mean positive; may be left out where labels leave no doubt.

    Returns
    -------
    tuple of ndarray of bool and str
        For every row whether it is positive; and the positive value as text, several separated by bars.
    """
    if positive is not None and not isinstance(positive, str):
        positive = _OR.join(positive) or None
    values = [value for value in pd.unique(column) if not pd.isna(value)]
    words = {_word(value): value for value in values}
    named = ", ".join(sorted(words)[:_SHOWN]) + (f" and {len(words) - _SHOWN} more" if len(words) > _SHOWN else "")
    named = named if len(words) <= _MOST_NAMED else f"{len(words):,} different ones"  # no label; its cells are told of
    if len(values) < 2:
        raise DegenerateSampleError(
            f"The label {column.name!r} needs two values; got {f'only {named}' if named else 'none at all'}.",
            "is it the right column?",
        )
    if positive is not None:
        if words.keys() <= {"True", "False"}:
            positive = positive.capitalize()  # however the file writes it
        wanted = [positive] if positive in words else positive.split(_OR)
        unknown = [word for word in wanted if word not in words]
        if unknown:
            near = next((word for word in words if word.casefold() == unknown[0].casefold()), None)
            near = near or _input.nearest(unknown[0], words)
            hint = f"did you mean {near!r}?" if near else "values are compared as they are written."
            raise InputError(f"The label {column.name!r} has no value {unknown[0]!r}; got {named}.", hint)
        if len(wanted) == len(words):
            raise DegenerateSampleError(
                f"The label {column.name!r} needs other values, too; got {named}, all positive."
            )
        return has_value(column, positive), positive
    if len(values) > 2:
        raise InputError(
            f"The label {column.name!r} needs two values; got "
            f"{named if len(words) > _MOST_NAMED else f'{len(values)}: {named}'}.",
            "is it the right column? If so, the argument positive names the values whose rows belong above all others.",
        )
    truth = {word: word.lower() in ("1", "true") for word in words}
    if sum(truth.values()) != 1 or not {word.lower() for word in words} <= {"0", "1", "-1", "false", "true"}:
        raise InputError(
            f"Which value of the label {column.name!r} belongs on top? Got {named}.",
            f"the argument positive names it, for instance {sorted(words)[-1]!r}.",
        )
    positive = next(word for word, is_true in truth.items() if is_true)
    return np.asarray(column == words[positive], dtype=np.bool_), positive


def _word(value: Any) -> str:
    """As people write it: 1, not 1.0."""
    return str(int(value)) if isinstance(value, (float, np.floating)) and float(value).is_integer() else str(value)


def has_value(column: pd.Series[Any], positive: str) -> BoolArray:
    """Which rows have the positive value, or one of several, as people write it; one class alone may be there."""
    codes, values = pd.factorize(column)
    wanted = {positive, *positive.split(_OR)}
    is_wanted = np.array([*(_word(value) in wanted for value in values), False], dtype=np.bool_)
    return is_wanted[codes]  # a missing value has the code −1


@dataclass(frozen=True, kw_only=True)
class LabeledTable:
    """The rows that have a label, which of them are positive, the positive value, and what must be said of reading.

    ``others`` are the rows without one; None where every row has one.
    """

    frame: pd.DataFrame
    texts: pd.DataFrame
    is_positive: BoolArray
    positive: str
    formats: dict[str, Format]
    readings: list[str]
    notes: list[str]
    warnings: list[str]
    others: pd.DataFrame | None = None


def read_labeled(
    table: Any,
    label: str,
    positive: str | Sequence[str] | None,
    columns: Sequence[str] = (),
    as_text: Sequence[str] = (),
    unlabeled: str | None = None,
) -> LabeledTable:
    """A table of any kind; the ``columns`` named must be there, those ``as_text`` are kept byte for byte.

    ``unlabeled`` is the label's value, or ``COLUMN=VALUE``, of rows that nobody looked at.
    """
    read = to_table(table, as_text=as_text)
    with sheets_named(table):
        require_columns(read.frame, [label], "label")
    if unlabeled is not None:
        unseen = _never_seen(read.frame, label, unlabeled)
        read = replace(read, frame=read.frame.assign(**{label: read.frame[label].mask(unseen)}))
    data = labeled_rows(read, label)
    require_columns(data.frame, columns, "column")
    is_positive, word = positives(data.frame[label], positive)
    return LabeledTable(
        frame=data.frame,
        texts=data.texts,
        is_positive=is_positive,
        positive=word,
        formats=data.formats,
        readings=read.notes,
        notes=data.notes,
        warnings=data.warnings,
        others=None if data is read else read.frame[read.frame[label].isna()],
    )


def _never_seen(frame: pd.DataFrame, label: str, unlabeled: str) -> BoolArray:
    """Rows that nobody looked at: by a value of the label, or by that of another column, which may be empty."""
    column, _, value = unlabeled.partition("=") if "=" in unlabeled else (label, "", unlabeled)
    require_columns(frame, [column], "column")
    unseen = has_value(frame[column], value) if value else frame[column].isna().to_numpy()
    if not unseen.any():
        words = sorted({_word(each) for each in frame[column].dropna().unique()[:1000]})[:_SHOWN]
        raise InputError(
            f"unlabeled must be a value of {column!r}; got {value or 'no value'!r}, which no row has.",
            f"its values are {', '.join(words)}, …; COLUMN=VALUE names another column, COLUMN= where it is empty.",
        )
    return unseen
