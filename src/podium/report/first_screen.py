"""The first screen: the rows of a budget as dots, and the first rows of the list."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from podium.rankers.calibration.curves import Calibration
from podium.report.budgets import RankedList, Row

_MOST, _SIDE, _APART = 100, 120, 144  # dots, the square they are in, and from one square to the next
_FEW = 25  # dots that are drawn twice as large
_FIRST = 10  # rows of the list


class Dots(NamedTuple):
    """A hundred dots each for this list and for random order, a letter for each.

    s, e and r are hits up to the low end of the range, to the number expected and to the high end; m are other rows
    inspected, g hits of random order, o no rows.
    """

    ours: str
    random: str
    across: int  # dots in a line
    each: str  # how many rows a dot stands for
    found: str  # the hits expected
    around: str  # their range

    @classmethod
    def of(cls, row: Row, readout: Mapping[str, str]) -> Dots:
        """One dot per row up to a hundred rows; of more rows, a hundred dots that stand for as many each."""
        shown = min(row.budget, _MOST)
        each = row.budget / shown
        expected, low, high = row.hits
        parts = (expected,) * 3 if math.isnan(low) else (low, expected, high)
        ends = [round(rows / each) for rows in parts]
        lengths = np.diff([0, *ends, shown, _MOST])
        by_chance = min(round(row.random_hits / each), shown)
        return cls(
            "".join(letter * int(n) for letter, n in zip("sermo", lengths, strict=True)),
            "g" * by_chance + "m" * (shown - by_chance) + "o" * (_MOST - shown),
            5 if shown <= _FEW else 10,
            "Each dot is one row." if each == 1 else f"Each dot stands for {each:,.4g} rows.",
            readout["hits"],
            readout["hits-range"],
        )

    @property
    def drawing(self) -> Markup:
        """Two squares: this list, and random order. The slider moves dots by the same rule (report.js)."""
        dot, size = Markup('<circle class="{}" cx="{:g}" cy="{:g}" r="{:.3g}"/>'), _SIDE / self.across
        squares = []
        for name, letters, left in (("ours", self.ours, 0), ("random", self.random, _APART)):
            at = [(size * (i % self.across + 0.5), size * (i // self.across + 0.5)) for i in range(_MOST)]
            dots = [dot.format(letter, *xy, 0.37 * size) for letter, xy in zip(letters, at, strict=True)]
            square = Markup('<g data-dots="{}" transform="translate({} 0)">{}</g>')
            squares.append(square.format(name, left, Markup("").join(dots)))
        return Markup("").join(squares)


class FirstRow(NamedTuple):
    """One of the first rows: its rank, the probability of a hit with limits (None if not known), and its label."""

    rank: int
    probability: float | None
    low: float | None
    high: float | None
    is_hit: bool


def first_rows(ranked: RankedList, has_chances: bool) -> list[FirstRow]:
    """The first ten of the rows that judge, without a cell of the table; none where there are several lists."""
    if ranked.lists is not None:
        return []
    scores, is_positive = ranked.sample.scores, ranked.sample.is_positive
    order = np.argsort(-scores, kind="stable")[:_FIRST]
    rank = 1 + (scores > scores[order][:, None]).sum(axis=1)
    labels = is_positive[order].tolist()
    if not has_chances:
        return [FirstRow(place, None, None, None, label) for place, label in zip(rank.tolist(), labels, strict=True)]
    curve = Calibration.fit(scores, is_positive, ranked.sample.weight)
    shown = zip(rank.tolist(), curve(scores[order]), *curve.limits(scores[order]), labels, strict=True)
    return [FirstRow(place, float(a), float(b), float(c), label) for place, a, b, c, label in shown]
