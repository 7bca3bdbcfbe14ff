"""A model as expressions: what it reads, and the score that it makes of it."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sklearn.utils.validation import check_is_fitted

from podium import persist
from podium.exceptions import InputError
from podium.tables import TableModel
from podium.tables.columns.date import CYCLES, DAY, PLACES, WEEKEND, DateColumn, GapColumn
from podium.tables.columns.number import STRAIGHT, NumberColumn
from podium.tables.columns.text import TextColumn
from podium.tables.formats.text import TruthFormat
from podium.workflow.exports.cells import Number, Source
from podium.workflow.exports.expressions import Expression, column, cos, floor, ln, lookup, missing, sin, where
from podium.workflow.exports.rankers import score_of


@dataclass(frozen=True)
class Scored:
    """A score, the columns that it is computed from with what they hold, that of identifiers, and what is positive."""

    score: Expression
    kinds: dict[str, str]
    id_column: str | None
    positive: str


def scored(model: Any) -> Scored:
    """The model of a table, a fitted ranker, a pipeline that ends in one, or a file of one."""
    if isinstance(model, str | os.PathLike):
        model = persist.load(model)
    if not isinstance(model, TableModel):
        return _of_estimator(model)
    numbers = [Number(x) for x in numbers_of(model)]
    about = f"{model.label} = {model.positive}"
    return Scored(score_of(model.ranker, numbers), model.kinds, model.id_column, about)


def _of_estimator(estimator: Any) -> Scored:
    """By the names of the columns that it was fitted to, else x0, x1, …; those that it does not read are left out."""
    check_is_fitted(estimator)
    names = getattr(estimator, "feature_names_in_", None)
    names = [f"x{j}" for j in range(estimator.n_features_in_)] if names is None else list(map(str, names))
    kinds: dict[str, str] = {}
    score = score_of(estimator, [Source(name, kinds) for name in names])
    read = {name: kinds[name] for name in names if name in kinds}
    return Scored(score, read or dict.fromkeys(names, "number"), None, f"class {estimator.classes_[-1]}")


def numbers_of(model: TableModel) -> list[Expression]:
    """In the order of the encoder's outputs."""
    truths = {name for name, known in model.known.items() if isinstance(known, TruthFormat)}
    sources = {
        name: column(name, "truth" if name in truths else kind)
        for name, kind in model.kinds.items()
        if kind in ("number", "date")
    }
    return [each for one in model.encoder.columns for each in _numbers(one, sources)]


def _numbers(one: Any, sources: dict[str, Expression]) -> Iterator[Expression]:
    if isinstance(one, NumberColumn):
        yield from _number(one, sources[one.name])
    elif isinstance(one, TextColumn):
        yield from (lookup(one.name, one.categories, values) for values in one.values.T)
    elif isinstance(one, GapColumn):
        yield from _number(one.days, (sources[one.end] - sources[one.start]) / DAY)
    elif isinstance(one, DateColumn):
        yield from _date(one, sources[one.name])
    else:
        raise InputError(
            f"Words cannot be exported: {one.name!r} is free text, which the model reads word by word.",
            f"fit without it (exclude {one.name}).",
        )


def _number(one: NumberColumn, x: Expression) -> Iterator[Expression]:
    """In robust standard deviations, logarithmic beyond three of them; the median where it is missing, and a mark."""
    z = (where(missing(x), one.centre, x) - one.centre) / one.scale
    low = (ln((z * -1.0 - STRAIGHT) + 1.0) + STRAIGHT) * -1.0
    tamed = where(z > STRAIGHT, ln((z - STRAIGHT) + 1.0) + STRAIGHT, where(z <= -STRAIGHT, low, z))
    yield _rounded(tamed, one.step) if one.step else tamed
    if one.marks_missing:
        yield where(missing(x), 1.0, 0.0)


def _date(one: DateColumn, seconds: Expression) -> Iterator[Expression]:
    if one.cycles and not one.level.step:
        raise InputError(
            f"An export needs dates that are the same numbers everywhere; those of {one.name!r} were encoded by an "
            "earlier version, and differ between systems.",
            "fit the model again.",
        )
    yield from _number(one.level, seconds)
    for cycle in one.cycles:
        place = seconds - floor(seconds / CYCLES[cycle]) * CYCLES[cycle]
        angle = place * (2 * math.pi) / CYCLES[cycle]
        yield from (where(missing(seconds), 0.0, _rounded(wave(angle), PLACES)) for wave in (cos, sin))
        if cycle == "week":
            yield where((place > WEEKEND[0] - 1) & (place <= WEEKEND[1] - 1), 1.0, 0.0)


def _rounded(x: Expression, step: float) -> Expression:
    """To a multiple of a step; steps are powers of two, so that only one operation rounds."""
    return floor(x * (1 / step) + 0.5) * step
