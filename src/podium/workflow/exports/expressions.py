"""What a model computes for a row, as a tree of expressions that an exporter writes down operation by operation.

An exporter is a loop over `in_order`: parts come before what is made of them, and each only once. It has to know

- leaves: ``constant`` (a float), ``column`` (a name and its kind: number, truth or date, the latter in whole seconds
  since 1970) and ``lookup`` (a column of text, its categories, and a number for each, the last for any other text);
- arithmetic in double precision: ``+ - * /``, ``sum``, ``floor``, ``ln``, ``cos``, ``sin``;
- conditions: ``missing``, ``<=``, ``>``, ``and``, ``or``; and ``where`` (condition, then, else);
- ``forest`` and ``interpolate``: as such, or by what `expanded` makes of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from podium._types import FloatArray

_FIRST_SPLIT = {"split_feature": 0, "threshold": 0.0}


@dataclass(frozen=True, eq=False)
class Expression:
    """An operation, what it is applied to, and what else it needs to know; the same object is the same number."""

    operator: str
    parts: tuple[Expression, ...] = ()
    value: Any = None

    def __add__(self, other: Expression | float) -> Expression:
        return _of("+", self, other)

    def __sub__(self, other: Expression | float) -> Expression:
        return _of("-", self, other)

    def __mul__(self, other: Expression | float) -> Expression:
        return _of("*", self, other)

    def __truediv__(self, other: Expression | float) -> Expression:
        return _of("/", self, other)

    def __le__(self, other: Expression | float) -> Expression:
        return _of("<=", self, other)

    def __gt__(self, other: Expression | float) -> Expression:
        return _of(">", self, other)

    def __and__(self, other: Expression) -> Expression:
        return _of("and", self, other)

    def __or__(self, other: Expression) -> Expression:
        return _of("or", self, other)


def _of(operator: str, *parts: Expression | float) -> Expression:
    return Expression(operator, tuple(part if isinstance(part, Expression) else constant(part) for part in parts))


def _function(operator: str) -> Callable[..., Expression]:
    return lambda *parts: _of(operator, *parts)


floor, ln, cos, sin, missing, where = map(_function, ("floor", "ln", "cos", "sin", "missing", "where"))


def constant(value: float) -> Expression:
    """A number known beforehand."""
    return Expression("constant", value=float(value))


def column(name: str, kind: str) -> Expression:
    """A column of numbers, truth values or dates; what is infinite or not a number is missing."""
    return Expression("column", value=(name, kind))


def lookup(name: str, categories: Sequence[str], numbers: FloatArray) -> Expression:
    """The number of the category that a column of text has; the last one for all others."""
    return Expression("lookup", value=(name, tuple(categories), numbers))


def total(terms: Sequence[Expression]) -> Expression:
    """A sum of any length."""
    return Expression("sum", tuple(terms)) if terms else constant(0.0)


def forest(columns: Sequence[Expression], trees: Sequence[dict[str, Any]]) -> Expression:
    """The sum of trees as LightGBM writes them down, of splits ``column <= threshold``; each has at least one split."""
    whole = [
        _FIRST_SPLIT | {"left_child": tree, "right_child": tree} if "leaf_value" in tree else tree for tree in trees
    ]
    return Expression("forest", tuple(columns), whole)


def interpolate(x: Expression, knots: FloatArray, heights: FloatArray) -> Expression:
    """Linear between knots, level beyond them."""
    return Expression("interpolate", (x,), (knots, heights))


def expanded(one: Expression) -> Expression:
    """A forest or an interpolation by ``where`` and arithmetic."""
    if one.operator == "forest":
        return total([_tree(tree, one.parts) for tree in one.value])
    (x,), (knots, heights) = one.parts, one.value
    slopes = np.diff(heights) / np.diff(knots)
    lines = [(x - k) * slope + h for k, h, slope in zip(knots, heights, slopes, strict=False)]
    return _by_threshold(x, knots, [constant(heights[0]), *lines, constant(heights[-1])])


def in_order(root: Expression) -> Iterator[Expression]:
    """Every expression within this one, once, after its parts; no matter how deep."""
    done: set[int] = set()
    waiting = [(root, False)]
    while waiting:
        one, is_ready = waiting.pop()
        if id(one) in done:
            continue
        if is_ready:
            done.add(id(one))
            yield one
        else:
            waiting.append((one, True))
            waiting += [(part, False) for part in reversed(one.parts)]


def _by_threshold(x: Expression, thresholds: FloatArray, results: Sequence[Expression]) -> Expression:
    """``results[j]``, j being how many of the increasing thresholds are below x; by halves."""
    if not len(thresholds):
        return results[0]
    half = len(thresholds) // 2
    low = _by_threshold(x, thresholds[:half], results[: half + 1])
    return where(x <= thresholds[half], low, _by_threshold(x, thresholds[half + 1 :], results[half + 1 :]))


def _tree(split: dict[str, Any], columns: Sequence[Expression]) -> Expression:
    """The smaller side first: written as one chain of cases along the larger sides, few are within each other."""
    chain: list[tuple[Expression, Expression]] = []
    while "leaf_value" not in split:
        x, threshold = columns[split["split_feature"]], split["threshold"]
        low, high = split["left_child"], split["right_child"]
        is_low = n_leaves(low) <= n_leaves(high)
        smaller, split = (low, high) if is_low else (high, low)
        chain.append((x <= threshold if is_low else x > threshold, _tree(smaller, columns)))
    last = constant(split["leaf_value"])
    return reduce(lambda rest, case: where(case[0], case[1], rest), reversed(chain), last)


def n_leaves(split: dict[str, Any]) -> int:
    """How many leaves are below a split."""
    return 1 if "leaf_value" in split else n_leaves(split["left_child"]) + n_leaves(split["right_child"])
