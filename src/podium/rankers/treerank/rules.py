"""A ranking tree in words: the rules of its cuts, and its segments with their shares of positives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from podium._results import wording
from podium._results.result import Result, Table
from podium._shares import least_share
from podium._types import BoolArray, FloatArray
from podium.rankers.treerank.cells import RankingTree
from podium.rankers.treerank.gain import Bins

Box = dict[int, BoolArray]  # by column: which of its bins are inside


@dataclass(frozen=True)
class Condition:
    """What a rule asks of one column: a number in (low, high], or one of some codes; whether a missing one passes."""

    column: int
    low: float = -np.inf
    high: float = np.inf
    codes: tuple[float, ...] | None = None
    excluded: tuple[float, ...] = ()
    missing: bool = False

    def in_words(self, name: str) -> str:
        """The condition of a column of that name.

        >>> Condition(0, low=40.5, missing=True).in_words("age"), Condition(0, codes=(1.0, 2.0)).in_words("color")
        ('age > 40.5 or missing', 'color is 1 or 2')
        """
        if self.codes is not None:
            return self._categories(name)
        if self.low == np.inf:
            return f"{name} missing"
        if self.low == -np.inf and self.high == np.inf:
            text = f"{name} known"
        elif self.low == -np.inf:
            text = f"{name} ≤ {_number(self.high)}"
        elif self.high == np.inf:
            text = f"{name} > {_number(self.low)}"
        else:
            text = f"{_number(self.low)} < {name} ≤ {_number(self.high)}"
        return f"{text} or missing" if self.missing else text

    def _categories(self, name: str) -> str:
        inside, outside = self.codes or (), self.excluded
        if not inside:
            return f"{name} missing or unknown"
        if self.missing and 0 < len(outside) <= len(inside):
            return f"{name} is not {_listed(outside)}"
        return f"{name} is {_listed(inside)}{' or another' if self.missing else ''}"


class Rule(NamedTuple):
    """A row belongs to it where every condition holds, and of every union all conditions of one of its boxes."""

    conditions: tuple[Condition, ...]
    unions: tuple[tuple[tuple[Condition, ...], ...], ...] = ()

    def in_words(self, say: Callable[[Condition], str]) -> str:
        """The rule, each of its conditions as ``say`` says it."""
        texts = list(map(say, self.conditions))
        for union in self.unions:
            boxes = [" and ".join(map(say, box)) for box in union]
            texts.append(f"({' or '.join(f'({box})' if ' and ' in box else box for box in boxes)})")
        return " and ".join(texts) or "all rows"


def rules_of(tree: RankingTree, bins: Bins) -> list[Rule]:
    """The rules of the segments, from best to worst."""
    unions: dict[int, list[list[Box]]] = {0: []}
    for cell in map(int, np.flatnonzero(tree.first >= 0)):  # a parent comes before its children
        ways = _ways(tree, int(tree.first[cell]))
        for child in (int(tree.upper[cell]), int(tree.lower[cell])):
            unions[child] = [*unions[cell], ways[child]]
    return [_rule(bins, *_simplified(unions[int(cell)])) for cell in tree.order]


def rule_of_cut(tree: RankingTree, bins: Bins, cell: int) -> Rule:
    """What a row of a cell that was cut has to meet to go up."""
    box, others = _simplified([_ways(tree, int(tree.first[cell]))[int(tree.upper[cell])]])
    return _rule(bins, box, others)


def _rule(bins: Bins, box: Box, unions: list[list[Box]]) -> Rule:
    worded = (tuple(_conditions(bins, each) for each in union) for union in unions)
    return Rule(_conditions(bins, box), tuple(worded))


def _ways(tree: RankingTree, split: int) -> dict[int, list[Box]]:
    """By cell: the boxes from which a rule leads there."""
    found: dict[int, list[Box]] = {}
    todo: list[tuple[int, Box]] = [(split, {})]
    while todo:
        at, box = todo.pop()
        if at < 0:
            found.setdefault(-1 - at, []).append(box)
            continue
        left = np.unpackbits(tree.bits[at].view(np.uint8), bitorder="little").astype(np.bool_)
        column = int(tree.column[at])
        todo += [(int(tree.children[at, side]), _meet(box, {column: mask})) for side, mask in ((1, ~left), (0, left))]
    return found


def _meet(a: Box, b: Box) -> Box:
    return a | {j: a[j] & mask if j in a else mask for j, mask in b.items()}


def _simplified(unions: list[list[Box]]) -> tuple[Box, list[list[Box]]]:
    """One box that all rows are in, and the unions that say more than it: boxes without rows of it are left out."""
    box: Box = {}
    while True:
        before, rest = len(unions), []
        for union in unions:
            inside = [_within(each, box) for each in union if all(m.any() for m in _meet(box, each).values())]
            if len(inside) == 1:
                box = _meet(box, inside[0])
            elif all(inside):  # one without conditions holds for all rows of the box
                rest.append(inside)
        unions = rest
        if len(unions) == before:
            return box, unions


def _within(each: Box, box: Box) -> Box:
    """What a box asks of rows in another box."""
    asked = {j: mask & box[j] if j in box else mask for j, mask in each.items()}
    return {j: mask for j, mask in asked.items() if j not in box or not np.array_equal(mask, box[j])}


def _conditions(bins: Bins, box: Box) -> tuple[Condition, ...]:
    return tuple(_condition(bins, j, box[j]) for j in sorted(box))


def _condition(bins: Bins, column: int, inside: BoolArray) -> Condition:
    cuts, missing = bins.cuts[column], bool(inside[0])
    if bins.is_categorical[column]:
        known = inside[1 : len(cuts) + 1]
        return Condition(column, codes=tuple(cuts[known]), excluded=tuple(cuts[~known]), missing=missing)
    missing &= bool(bins.has_missing[column])
    at = np.flatnonzero(inside[1 : len(cuts) + 2])
    if len(at) == 0:
        return Condition(column, low=np.inf, missing=True)
    low = -np.inf if at[0] == 0 else float(cuts[at[0] - 1])
    high = np.inf if at[-1] == len(cuts) else float(cuts[at[-1]])
    return Condition(column, low, high, missing=missing)


def _number(value: float) -> str:
    return wording.minus(f"{value:.6g}")


def _listed(codes: Sequence[float] | FloatArray) -> str:
    *first, last = map(_number, codes)
    return f"{', '.join(first)} or {last}" if first else last


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Segments(Result):
    r"""Segments of the population from best to worst, with counts and rates.

    Attributes
    ----------
    rules : tuple of str
        Which rows belong to each segment, in words.
    rows, positives : ndarray
        Number of rows and of positives in each segment; sums of weights if rows have weights.
    rate, rate_low, rate_high : ndarray
        The share of positives in each segment, and its limits.
    tpr, tpr_low, tpr_high : ndarray
        The share of all positives in this segment and the better ones, and its limits.
    fpr, fpr_low, fpr_high : ndarray
        The same for negatives.
    confidence_level : float or None
        The confidence level of each interval separately (Clopper–Pearson: guaranteed at every sample size for a given
        tree). None on the training rows of the tree, where limits are NaN: segments were chosen to look good there, so
        limits that treat them as fixed would not hold.
    """

    rules: tuple[str, ...]
    rows: FloatArray
    positives: FloatArray
    rate: FloatArray
    rate_low: FloatArray
    rate_high: FloatArray
    tpr: FloatArray
    tpr_low: FloatArray
    tpr_high: FloatArray
    fpr: FloatArray
    fpr_low: FloatArray
    fpr_high: FloatArray
    confidence_level: float | None

    @classmethod
    def counted(
        cls, rules: Sequence[str], n_pos: FloatArray, n_neg: FloatArray, confidence_level: float | None
    ) -> Segments:
        """From the positives and negatives in each segment; without a level there are no limits.

        Parameters
        ----------
        rules : sequence of str
            The rule of each segment in words, best first.
        n_pos, n_neg : array
            Positives and negatives in each.
        confidence_level : float, optional
            The confidence level of each interval separately; without it there are no limits.
        """
        rows = n_pos + n_neg
        shares = {
            "rate": (n_pos, rows),
            "tpr": (np.cumsum(n_pos), np.full(len(rows), n_pos.sum())),
            "fpr": (np.cumsum(n_neg), np.full(len(rows), n_neg.sum())),
        }
        columns: dict[str, FloatArray] = {}
        for name, (hits, total) in shares.items():
            with np.errstate(invalid="ignore"):
                columns[name] = hits / total  # NaN in a segment without rows
            low, high = _clopper_pearson(hits, total, confidence_level)
            if name != "rate" and confidence_level is not None:
                low[-1] = 1.0  # all rows are in some segment
            columns |= {f"{name}_low": low, f"{name}_high": high}
        return cls(rules=tuple(rules), rows=rows, positives=n_pos, confidence_level=confidence_level, **columns)

    def __repr__(self) -> str:
        best = f"best: {wording.percent(self.rate[0])} positive" if self.rows[0] else "the best without rows"
        worst = f"worst: {wording.percent(self.rate[-1])}" if self.rows[-1] else "the worst without rows"
        whose = "training rows" if self.confidence_level is None else "rows"
        return f"{len(self.rules)} segments of {self.rows.sum():,.15g} {whose}, {best}, {worst}"

    def _table(self) -> Table:
        heading = ("rule", "rows", "positives", "rate", "true positive rate", "false positive rate")
        return heading, self.table_rows()

    def table_rows(self) -> list[tuple[str, ...]]:
        """Every segment in words: rule, rows, positives, and the three shares with their limits."""
        return [
            (
                self.rules[i],
                f"{self.rows[i]:,.15g}",
                f"{self.positives[i]:,.15g}",
                *(self._share(name, i) for name in ("rate", "tpr", "fpr")),
            )
            for i in range(len(self.rules))
        ]

    def _share(self, name: str, i: int) -> str:
        if np.isnan(getattr(self, name)[i]):
            return "–"
        text = wording.percent(getattr(self, name)[i])
        if self.confidence_level is None:
            return text
        low, high = (wording.percent(getattr(self, f"{name}_{end}")[i]) for end in ("low", "high"))
        return f"{text} ({low} to {high})"


def _clopper_pearson(
    hits: FloatArray, total: FloatArray, confidence_level: float | None
) -> tuple[FloatArray, FloatArray]:
    if confidence_level is None:
        return np.full(len(hits), np.nan), np.full(len(hits), np.nan)
    tail = (1 - confidence_level) / 2
    return least_share(hits, total, tail), 1 - least_share(total - hits, total, tail)
