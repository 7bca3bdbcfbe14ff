"""Columns that may give the label away: known only once the label is, they will be of no help on new rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from pandas.api import types
from scipy.stats import binom

from podium._types import BoolArray, FloatArray, Sample
from podium.ranks.pooled import TieGroups
from podium.tables import Encoder
from podium.tables.columns.number import numbers
from podium.workflow.stages.encode import HeldOutRows
from podium.workflow.stages.roles import Roles

_ROWS = 20_000  # that suffice to compare a column with the model
_NEARLY = 0.95  # of what the model's AUC is above one half
_LEAST = 0.75  # AUC below which a column is no rival, whatever the model does
_PURE = 0.995  # share of one class among the filled rows
_LEVEL = 1e-6  # probability of so pure rows by chance
_LATER = 0.5  # share of the rows


def telltale_columns(frame: pd.DataFrame, is_positive: BoolArray, names: Sequence[str], roles: Roles) -> dict[str, str]:
    """Columns filled only for one class, or dated after the row, each with what is suspicious about it."""
    found = {}
    for name in names:
        column = frame[name]
        filled = column.notna().to_numpy()
        if not filled.all() and _is_of_one_class(is_positive[filled], is_positive):
            which = "positive" if is_positive[filled].mean() > 0.5 else "negative"
            found[name] = f"is filled for {which} rows only"
        elif roles.time is not None and types.is_datetime64_any_dtype(column):
            later = float(np.mean(numbers(column) > numbers(frame[roles.time])))
            if later > _LATER:
                found[name] = f"is later than {roles.time!r} in {100 * later:.0f} % of the rows"
    return found


def _is_of_one_class(filled: BoolArray, everything: BoolArray) -> bool:
    if not len(filled):
        return False
    n_filled, n_pos, share = len(filled), int(filled.sum()), float(everything.mean())
    if n_pos >= _PURE * n_filled:
        return bool(binom.sf(n_pos - 1, n_filled, share) < _LEVEL)
    return n_pos <= (1 - _PURE) * n_filled and bool(binom.cdf(n_pos, n_filled, share) < _LEVEL)


def rival_columns(encoder: Encoder, held_out: HeldOutRows, scores: FloatArray) -> dict[str, str]:
    """Columns that alone rank the rows held out nearly as well as the model does."""
    y = held_out.is_positive[:_ROWS]
    if y.all() or not y.any() or len(encoder.columns) < 2:
        return {}
    of_model = _auc(y, scores[:_ROWS])
    needed = max(_LEAST, 0.5 + _NEARLY * (of_model - 0.5))
    found = {}
    for column, X in encoder.parts(held_out.X[:_ROWS]):
        auc = max(max(one, 1 - one) for one in (_auc(y, score) for score in _scores_of(X, y)))
        if auc >= needed:
            found[column.name] = (
                f"alone ranks {'nearly as well as' if auc < of_model else 'better than'} the model "
                f"(AUC {auc:.3f}; the model has {of_model:.3f})"
            )
    return found


def _auc(is_positive: BoolArray, scores: FloatArray) -> float:
    return TieGroups.of(Sample(scores, is_positive)).share_won


def _scores_of(X: FloatArray, is_positive: BoolArray) -> list[FloatArray]:
    """Scores that the outputs of one column offer: each by itself, or the share of positives of every category."""
    if X.shape[1] > 1 and np.isin(X, (0.0, 1.0)).all():
        category = X @ np.arange(1, X.shape[1] + 1)
        code = np.unique(category, return_inverse=True)[1]
        return [(np.bincount(code, is_positive) / np.bincount(code))[code]]
    return list(X.T)


def warnings_of(suspects: dict[str, str]) -> list[str]:
    """A sentence for each."""
    return [
        f"Column {name!r} {what}. If it is not known before the label is, the figures here will not come true: train "
        f"without it (option exclude: {name})."
        for name, what in suspects.items()
    ]
