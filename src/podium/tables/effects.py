"""What moves a row up or down the list: change one column, keep the others, look at the score.

Effects are in points of the list: +10 means a tenth of the list further up. They describe the model, not causes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd

from podium._fast.order.engine import ascending
from podium._normal import normal_quantile
from podium._progress import report_progress
from podium._types import FloatArray
from podium.selection.split import Rows
from podium.tables.describe import kind_of

_ROWS = 300  # on which an effect is averaged
_LISTED = 10_000  # that stand for the whole list
_VALUES = 3  # of a column of text: the most frequent ones
_LIMIT = normal_quantile(0.95)

Scores = Callable[[pd.DataFrame], FloatArray]


class Effect(NamedTuple):
    """How far a change moves rows, in points of the list, with a 95 % interval for the mean."""

    name: str
    effect: float
    low: float
    high: float


def listed_rows(frame: pd.DataFrame, rows: Rows, names: Iterable[str], rng: np.random.Generator) -> pd.DataFrame:
    """Some of the rows at these positions, at random, that stand for the whole list."""
    some = rng.permutation(rows)[:_LISTED]
    return pd.DataFrame({name: frame[name].iloc[some] for name in names})


def typical_effects(scores: Scores, frame: pd.DataFrame) -> list[Effect]:
    """For numbers: from the lower to the upper decile. For text: from what a row has to one of the frequent values.

    The frame is a list in random order, see `listed_rows`.
    """
    places = _Places(scores(frame))
    rows = frame.iloc[:_ROWS]
    before = places(scores(rows))
    effects = []
    for done, name in enumerate(frame.columns):
        report_progress(done / frame.shape[1])
        column = frame[name]
        if kind_of(column) != "text":
            low, high = (column.quantile(q, interpolation="nearest") for q in (0.1, 0.9))
            if low == high:
                low, high = column.min(), column.max()
            change = places(scores(rows.assign(**{name: high}))) - places(scores(rows.assign(**{name: low})))
            effects.append(_effect(f"{name}: {_short(low)} → {_short(high)}", change))
            continue
        for value in column.value_counts().index[:_VALUES]:
            effects.append(_effect(f"{name} = {value}", places(scores(rows.assign(**{name: value}))) - before))
    return sorted(effects, key=lambda effect: -abs(effect.effect))


def row_effects(scores: Scores, frame: pd.DataFrame, row: int, rng: np.random.Generator) -> list[Effect]:
    """What each value of a row adds to its place, against the values that other rows have instead."""
    places = _Places(scores(frame))
    others = frame.iloc[rng.permutation(len(frame))[:_ROWS]]
    own = frame.iloc[[row]]
    place = places(scores(own))
    copies = own.iloc[np.zeros(len(others), dtype=np.intp)].reset_index(drop=True)
    effects = []
    for done, name in enumerate(frame.columns):
        report_progress(done / frame.shape[1])
        swapped = copies.assign(**{name: others[name].to_numpy()})
        swapped[name] = swapped[name].astype(frame[name].dtype)
        effects.append(_effect(f"{name} = {_short(own[name].iloc[0])}", place - places(scores(swapped))))
    return sorted(effects, key=lambda effect: -abs(effect.effect))


class _Places:
    """From scores to places in the list, in points: 0 at the bottom, 100 on top."""

    def __init__(self, scores: FloatArray) -> None:
        self._sorted = ascending(scores)

    def __call__(self, scores: FloatArray) -> FloatArray:
        below = np.searchsorted(self._sorted, scores, "left") + np.searchsorted(self._sorted, scores, "right")
        return 50.0 * below / len(self._sorted)


def _effect(name: str, changes: FloatArray) -> Effect:
    mean, error = float(changes.mean()), float(changes.std() / np.sqrt(len(changes)))
    return Effect(name, mean, mean - _LIMIT * error, mean + _LIMIT * error)


def _short(value: object) -> str:
    if not isinstance(value, (float, np.floating)):
        return str(value)
    return f"{value:.0f}" if 1e3 <= abs(float(value)) < 1e9 else f"{value:.4g}"
