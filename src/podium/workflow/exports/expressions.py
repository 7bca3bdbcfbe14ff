"""What a model computes for a row, as a tree of expressions that an exporter writes down operation by operation.

An exporter is a loop over `in_order`: parts come before what is made of them, and each only once. It has to know

- leaves: ``constant`` (a float), ``column`` (a name and its kind: number, truth or date, the latter in whole seconds
  since 1970) and ``lookup`` (a column of text, its categories, a number for each, the last for any other text, and one
  where it is missing); a number that is NaN is a missing one;
- arithmetic in double precision: ``+ - * /``, ``sum``, ``floor``, ``ln``, ``cos``, ``sin``, ``median``;
- conditions: ``missing``, ``<=``, ``>``, ``and``, ``or``; and ``where`` (condition, then, else);
- ``forest``, ``interpolate`` and ``single`` (rounded to single precision): as such, or as `expanded` says them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from podium._types import FloatArray


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


def median(terms: Sequence[Expression]) -> Expression:
    """Of at least one number."""
    return Expression("median", tuple(terms))


def single(x: Expression, step: float, largest: float) -> Expression:
    """Rounded to single precision; x is a multiple of a step, and at most so large."""
    return Expression("single", (x,), (step, largest))


def constant(value: float) -> Expression:
    """A number known beforehand."""
    return Expression("constant", value=float(value))


def column(name: str, kind: str) -> Expression:
    """A column of numbers, truth values or dates; what is infinite or not a number is missing."""
    return Expression("column", value=(name, kind))


def lookup(name: str, categories: Sequence[str], numbers: FloatArray, absent: float | None = None) -> Expression:
    """The number of the category that a column of text has; the last for all others, missing ones too by default."""
    return Expression("lookup", value=(name, tuple(categories), numbers, numbers[-1] if absent is None else absent))


def total(terms: Sequence[Expression]) -> Expression:
    """A sum of any length."""
    return Expression("sum", tuple(terms)) if terms else constant(0.0)


def forest(columns: Sequence[Expression], trees: Sequence[dict[str, Any]]) -> Expression:
    """The sum of trees as LightGBM writes them down, of splits ``column <= threshold``."""
    whole = [tree for tree in trees if "leaf_value" not in tree]
    leaves = sum(tree["leaf_value"] for tree in trees if "leaf_value" in tree)
    if not whole:
        return constant(leaves)
    splits = Expression("forest", tuple(columns), whole)
    return splits + leaves if leaves else splits


def interpolate(x: Expression, knots: FloatArray, heights: FloatArray) -> Expression:
    """Linear between knots, level beyond them."""
    return Expression("interpolate", (x,), (knots, heights))


def expanded(one: Expression) -> Expression:
    """A forest, an interpolation or a number in single precision by ``where`` and arithmetic."""
    if one.operator == "forest":
        return total([tree_of(tree, one.parts) for tree in one.value])
    (x,) = one.parts
    if one.operator == "single":
        return _rounded_by_magnitude(x, *one.value)
    knots, heights = one.value
    slopes = np.diff(heights) / np.diff(knots)
    lines = [(x - k) * slope + h for k, h, slope in zip(knots, heights, slopes, strict=False)]
    return by_threshold(x, knots, [constant(heights[0]), *lines, constant(heights[-1])])


def _rounded_by_magnitude(x: Expression, step: float, largest: float) -> Expression:
    """To 24 bits: what is added and taken off again leaves as many, and rounds as the processor does.

    Below 2²⁴ steps nothing is lost. Numbers from 2ᵉ to 2ᵉ⁺¹ become multiples of 2ᵉ⁻²³, the last digit of 1.5·2ᵉ⁺²⁹.
    """
    least, most = (int(np.ceil(np.log2(number))) for number in (step * 2.0**24, largest))
    powers = np.arange(least, max(least, most) + 1)
    large = [1.5 * 2.0 ** (e + 29) for e in powers]
    size = where(x <= 0.0, x * -1.0, x)
    below = np.nextafter(2.0**powers, -np.inf)  # what is 2ᵉ itself has the digits of larger numbers
    return by_threshold(size, below, [x, *((x + each) - each for each in large)])


def may_be_missing(one: Expression, known: frozenset[int] = frozenset()) -> bool:
    """Whether it has no value for some row, those apart for which the expressions ``known`` have none."""
    if id(one) in known or one.operator == "missing":
        return False
    if one.operator == "constant":
        return math.isnan(one.value)
    if one.operator == "lookup":
        return bool(np.isnan([*one.value[2], one.value[3]]).any())
    if one.operator == "where":
        condition, then, other = one.parts
        more = known | {id(condition.parts[0])} if condition.operator == "missing" else known
        return may_be_missing(then, known) or may_be_missing(other, more)
    return one.operator == "column" or any(may_be_missing(part, known) for part in one.parts)


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


def by_threshold(x: Expression, thresholds: FloatArray, results: Sequence[Expression]) -> Expression:
    """``results[j]``, j being how many of the increasing thresholds are below x; by halves."""
    if not len(thresholds):
        return results[0]
    half = len(thresholds) // 2
    low = by_threshold(x, thresholds[:half], results[: half + 1])
    return where(x <= thresholds[half], low, by_threshold(x, thresholds[half + 1 :], results[half + 1 :]))


def tree_of(
    split: dict[str, Any], columns: Sequence[Expression], shared: dict[int, Expression] | None = None
) -> Expression:
    """A tree as one chain of cases along the larger sides, so that few are within each other.

    Parts that are marked as ``shared``, to which several ways lead, are made once.
    """
    shared = {} if shared is None else shared
    chain: list[tuple[Expression, Expression]] = []
    last, at = None, split
    while "leaf_value" not in at and last is None:
        x, threshold = columns[at["split_feature"]], at["threshold"]
        low, high = at["left_child"], at["right_child"]
        is_low = n_leaves(low) <= n_leaves(high)
        smaller, at = (low, high) if is_low else (high, low)
        chain.append((x <= threshold if is_low else x > threshold, _part(smaller, columns, shared)))
        last = _part(at, columns, shared) if "shared" in at else None
    last = constant(at["leaf_value"]) if last is None else last
    return reduce(lambda rest, case: where(case[0], case[1], rest), reversed(chain), last)


def _part(split: dict[str, Any], columns: Sequence[Expression], shared: dict[int, Expression]) -> Expression:
    if id(split) not in shared:
        shared[id(split)] = tree_of(split, columns, shared)
    return shared[id(split)]


def n_leaves(split: dict[str, Any]) -> int:
    """How many leaves are below a split; a shared part counts as one."""
    if "leaf_value" in split:
        return 1
    return sum(1 if "shared" in side else n_leaves(side) for side in (split["left_child"], split["right_child"]))
