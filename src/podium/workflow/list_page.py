"""A page about a new, unlabeled list: what to expect, and whether it resembles the training rows."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd

from podium._results.doubts import Doubt, left_out, removed
from podium._results.wording import percent
from podium._types import Array, BoolArray, FloatArray, Sample
from podium.report.budgets import RankedList
from podium.report.choosing import of_list
from podium.report.page import PAGES, Report, origin
from podium.report.readout import expectation, readout
from podium.report.wording import count, ranged, score
from podium.tables.listing import LIST
from podium.workflow.reasons import CHANCES, REASON

_ROUND = (1, 2, 5)
_FIRST = (LIST, "id", "rank", "score")
_BESIDE = 2  # kept columns that fit beside the others, on a phone too
_FEWEST = 2  # rows of a class; with fewer the uncertainty cannot be estimated


@dataclass(frozen=True, kw_only=True)
class NewList:
    """A ranked list and its comparison with the training rows.

    Attributes
    ----------
    first : pandas.DataFrame
        The first rows of the list.
    scores : array
        The scores of all rows that are listed, largest first.
    n_rows : int
        Length of the whole list.
    n_lists : int
        How many lists these rows are in, each ranked by itself.
    differences : sequence of str
        How it differs from the training rows. If there are any, no number of hits is predicted.
    notes : sequence of str
        How columns were read.
    """

    first: pd.DataFrame
    scores: FloatArray
    n_rows: int
    differences: Sequence[str]
    notes: Sequence[str]
    n_lists: int = 1


def list_page(
    new: NewList,
    judged: tuple[BoolArray, FloatArray] | None,
    *,
    doubts: Sequence[Doubt] = (),
    options: Sequence[str] = (),
    is_judged: bool,
    is_own_scale: bool = True,
    weight: FloatArray | None = None,
    budget: int | None = None,
    lists: tuple[str, Array] | None = None,
    outcome: str | None = None,
    title: str = "Ranked list",
    about: Sequence[str] = (),
    provenance: Mapping[str, Any] | None = None,
    confidence_level: float = 0.95,
) -> Report:
    """One self-contained HTML page about a scored list.

    Parameters
    ----------
    new : NewList
        The list.
    judged : (labels, scores) or None
        Labels and scores of held-out rows.
    doubts : sequence of Doubt
        Doubts from the evaluation of the model, repeated above the headline. What they touch is left out.
    options : sequence of str
        How held-out rows are tied together or weighted, such as "time": see `podium._results.doubts.OPTIONS`.
    is_judged : bool
        Whether the list was scored by the evaluated model itself; only then is anything guaranteed. A model retrained
        on all rows has no guarantee, but is expected to be better.
    is_own_scale : bool
        Whether the scores in ``judged`` are on the scale of those of the list.
    weight : array, optional
        The weights of the held-out rows.
    budget : int, optional
        How many rows will be inspected; by default a tenth of the list.
    lists : (str, array), optional
        How often a list is made, such as "a day", and the list of each held-out row.
    outcome : str, optional
        What a hit is, in the words of the label, for the headline.
    title : str
        Heading of the page.
    about : sequence of str
        Short remarks on the list and the model, shown at the top.
    provenance : mapping, optional
        How the page was made.
    confidence_level : float
        Confidence level of the ranges and of the guaranteed numbers.
    """
    length = round(new.n_rows / new.n_lists)
    k = min(budget or max(1, round(length / 10)), length)
    more = "; it does not resemble the training rows, so hits cannot be predicted" if new.differences else ""
    gone = removed(doubts, options)
    has_ranges, is_certain = "list" not in gone, "at least" not in gone
    readouts, headline, path = [], f"A list of {new.n_rows:,} rows{more}", None
    if judged is not None and not new.differences and min(judged[0].sum(), (~judged[0]).sum()) >= _FEWEST:
        if weight is not None:
            weight = weight * (weight.sum() / (weight @ weight))  # as many rows as those are worth
        sample, population = Sample(judged[1], judged[0], weight), None if lists else new.n_rows
        ranked = RankedList.of(sample, population, confidence_level, is_certain=is_certain, lists=lists)
        if "cut" not in gone and new.n_lists == 1:
            path = of_list(judged, new.scores, new.n_rows, k)
        rows = {b: ranked.row(b) for b in _budgets(k, ranked.least, length)}
        readouts = [readout(row) for row in rows.values()]
        expected = expectation(rows[k], outcome, has_range=has_ranges, each=ranked.each)
        which = f"{length:,} rows" if new.n_lists == 1 else f"each of {new.n_lists:,} lists of about {length:,} rows"
        headline = f"Among the first {k:,} of {which} expect {expected}; random order: {count(rows[k].random_hits)}"
    html = PAGES.get_template("list.html").render(
        title=title,
        about=about,
        headline=headline,
        differences=new.differences,
        doubts=doubts,
        left_out=left_out(doubts, ("list", "at least", "probability")),
        readouts=readouts,
        path=path,
        n_rows=new.n_rows,
        chosen=f"{k:,}",
        n_judged=0 if judged is None else len(judged[0]),
        has_ranges=has_ranges,
        is_guaranteed=is_certain and is_judged,
        is_judged=is_judged,
        is_own_scale=is_own_scale,
        level=f"{100 * confidence_level:g} %",
        likeness=likeness(new.differences),
        columns=columns_of(new.first),
        below=below(new.first),
        has_reasons=bool(_reasons(new.first)),
        notes=new.notes,
        provenance=origin(provenance or {}),
    )
    summary = {"headline": headline, "differences": list(new.differences), "n_rows": new.n_rows}
    return Report(html, headline, summary | {"doubts": [one.to_dict() for one in doubts]})


def likeness(differences: Sequence[str]) -> str:
    """Whether a list resembles the training rows, in a sentence."""
    if not differences:
        return (
            "Yes, as far as its columns show: no column has significantly more missing values, values rarely seen in "
            "training, or another distribution, and the scores are as high as those of the held-out rows."
        )
    return "No, see above. Expected hits cannot be predicted until this is explained."


def _budgets(k: int, least: int, n_rows: int) -> list[int]:
    """Round numbers up to the length of the list, and the requested budget."""
    rounds = {digit * 10**e for e in range(len(str(n_rows))) for digit in _ROUND}
    return sorted({b for b in rounds if least <= b <= n_rows} | {k, n_rows})


class Column(NamedTuple):
    """A column of the first rows; a probability is shown with its limits."""

    name: str
    cells: list[Any]
    is_chance: bool = False
    is_kept: bool = False


def columns_of(first: pd.DataFrame) -> list[Column]:
    """What a page shows of the first rows; more than two kept columns stand below each row."""
    kept = _kept(first)
    columns = [Column(name, [_cell(value) for value in first[name]]) for name in _FIRST if name in first]
    if CHANCES[0] in first:
        chances = zip(*(first[name].map(percent) for name in CHANCES), strict=True)
        columns.append(
            Column("probability", [(chance, ranged(low, high)) for chance, low, high in chances], is_chance=True)
        )
    return columns + [Column(*one, is_kept=True) for one in kept if len(kept) <= _BESIDE]


def below(first: pd.DataFrame) -> list[list[str]]:
    """What stands below each row: kept columns, if there are more than two, and reasons; empty if neither."""
    kept = (
        [[f"{name}: {cell}" for cell in cells] for name, cells in _kept(first)] if len(_kept(first)) > _BESIDE else []
    )
    reasons = [[word for word in row if word] for row in first[_reasons(first)].to_numpy().tolist()]
    lines = [[cells[i] for cells in kept] + (reasons[i] if reasons else []) for i in range(len(first))]
    return lines if any(lines) else []


def _kept(first: pd.DataFrame) -> list[tuple[str, list[Any]]]:
    """Columns copied from the table."""
    others = (*_FIRST, "percentile", *CHANCES, *_reasons(first))
    return [(str(name), [_cell(value) for value in first[name]]) for name in first if name not in others]


def _reasons(first: pd.DataFrame) -> list[str]:
    return [name for name in map(str, first) if re.fullmatch(rf"{REASON}\d+", name)]


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return score(value) if isinstance(value, float) else str(value)
