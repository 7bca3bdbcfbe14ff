"""A model as expressions: numbers from the columns of a table, and from them the score of its ranker."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import reduce
from operator import and_, or_
from typing import Any

import numpy as np

from podium.columns.date import CYCLES, DAY, PLACES, WEEKEND, DateColumn, GapColumn
from podium.columns.number import STRAIGHT, NumberColumn
from podium.columns.text import TextColumn
from podium.exceptions import InputError
from podium.rankers import GradientBoostedRanker, LinearRanker, TreeRanker
from podium.rankers.treerank.rules import Condition, Rule
from podium.rankers.trees.lightgbm_backend import LightgbmTrees
from podium.tables import TableModel
from podium.tables.formats.text import TruthFormat
from podium.workflow.exports.expressions import (
    Expression,
    column,
    constant,
    cos,
    floor,
    forest,
    interpolate,
    ln,
    lookup,
    missing,
    sin,
    total,
    where,
)

LARGEST = float(np.finfo(np.float64).max)


def numbers_of(model: TableModel, form: str) -> list[Expression]:
    """In the order of the encoder's outputs; ``form`` is what they are for, should they not be possible there."""
    truths = {name for name, known in model.known.items() if isinstance(known, TruthFormat)}
    sources = {
        name: column(name, "truth" if name in truths else kind)
        for name, kind in model.kinds.items()
        if kind in ("number", "date")
    }
    return [each for one in model.encoder.columns for each in _numbers(one, sources, form)]


def _numbers(one: Any, sources: dict[str, Expression], form: str) -> Iterator[Expression]:
    if isinstance(one, NumberColumn):
        yield from _number(one, sources[one.name])
    elif isinstance(one, TextColumn):
        yield from (lookup(one.name, one.categories, values) for values in one.values.T)
    elif isinstance(one, GapColumn):
        yield from _number(one.days, (sources[one.end] - sources[one.start]) / DAY)
    elif isinstance(one, DateColumn):
        yield from _date(one, sources[one.name], form)
    else:
        raise InputError(
            f"{form} has no words: {one.name!r} is free text, which the model reads word by word.",
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


def _date(one: DateColumn, seconds: Expression, form: str) -> Iterator[Expression]:
    if one.cycles and not one.level.step:
        raise InputError(
            f"{form} needs dates that are the same numbers everywhere; those of {one.name!r} were encoded by an earlier"
            " version, and differ between systems.",
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


def score_of(ranker: Any, columns: Sequence[Expression], form: str) -> Expression:
    """Lines, LightGBM's trees and ranking trees; other models are more than an expression."""
    if isinstance(ranker, LinearRanker):
        score = _line(ranker, columns)
    elif isinstance(ranker, TreeRanker):
        score = _segments(ranker, columns)
    elif isinstance(ranker, GradientBoostedRanker) and all(isinstance(one, LightgbmTrees) for one in ranker.models_):
        score = _boosted(ranker, columns)
    else:
        raise InputError(
            f"Lines, LightGBM's trees and ranking trees can be {form}; this model is a {type(ranker).__name__}.",
            "fit with the model linear, trees or ranking-tree, or score with podium where the model file is.",
        )
    return score - ranker.threshold_


def _line(ranker: Any, columns: Sequence[Expression]) -> Expression:
    if (scale := ranker._quantiles) is not None:
        columns = [interpolate(*one) for one in zip(columns, scale.knots, scale.heights, strict=True)]
    return total([x * weight for x, weight in zip(columns, ranker.coef_, strict=True) if weight != 0])


def _segments(ranker: TreeRanker, columns: Sequence[Expression]) -> Expression:
    """The rules one after the other; every row is in one of them."""
    *cases, (_, last) = zip(ranker.rules_, ranker.tree_.scores[ranker.tree_.order], strict=True)
    score = constant(last)
    for rule, value in reversed(cases):
        score = where(_rule(rule, columns), value, score)
    return score


def _rule(rule: Rule, columns: Sequence[Expression]) -> Expression:
    unions = [reduce(or_, (_box(box, columns) for box in union)) for union in rule.unions]
    return reduce(and_, [*([_box(rule.conditions, columns)] if rule.conditions else []), *unions])


def _box(conditions: Sequence[Condition], columns: Sequence[Expression]) -> Expression:
    """Numbers in (low, high]; nothing that the encoder writes is missing, so none is above the largest number."""
    sides = []
    for one in conditions:
        x = columns[one.column]
        sides += [x > min(one.low, LARGEST)] if one.low > -np.inf else []
        sides += [x <= one.high] if one.high < np.inf else []
    return reduce(and_, sides) if sides else columns[0] <= LARGEST


def _boosted(ranker: GradientBoostedRanker, columns: Sequence[Expression]) -> Expression:
    """The mean over boosters of sums over trees."""
    models: list[Any] = list(ranker.models_)
    dumps = [one.booster.dump_model(num_iteration=one.n_rounds)["tree_info"] for one in models]
    trees = forest(columns, [tree["tree_structure"] for trees in dumps for tree in trees])
    return (trees + sum(one.start for one in models)) / len(models)
