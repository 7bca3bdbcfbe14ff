"""A page about a new list, whose labels nobody knows yet: what to expect, and whether it is like the training rows."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd

from podium._results.wording import percent
from podium._types import BoolArray, FloatArray, Sample
from podium.report.budgets import RankedList
from podium.report.page import PAGES, Report, origin
from podium.report.readout import expectation, readout
from podium.report.wording import count, ranged, score
from podium.workflow.reasons import CHANCES, REASON

_ROUND = (1, 2, 5)
_FIRST = ("id", "rank", "score")
_FEWEST = 2  # rows of a class; with fewer nothing can be said on chance


@dataclass(frozen=True, kw_only=True)
class NewList:
    """What a page says of a list.

    Attributes
    ----------
    first : pandas.DataFrame
        The first rows of the list.
    n_rows : int
        The length of the whole list.
    differences : sequence of str
        In what it is unlike the training rows. While there are any, no number of hits is promised.
    notes : sequence of str
        What was done to the columns when it was read.
    """

    first: pd.DataFrame
    n_rows: int
    differences: Sequence[str]
    notes: Sequence[str]


def list_page(
    new: NewList,
    judged: tuple[BoolArray, FloatArray] | None,
    *,
    is_certain: bool,
    is_judged: bool,
    budget: int | None = None,
    outcome: str | None = None,
    title: str = "Ranked list",
    about: Sequence[str] = (),
    provenance: Mapping[str, Any] | None = None,
    confidence_level: float = 0.95,
) -> Report:
    """One self-contained HTML page on a list that was scored.

    Parameters
    ----------
    new : NewList
        The list.
    judged : (labels, scores) or None
        Of rows that had no part in training.
    is_certain : bool
        Whether these were independent draws, as far as could be seen: only then is there a range.
    is_judged : bool
        Whether the very model that was judged made the list: only then is anything guaranteed. It was not where it was
        trained again on all rows, which can be expected to make it better.
    budget : int, optional
        How many rows will be looked at; a tenth of the list unless given.
    outcome : str, optional
        What a hit is in the label's own words: the headline then says so.
    title : str
        Heading of the page.
    about : sequence of str
        A few words each on the list and the model, shown on top.
    provenance : mapping, optional
        How the page was made.
    confidence_level : float
        Of the ranges and of the guaranteed numbers.
    """
    k = min(budget or max(1, round(new.n_rows / 10)), new.n_rows)
    more = "; it is unlike the training rows, so no number of hits can be promised" if new.differences else ""
    readouts, headline = [], f"A list of {new.n_rows:,} rows{more}"
    if judged is not None and not new.differences and min(judged[0].sum(), (~judged[0]).sum()) >= _FEWEST:
        of = RankedList.of(Sample(judged[1], judged[0]), new.n_rows, confidence_level, is_certain=is_certain)
        found = {b: of.row(b) for b in _budgets(k, of.least, new.n_rows)}
        readouts = [readout(row) for b, row in found.items() if b == k or row.says_something]
        expected = expectation(found[k], outcome, has_range=is_certain)
        headline = (
            f"Among the first {k:,} of {new.n_rows:,} rows expect {expected}; "
            f"random order: {count(found[k].random_hits)}"
        )
    html = PAGES.get_template("list.html").render(
        title=title,
        about=about,
        headline=headline,
        differences=new.differences,
        readouts=readouts,
        chosen=f"{k:,}",
        n_judged=0 if judged is None else len(judged[0]),
        has_ranges=is_certain,
        is_guaranteed=is_certain and is_judged,
        is_judged=is_judged,
        level=f"{100 * confidence_level:g} %",
        likeness=likeness(new.differences),
        columns=_columns(new.first),
        reasons=new.first[_reasons(new.first)].to_numpy().tolist() if _reasons(new.first) else [],
        notes=new.notes,
        provenance=origin(provenance or {}),
    )
    return Report(html, headline, {"headline": headline, "differences": list(new.differences), "n_rows": new.n_rows})


def likeness(differences: Sequence[str]) -> str:
    """Whether a list is like the training rows, in a sentence."""
    if not differences:
        return (
            "Yes, as far as its columns tell: no column is emptier, holds values hardly seen in training, or is spread "
            "otherwise by more than chance, and the scores are as high as those of the rows that judged the model."
        )
    return "No, see above. How many hits to expect cannot be said before this is explained."


def _budgets(k: int, least: int, n_rows: int) -> list[int]:
    """Round numbers up to the whole list, and the one asked for."""
    rounds = {digit * 10**e for e in range(len(str(n_rows))) for digit in _ROUND}
    return sorted({b for b in rounds if least <= b <= n_rows} | {k, n_rows})


class Column(NamedTuple):
    """A column of the first rows; a chance is a pair, with its limits."""

    name: str
    cells: list[Any]
    is_chance: bool = False


def _columns(first: pd.DataFrame) -> list[Column]:
    kept = [name for name in first if name not in (*_FIRST, "percentile", *CHANCES, *_reasons(first))]
    columns = [Column(str(name), [_cell(value) for value in first[name]]) for name in (*_FIRST, *kept)]
    if CHANCES[0] in first:
        chances = zip(*(first[name].map(percent) for name in CHANCES), strict=True)
        cells = [(chance, ranged(low, high)) for chance, low, high in chances]
        columns.insert(len(_FIRST), Column("probability", cells, is_chance=True))
    return columns


def _reasons(first: pd.DataFrame) -> list[str]:
    return [name for name in map(str, first) if re.fullmatch(rf"{REASON}\d+", name)]


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return score(value) if isinstance(value, float) else str(value)
