"""A line read for its scores alone; the rest of its file comes to life, and is checked, once anything else is asked.

To score rows of a table by a line, or by boosted columns, takes some numbers and NumPy. The object that they are
trained and judged with takes scikit-learn, SciPy, pandas and compiled loops: ten times the memory, and a second.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import RLock
from types import SimpleNamespace
from typing import Any

import numpy as np

from podium._types import FloatArray
from podium.rankers.stumps import stump_scores
from podium.tables.rows import encoded, is_rows

_ENCODERS = tuple(f"podium.tables.{name}" for name in ("NumberColumn", "TextColumn", "DateColumn", "GapColumn"))
_CLASS: Any = vars(object)["__class__"]
_OPENING = RLock()  # threads of a service may score rows with one model


@dataclass(frozen=True)
class Inert:
    """An object of a file that has not come to life: the name of its type, and its state."""

    kind: str
    state: dict[str, Any]


@dataclass(frozen=True)
class LightLine:
    """What scores a row: encoders of columns, how they were written, and how the numbers that they give are added up.

    ``weights`` of the numbers, or of their normal scores by knots and heights; or else ``rounds`` of thresholds.
    """

    columns: list[Any]
    formats: Mapping[str, Any]
    threshold: float
    weights: Any = None
    knots: list[FloatArray] | None = None
    heights: list[FloatArray] | None = None
    rounds: Any = None

    def scores(self, rows: Any) -> FloatArray | None:
        """None where a cell is not plain."""
        X = encoded(self.columns, self.formats, rows)
        if X is None:
            return None
        if self.knots is not None and self.heights is not None:
            parts = zip(X.T, self.knots, self.heights, strict=True)
            X = np.column_stack([np.interp(x, knots, heights) for x, knots, heights in parts])
        scores = stump_scores(X, self.rounds) if self.weights is None else X @ self.weights
        return np.asarray(scores - self.threshold)

    def is_sound(self) -> bool:
        """Whether every number is one, and there are as many as columns give."""
        n_numbers = sum(len(column.outputs) for column in self.columns)
        if not (isinstance(self.threshold, float) and np.isfinite(self.threshold)):
            return False
        if self.rounds is not None:
            feature, *numbers = (self.rounds[name] for name in ("feature", "threshold", "alpha"))
            is_place = feature.dtype.kind == "i" and ((feature >= 0) & (feature < n_numbers)).all()
            return bool(is_place and all(map(_are_numbers, numbers)))
        if not _are_numbers(self.weights) or len(np.asarray(self.weights)) != n_numbers:
            return False
        if self.knots is None or self.heights is None:
            return self.knots is self.heights
        scales = list(zip(self.knots, self.heights, strict=True))
        return len(scales) == n_numbers and all(
            len(knots) == len(heights) > 0 and _are_numbers(knots) and _are_numbers(heights)
            for knots, heights in scales
        )


def _are_numbers(values: Any) -> bool:
    return bool(values.dtype == np.float64 and values.ndim == 1 and np.isfinite(values).all())


class Sealed:
    """A line in a file, which becomes the model of a table when it is asked for more than scores of rows."""

    def __init__(self, line: LightLine, whole: Callable[[], Any]) -> None:
        vars(self).update(_line=line, _whole=whole)

    def score_rows(self, rows: Any) -> FloatArray:
        """As `TableModel.score_rows`."""
        line = vars(self).get("_line")  # None where another thread has just opened it
        found = line.scores(rows) if line is not None and is_rows(rows) else None
        return np.asarray(opened(self).score_rows(rows)) if found is None else found

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what Python itself looks for
            raise AttributeError(name)
        return getattr(opened(self), name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(opened(self), name, value)

    def _kind(self) -> Any:
        from podium.tables.model import TableModel

        return TableModel

    __class__ = property(_kind)  # isinstance asks for it

    def __repr__(self) -> str:
        return repr(opened(self))

    def __eq__(self, other: Any) -> bool:
        return bool(opened(self) == other)

    __hash__ = None  # type: ignore[assignment]  # as of the model

    def __reduce_ex__(self, protocol: Any) -> Any:
        return opened(self).__reduce_ex__(protocol)


def opened(model: Any) -> Any:
    """The same object, whole."""
    with _OPENING:
        if type(model) is Sealed:
            whole = vars(model)["_whole"]()
            vars(model).update(vars(whole))
            _CLASS.__set__(model, type(whole))
            del vars(model)["_line"], vars(model)["_whole"]
    return model


def part(kind: Any, state: Any, revive: Callable[[Any, Any], Any]) -> Any:
    """An object of a file: one that encodes columns, alive, or another that is not."""
    return revive(kind, state) if kind in _ENCODERS else Inert(kind, state)


def sealed(model: Any, whole: Callable[[], Any]) -> Sealed | None:
    """The line that parts of a file describe; None, or an error, where they are something else or not sound."""
    line = _line(model)
    return None if line is None else Sealed(line, whole)


def _line(model: Any) -> LightLine | None:
    columns, ranker = model.state["encoder"].state["columns"], model.state["ranker"]
    if not columns or any(isinstance(column, Inert) for column in columns):
        return None
    written = {name: SimpleNamespace(**part.state) for name, part in model.state.get("formats", {}).items()}
    learned = ranker.state
    if ranker.kind == "podium.rankers.BoostedRanker" and learned["weak"] == "stumps":
        line = LightLine(columns, written, learned["threshold_"], rounds=learned["rounds_"])
    elif ranker.kind in ("podium.rankers.LinearRanker", "podium.rankers.BoostedRanker"):
        scale = learned.get("_quantiles")
        knots, heights = (None, None) if scale is None else (scale.state["knots"], scale.state["heights"])
        line = LightLine(columns, written, learned["threshold_"], learned["coef_"], knots, heights)
    else:
        return None
    return line if line.is_sound() else None
