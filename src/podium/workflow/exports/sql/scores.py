"""The score of a row as an SQL expression in the columns of the matrix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from podium.exceptions import InputError
from podium.rankers import GradientBoostedRanker, LinearRanker, TreeRanker
from podium.rankers.lines.columns import NormalScores
from podium.rankers.treerank.rules import Condition, Rule
from podium.workflow.exports.forms import is_lightgbm, no_form
from podium.workflow.exports.sql.words import by_threshold, number, total

_MOST_LEAVES = 50_000  # of all trees: beyond, no database takes the text


def score_of(ranker: Any, columns: Sequence[str]) -> str:
    """Lines, LightGBM's trees and ranking trees; other models are more than an expression."""
    if isinstance(ranker, LinearRanker):
        found = _line(ranker, columns)
    elif isinstance(ranker, TreeRanker):
        found = _segments(ranker, columns)
    elif is_lightgbm(ranker):
        found = _boosted(ranker, columns)
    else:
        raise no_form("SQL", ranker)
    return f"({found}) - {number(ranker.threshold_)}"


def _line(ranker: Any, columns: Sequence[str]) -> str:
    scaled = columns if ranker._quantiles is None else _normal_scores(ranker._quantiles, columns)
    return total([f"{number(w)} * {column}" for w, column in zip(ranker.coef_, scaled, strict=True) if w != 0])


def _normal_scores(scale: NormalScores, columns: Sequence[str]) -> list[str]:
    """Linear between knots, level beyond them."""
    found = []
    for column, knots, heights in zip(columns, scale.knots, scale.heights, strict=True):
        slopes = np.diff(heights) / np.diff(knots)
        lines = [
            f"{number(h)} + {number(slope)} * ({column} - {number(knot)})"
            for knot, h, slope in zip(knots, heights, slopes, strict=False)
        ]
        parts = [number(heights[0]), *lines, number(heights[-1])]
        found.append(f"({by_threshold(column, knots.tolist(), parts)})")
    return found


def _segments(ranker: TreeRanker, columns: Sequence[str]) -> str:
    """The rules one after the other; every row is in one of them."""
    scores = ranker.tree_.scores[ranker.tree_.order]
    cases = [f"WHEN {_rule(rule, columns)} THEN {number(s)}" for rule, s in zip(ranker.rules_, scores, strict=True)]
    return f"CASE {' '.join(cases)} END" if len(cases) > 1 else number(scores[0])


def _rule(rule: Rule, columns: Sequence[str]) -> str:
    boxes: Callable[[Any], str] = lambda conditions: " AND ".join(_condition(one, columns) for one in conditions)  # noqa: E731
    unions = [f"({' OR '.join(f'({boxes(box)})' for box in union)})" for union in rule.unions]
    return " AND ".join([*([boxes(rule.conditions)] if rule.conditions else []), *unions])


def _condition(condition: Condition, columns: Sequence[str]) -> str:
    """Numbers in (low, high]; nothing that the encoder writes is missing."""
    column, low, high = columns[condition.column], condition.low, condition.high
    sides = [f"{column} > {number(low)}"] if np.isfinite(low) else []
    sides += [f"{column} <= {number(high)}"] if np.isfinite(high) else []
    return "1 = 0" if low == np.inf else " AND ".join(sides) or "1 = 1"


def _boosted(ranker: GradientBoostedRanker, columns: Sequence[str]) -> str:
    models: list[Any] = list(ranker.models_)
    dumps = [one.booster.dump_model(num_iteration=one.n_rounds)["tree_info"] for one in models]
    n_leaves = sum(tree["num_leaves"] for trees in dumps for tree in trees)
    if n_leaves > _MOST_LEAVES:
        raise InputError(
            f"SQL of more than {_MOST_LEAVES:,} leaves is read by no database; the trees have {n_leaves:,}."
        )
    sums = [
        total([number(one.start), *(_tree(tree["tree_structure"], columns) for tree in trees)])
        for one, trees in zip(models, dumps, strict=True)
    ]
    return f"{total(sums)} / {number(len(sums))}"


def _tree(split: dict[str, Any], columns: Sequence[str]) -> str:
    """One CASE along the larger sides of the splits: so few are within each other that no parser runs out of depth."""
    cases = []
    while "leaf_value" not in split:
        test = columns[split["split_feature"]], number(split["threshold"])
        low, high = split["left_child"], split["right_child"]
        smaller, sign, split = (low, "<=", high) if _n_leaves(low) <= _n_leaves(high) else (high, ">", low)
        cases.append(f"WHEN {test[0]} {sign} {test[1]} THEN {_tree(smaller, columns)}")
    last = number(split["leaf_value"])
    return f"CASE {' '.join(cases)} ELSE {last} END" if cases else last


def _n_leaves(split: dict[str, Any]) -> int:
    if "leaf_value" in split:
        return 1
    return _n_leaves(split["left_child"]) + _n_leaves(split["right_child"])
