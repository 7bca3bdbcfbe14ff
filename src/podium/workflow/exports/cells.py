"""Columns on their way to a ranker: numbers, texts and categories, as expressions of what an exported model reads."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from podium.exceptions import InputError
from podium.workflow.exports.expressions import (
    Expression,
    column,
    constant,
    floor,
    lookup,
    may_be_missing,
    missing,
    where,
)

LARGEST = float(np.finfo(np.float64).max)


class Cell:
    """A column: its numbers, or a number for each of its values."""

    def number(self) -> Expression:
        raise NotImplementedError

    def by_value(self, numbers: Mapping[Any, float], other: float, absent: float) -> Expression:
        """The number of a value, one for all other values, and one where it is missing."""
        raise NotImplementedError

    def by_code(self, numbers: Mapping[float, float], other: float, absent: float, *, cut: bool = False) -> Expression:
        """The same for values that are codes; with ``cut`` what a number has behind its point is cut off."""
        raise NotImplementedError


@dataclass(frozen=True)
class Number(Cell):
    """A column that is a number already."""

    x: Expression

    def number(self) -> Expression:
        return self.x

    def by_value(self, numbers: Mapping[Any, float], other: float, absent: float) -> Expression:
        return _by_number(self.x, numbers, other, absent)

    def by_code(self, numbers: Mapping[float, float], other: float, absent: float, *, cut: bool = False) -> Expression:
        return _by_number(floor(self.x) if cut else self.x, numbers, other, absent)


def _by_number(x: Expression, numbers: Mapping[Any, float], other: float, absent: float) -> Expression:
    found = constant(other)
    for value, number in numbers.items():
        if not _same(number, other):
            found = where((x <= value) & (constant(value) <= x), number, found)
    return found if _same(absent, other) else where(missing(x), absent, found)


class Source(Cell):
    """A column of the rows that are scored; ``kinds`` learns what it must hold."""

    def __init__(self, name: str, kinds: dict[str, str]) -> None:
        self.name, self.kinds = name, kinds
        self._number: Expression | None = None

    def number(self) -> Expression:
        self._require("number")
        if self._number is None:  # the same object is computed once
            self._number = column(self.name, self.kinds[self.name])
        return self._number

    def by_value(self, numbers: Mapping[Any, float], other: float, absent: float) -> Expression:
        n_texts = sum(isinstance(value, str) for value in numbers)
        if n_texts == 0:
            return _by_number(self.number(), numbers, other, absent)
        if n_texts < len(numbers):
            raise InputError(
                f"A column of an exported model holds numbers or text; {self.name!r} holds both.",
                "make its values text before the fit.",
            )
        self._require("text")
        return lookup(self.name, list(numbers), np.array([*numbers.values(), other]), absent)

    def by_code(self, numbers: Mapping[float, float], other: float, absent: float, *, cut: bool = False) -> Expression:
        return Number(self.number()).by_code(numbers, other, absent, cut=cut)

    def _require(self, kind: str) -> None:
        if self.kinds.setdefault(self.name, kind) != kind:
            raise InputError(f"A column of an exported model holds numbers or text; {self.name!r} is used as both.")


@dataclass(frozen=True)
class Filled(Cell):
    """A column with a value where another has none."""

    cell: Cell
    value: Any

    def number(self) -> Expression:
        return filled(self.cell.number(), float(self.value))

    def by_value(self, numbers: Mapping[Any, float], other: float, absent: float) -> Expression:
        return self.cell.by_value(numbers, other, numbers.get(self.value, other))

    def by_code(self, numbers: Mapping[float, float], other: float, absent: float, *, cut: bool = False) -> Expression:
        return Number(self.number()).by_code(numbers, other, absent, cut=cut)


@dataclass(frozen=True)
class Coded(Cell):
    """Categories by their places in a list; others are missing."""

    cell: Cell
    values: Sequence[Any]

    def number(self) -> Expression:
        return self.by_code({float(k): float(k) for k in range(len(self.values))}, math.nan, math.nan)

    def by_value(self, numbers: Mapping[Any, float], other: float, absent: float) -> Expression:
        return self.by_code(numbers, other, absent)

    def by_code(self, numbers: Mapping[float, float], other: float, absent: float, *, cut: bool = False) -> Expression:
        """What is not among the values is missing, and a value whose code has no number is another."""
        return self.cell.by_value({v: numbers.get(float(k), other) for k, v in enumerate(self.values)}, absent, absent)


def filled(x: Expression, value: float) -> Expression:
    """A number that is never missing."""
    return where(missing(x), value, x) if may_be_missing(x) else x


def _same(a: float, b: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b))
