"""Columns that may leak the label: known only once the label is known, they do not help on new rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pandas.api import types
from scipy.special import bdtr, bdtrc

from podium._results.doubts import Doubt
from podium._types import BoolArray, FloatArray, Sample
from podium.inference.intervals.interval import interval_of
from podium.inference.intervals.methods import IntervalRequest
from podium.inference.lists.ranking import Ranking
from podium.phi import Mww
from podium.ranks.pooled import TieGroups
from podium.tables import Encoder, TrainingRows
from podium.tables.columns.number import numbers
from podium.tables.columns.text import cross_fitted_shares
from podium.tables.encode import Column
from podium.workflow.stages.encode import EncodedTable, HeldOutRows
from podium.workflow.stages.roles import Roles

_ROWS = 20_000  # that suffice to compare a column with others
_HIGH = 0.9  # AUC that a column known in time hardly ever has by itself
_LEVEL = 0.9  # of the interval whose lower end must be as high: a limit of 95 %
_FEWER = 0.5  # of the pairs that all other columns together misrank
_LEARNED = 5_000  # rows from which these are learned
_PURE = 0.995  # share of one class among the filled rows
_CHANCE = 1e-6  # probability of so pure rows by chance
_LATER = 0.5  # share of the rows
_TERMS = 10  # spans between two dates, such as 14, 30 and 60 days, that were agreed on; events keep no such terms


def telltale_columns(frame: pd.DataFrame, is_positive: BoolArray, names: Sequence[str], roles: Roles) -> dict[str, str]:
    """Columns filled only for one class, or dated after the row, each with the reason for suspicion.

    A date after the row may have been set in advance. Values do not show that, unless they have one of a few terms, so
    we ask.
    """
    suspects = {}
    for name in names:
        column = frame[name]
        filled = column.notna().to_numpy()
        if not filled.all() and _is_of_one_class(is_positive[filled], is_positive):
            which = "positive" if is_positive[filled].mean() > 0.5 else "negative"
            suspects[name] = f"is filled for {which} rows only"
        elif roles.time is not None and types.is_datetime64_any_dtype(column):
            later = _share_later(column, frame[roles.time])
            if later > _LATER:
                suspects[name] = (
                    f"is later than {roles.time!r} in {100 * later:.0f} % of the rows. Was it set in advance, like a "
                    "due date or an appointment, or does it record when something happened?"
                )
    return suspects


def _share_later(column: pd.Series[Any], time: pd.Series[Any]) -> float:
    """Of the rows, how many have a date after their time; none where the dates keep a few terms."""
    if not types.is_datetime64_any_dtype(time):
        return 0.0  # a year, or the number of a week
    spans = numbers(column) - numbers(time)
    later = spans[spans > 0]
    return 0.0 if len(np.unique(later)) <= min(_TERMS, len(later) / _TERMS) else len(later) / len(spans)


def _is_of_one_class(filled: BoolArray, everything: BoolArray) -> bool:
    if not len(filled):
        return False
    n_filled, n_pos, share = len(filled), int(filled.sum()), float(everything.mean())
    if n_pos >= _PURE * n_filled:
        return bool(bdtrc(n_pos - 1, n_filled, share) < _CHANCE)
    return n_pos <= (1 - _PURE) * n_filled and bool(bdtr(n_pos, n_filled, share) < _CHANCE)


def outstanding_columns(encoded: EncodedTable) -> dict[str, str]:
    """Columns that alone rank too well to be plausible: very well, and far better than all others together.

    Very well: beyond chance, the AUC of the column, by all rows, is above .9. Far better: on the rows held out, it
    misranks at most half the pairs that a forest misranks, which has learned from all columns that rank less well.
    """
    encoder, training, held_out = encoded.encoder, encoded.training, encoded.held_out
    learned, judged = _SomeRows.of(training, _ROWS), _SomeRows.of(held_out, _ROWS)
    y = np.concatenate([learned.is_positive, judged.is_positive])
    if len(encoder.columns) < 2 or judged.is_positive.all() or not judged.is_positive.any():
        return {}
    rng = np.random.default_rng(0)
    high: list[tuple[Column, float]] = []
    others: list[str] = []
    for (column, first), (_, second) in zip(encoder.parts(learned.X), encoder.parts(judged.X), strict=True):
        candidates = _scores_of(np.concatenate([first, second]), y, rng)
        areas = [_auc(y, scores) for scores in candidates]
        best = candidates[int(np.argmax(areas))]
        if max(areas) >= _HIGH and _lower_limit(y, best) >= _HIGH:
            high.append((column, _auc(judged.is_positive, best[len(first) :])))
        else:
            others += column.outputs
    if not high:
        return {}
    of_others = _auc_of_forest(encoder, others, training, held_out)
    least = 1 / (2 * min(judged.is_positive.sum(), (~judged.is_positive).sum()))  # a share of pairs beside none
    return {
        name: f"alone has an AUC of {auc:.3f}; all weaker columns together have {of_others:.3f}"
        if name == column.name
        else f"is part of {column.name!r}, which alone has an AUC of {auc:.3f}"
        for column, auc in high
        if 1 - auc + least <= _FEWER * (1 - of_others + least)
        for name in column.sources
    }


class _SomeRows(NamedTuple):
    """Rows at even distances."""

    X: FloatArray
    is_positive: BoolArray

    @classmethod
    def of(cls, rows: TrainingRows | HeldOutRows, most: int) -> _SomeRows:
        some = slice(None, None, -(-len(rows.X) // most))
        return cls(rows.X[some], rows.is_positive[some])


def _auc_of_forest(encoder: Encoder, outputs: list[str], training: TrainingRows, held_out: HeldOutRows) -> float:
    """AUC of a forest fitted to these features alone, on the held-out rows."""
    if not outputs:
        return 0.5
    places = np.flatnonzero(np.isin(encoder.outputs, outputs))
    learned, judged = _SomeRows.of(training, _LEARNED), _SomeRows.of(held_out, _ROWS)
    from sklearn.ensemble import ExtraTreesClassifier  # here: half a second to import

    forest = ExtraTreesClassifier(100, min_samples_leaf=3, random_state=0).fit(
        learned.X[:, places], learned.is_positive
    )
    return _auc(judged.is_positive, forest.predict_proba(judged.X[:, places])[:, -1])


def _auc(is_positive: BoolArray, scores: FloatArray) -> float:
    return TieGroups.of(Sample(scores, is_positive)).share_won


def _lower_limit(is_positive: BoolArray, scores: FloatArray) -> float:
    return interval_of(IntervalRequest(Ranking(Sample(scores, is_positive), Mww()), _LEVEL)).low


def _scores_of(X: FloatArray, is_positive: BoolArray, rng: np.random.Generator) -> list[FloatArray]:
    """Scores that the outputs of one column offer: each by itself, both ways, or the share of positives by category.

    The share for a row is learned from other rows: by its own it would rank well by chance.
    """
    if X.shape[1] > 1 and np.isin(X, (0.0, 1.0)).all():
        codes = np.where(X.any(axis=1), X.argmax(axis=1), -1)
        return [cross_fitted_shares(codes, is_positive, X.shape[1], rng)[:, 0]]
    return [one for output in X.T for one in (output, -output)]


def doubts_of(suspects: dict[str, str]) -> list[Doubt]:
    """A doubt for each suspect."""
    consequence = "If it is not known before the label, the figures here are too good: train without it"
    return [
        Doubt(
            "leak",
            f"Column {name!r} {what}{'' if what.endswith('?') else '.'} {consequence} (option exclude: {name}).",
        )
        for name, what in suspects.items()
    ]
