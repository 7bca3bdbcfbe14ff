"""Signs that held-out rows are no independent draws of what a model will meet, and what would settle each doubt.

Each sign becomes a doubt that names the columns and proposes what to do. None is proof; while one stands, what it
touches is not said (`podium._results.doubts`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd
from pandas.api import types

from podium._results.doubts import Doubt
from podium._results.wording import percent
from podium._types import BoolArray
from podium.columns.number import numbers
from podium.workflow.stages.in_time import change_over_dates, order_in_time, trend
from podium.workflow.stages.repeated import copies, units
from podium.workflow.stages.roles import Roles

_WEIGHT_NAME = re.compile(
    r"^(fnlwgt|perwt|hhwt|p?wgt|pweight|.*(survey|sampl\w*|design|final|person|household|analysis|stat\w*)_?(wgt|wt|weight)s?)$",
    re.IGNORECASE,
)
_STATUS_NAME = re.compile(
    r"status|state|stage|inspect|review|check|audit|investig|visit|verif|assess|outcome|result", re.IGNORECASE
)
_STATUSES = 20  # distinct values at most
_UNLIKELY = 1e-6  # that no positive row is among them by chance


def signs(
    frame: pd.DataFrame,
    is_positive: BoolArray,
    roles: Roles,
    rng: np.random.Generator,
    *,
    exclude: Sequence[str] = (),
    is_one_table: bool = True,
) -> list[Doubt]:
    """Doubts about dependence that no column role accounts for; the most serious first.

    Whether rows differ over time matters where they judge each other, not where another table judges.
    """
    others = [str(name) for name in frame.columns if name not in (roles.label, roles.time, roles.group, roles.weight)]
    found = []
    if roles.time is not None:
        found += trend(numbers(frame[roles.time]), is_positive, roles.time)
    elif is_one_table:
        known = [name for name in others if name not in exclude]
        found += order_in_time(frame, others) or change_over_dates(frame, is_positive, known, roles.id, rng)
    if roles.group is None:
        found += copies(frame, is_positive, others, roles.id, rng) or units(frame, is_positive, others, roles.id, rng)
    if roles.weight is None:
        found += [
            Doubt(
                "weight",
                f"Column {name!r} looks like a survey weight, but was used as a feature. "
                f"If it is a weight, pass it (option weight: {name}); if not, exclude or rename it.",
            )
            for name in others
            if _WEIGHT_NAME.match(name) and types.is_numeric_dtype(frame[name]) and float(frame[name].min()) > 0
        ]
    return found


def never_looked_at(frame: pd.DataFrame, is_positive: BoolArray, names: Sequence[str]) -> list[Doubt]:
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
            sentence = (
                f"Column {name!r} {what} in {n_rows:,} of {len(rows) - n_pos:,} negative rows "
                f"({percent(n_rows / (len(rows) - n_pos))}) and in no positive one. Were these rows never looked at? "
                f"Then they are not negative: say so (option unlabeled: {name}={value})."
            )
            found.append(Doubt("unseen", sentence))
    return found
