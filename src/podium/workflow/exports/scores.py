"""The score of a ranker as an expression in the columns of the matrix."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import and_, or_
from typing import Any

import numpy as np

from podium.exceptions import InputError
from podium.rankers import GradientBoostedRanker, LinearRanker, TreeRanker
from podium.rankers.treerank.rules import Condition, Rule
from podium.rankers.trees.lightgbm_backend import LightgbmTrees
from podium.workflow.exports.expressions import Expression, constant, forest, interpolate, total, where

LARGEST = float(np.finfo(np.float64).max)


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
