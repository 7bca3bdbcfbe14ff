"""The score of a row, as operators on the matrix of a graph."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from podium.rankers import GradientBoostedRanker, LinearRanker, TreeRanker
from podium.rankers.lines.columns import NormalScores
from podium.rankers.treerank.rules import Condition, Rule
from podium.workflow.exports.forms import is_lightgbm, no_form
from podium.workflow.exports.onnx.graph import Graph
from podium.workflow.exports.onnx.trees import Trees


def score_of(graph: Graph, ranker: Any, X: str) -> str:
    """Lines, LightGBM's trees and ranking trees; other models are more than a few operators."""
    if isinstance(ranker, LinearRanker):
        score = _line(graph, ranker, X)
    elif isinstance(ranker, TreeRanker):
        score = _segments(graph, ranker, X)
    elif is_lightgbm(ranker):
        score = _boosted(graph, ranker, X)
    else:
        raise no_form("ONNX", ranker)
    return graph.op("Sub", score, float(ranker.threshold_))


def _line(graph: Graph, ranker: Any, X: str) -> str:
    scaled = X if ranker._quantiles is None else _normal_scores(graph, ranker._quantiles, X)
    return graph.op("MatMul", scaled, np.reshape(ranker.coef_, (-1, 1)))


def _normal_scores(graph: Graph, scale: NormalScores, X: str) -> str:
    """Linear between knots, level beyond them: the line that belongs to the number of knots below."""
    columns = []
    for j, (knots, heights) in enumerate(zip(scale.knots, scale.heights, strict=True)):
        column = _column(graph, X, j)
        below = graph.op("Cast", graph.op("Greater", column, knots), to=graph.onnx.TensorProto.INT64)
        line = graph.op("ReduceSum", below, [1], keepdims=1)
        slopes = np.diff(heights) / np.diff(knots)
        start, height = np.append(knots[0], knots), np.append(heights[0], heights)
        slope = np.concatenate([[0.0], slopes, [0.0]])
        beyond = graph.op("Sub", column, graph.op("Gather", start, line))
        rise = graph.op("Mul", graph.op("Gather", slope, line), beyond)
        columns.append(graph.op("Add", graph.op("Gather", height, line), rise))
    return graph.op("Concat", *columns, axis=1)


def _segments(graph: Graph, ranker: TreeRanker, X: str) -> str:
    """The rules one after the other; every row is in one of them."""
    scores = ranker.tree_.scores[ranker.tree_.order]
    first = graph.op("Mul", _column(graph, X, 0), 0.0)  # as many rows as there are
    score = graph.op("Add", first, float(scores[-1]))
    for rule, value in zip(ranker.rules_[-2::-1], scores[-2::-1], strict=True):
        score = graph.op("Where", _rule(graph, rule, X), float(value), score)
    return score


def _rule(graph: Graph, rule: Rule, X: str) -> str:
    unions = [_any(graph, [_box(graph, box, X) for box in union]) for union in rule.unions]
    boxes = [_box(graph, rule.conditions, X)] if rule.conditions else []
    return _all(graph, [*boxes, *unions])


def _box(graph: Graph, conditions: tuple[Condition, ...], X: str) -> str:
    return _all(graph, [side for one in conditions for side in _sides(graph, one, X)])


def _sides(graph: Graph, condition: Condition, X: str) -> list[str]:
    """Numbers in (low, high]; nothing that the encoder writes is missing, so none is above infinity."""
    column = _column(graph, X, condition.column)
    return [graph.op("Greater", column, condition.low), graph.op("LessOrEqual", column, condition.high)]


def _all(graph: Graph, conditions: list[str]) -> str:
    return reduce(lambda a, b: graph.op("And", a, b), conditions)


def _any(graph: Graph, conditions: list[str]) -> str:
    return reduce(lambda a, b: graph.op("Or", a, b), conditions)


def _column(graph: Graph, X: str, j: int) -> str:
    return graph.op("Gather", X, np.array([j]), axis=1)


def _boosted(graph: Graph, ranker: GradientBoostedRanker, X: str) -> str:
    """The mean over boosters of sums over trees."""
    trees, start = Trees(), 0.0
    models: list[Any] = list(ranker.models_)
    for one in models:
        start += one.start
        for tree in one.booster.dump_model(num_iteration=one.n_rounds)["tree_info"]:
            trees.add(tree["tree_structure"])
    total = graph.op("Add", graph.ml_op("TreeEnsemble", X, **trees.attributes(graph.onnx)), start)
    return graph.op("Div", total, float(len(models)))
