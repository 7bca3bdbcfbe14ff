"""How many looks below the top of a list make known what the whole list is like."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import numpy as np
from markupsafe import Markup

from podium import _input
from podium._results import wording
from podium._results.result import Result
from podium._types import FloatArray
from podium.exceptions import InputError
from podium.inference.planning.looks import Known, Looks
from podium.report.axes import Axes, Axis
from podium.report.figures import Figure
from podium.report.page import PAGES, Report, origin
from podium.tables import TableModel
from podium.workflow.reasons import CHANCES
from podium.workflow.score import as_model, score

_WORDS = {"recall": "recall of the top {top:,}", "auc": "AUC", "hits": "share of positives"}


@dataclass(frozen=True, kw_only=True, repr=False)
class PlanResult(Result):
    """What looks below the top of a list buy.

    Attributes
    ----------
    needed : Known
        The fewest looks for an interval of the width asked for: ``looks``, ``estimate``, ``low`` and ``high``.
    course : tuple of Known
        The same at round numbers of looks.
    figure : str
        What is to be known, in words.
    width : float
        The width asked for.
    n_rows, top : int
        Rows of the list, and how many of them are inspected from its top.
    report : Report
        A page with the picture.
    """

    needed: Known
    course: tuple[Known, ...]
    figure: str
    width: float
    n_rows: int
    top: int
    report: Report

    def to_dict(self) -> dict[str, Any]:
        course = [one._asdict() | {"width": one.width} for one in (self.needed, *self.course)]
        names = ("figure", "width", "n_rows", "top")
        return {"needed": course[0], "course": course[1:]} | {name: getattr(self, name) for name in names}

    def __repr__(self) -> str:
        return f"PlanResult({self.report.headline})"


def plan(
    model: TableModel | str | os.PathLike[str],
    table: Any,
    *,
    top: int,
    width: float = 0.2,
    explore_for: str = "recall",
    confidence_level: float = 0.95,
    command: str | None = None,
) -> PlanResult:
    """How many rows to draw from below the top of a list, so that a figure of the whole list is known to a width.

    Parameters
    ----------
    model : TableModel or path
        The model of a `FitResult`, or a file that `fit` wrote; its probabilities say what looks may find.
    table : path, pandas.DataFrame, polars.DataFrame or pyarrow.Table
        A list like those to come: all its rows.
    top : int
        How many rows are inspected from the top in any case.
    width : float
        The width of the interval that is asked for.
    explore_for : {"recall", "auc", "hits"}
        What is to be known: the recall of the top, the AUC, or the share of positives.
    confidence_level : float
        Confidence level of the interval.
    command : str, optional
        The command line shown on the page.

    Returns
    -------
    PlanResult
        The looks that are needed, and the expected interval at round numbers of looks.

    Notes
    -----
    Rows are drawn as `score` does with ``explore``, and each is taken to be positive with its predicted probability. A
    plan is an expectation: with few looks the interval found varies much, and is about a fifth wider in the mean.
    Doubts from the evaluation of the model are set aside: looks at rows below the top are how they are settled.
    """
    level = _input.check_number("confidence_level", confidence_level, 0, 1, open_low=True, open_high=True)
    scorer = as_model(model)
    # Looks settle doubts about probabilities, so a plan may suppose these.
    facts = {name: fact for name, fact in scorer.facts.items() if name not in ("doubts", "warned")}
    ranked = score(replace(scorer, facts=facts), table)
    if CHANCES[0] not in ranked.scores:
        raise InputError(
            "A plan needs predicted probabilities; there are none by this model for this list.",
            "train it on a table like the list, whose labels say what the whole list is like.",
        )
    scores, chances = (ranked.scores[name].to_numpy(dtype=np.float64) for name in ("score", CHANCES[0]))
    looks = Looks(scores, chances, top, explore_for, level)
    needed, course = looks.needed(width), tuple(looks.course())
    figure = _WORDS[explore_for].format(top=top)
    headline = (
        f"Draw {needed.looks:,} of the {ranked.n_rows - top:,} rows below the top {top:,}: the {figure} of all "
        f"{ranked.n_rows:,} is then known to about ±{needed.width / 2:.2g}"
    )
    return PlanResult(
        needed=needed,
        course=course,
        figure=figure,
        width=width,
        n_rows=ranked.n_rows,
        top=top,
        report=_page(headline, needed, course, figure, level, scorer, command),
    )


def _page(
    headline: str,
    needed: Known,
    course: tuple[Known, ...],
    figure: str,
    level: float,
    model: TableModel,
    command: str | None,
) -> Report:
    html = PAGES.get_template("plan.html").render(
        headline=headline,
        title=f"Looks below the top: {model.label} = {model.positive}",
        about=[f"{date.today():%Y-%m-%d}", *([f"model: {model.facts['chosen']}"] if model.facts else [])],
        needed=needed,
        course=sorted({*course, needed}),
        picture=_picture(needed, course, figure, level),
        figure=figure,
        level=wording.level(level),
        provenance=origin({} if command is None else {"command": command}),
    )
    return Report(html, headline, {"headline": headline})


def _picture(needed: Known, course: tuple[Known, ...], figure: str, level: float) -> Figure:
    """The expected interval over the number of looks."""
    looks, low, high = (_column(course, name) for name in ("looks", "low", "high"))
    axes = Axes(
        Axis(looks[0], looks[-1], "Rows drawn below the top (logarithmic)", lambda x: f"{x:,.0f}", logarithmic=True),
        Axis(0, min(1.0, 1.1 * high.max()), figure[0].upper() + figure[1:], lambda x: f"{x:.4g}"),
    )
    drawing = [
        axes.frame(),
        axes.area(looks, low, high, "band"),
        axes.line(looks, _column(course, "estimate"), "curve"),
        axes.line(np.full(2, float(needed.looks)), np.array([needed.low, needed.high]), "threshold"),
    ]
    legend = [
        ("curve", "Expected"),
        ("band", f"{wording.level(level)} interval to expect"),
        ("threshold", f"{needed.looks:,} rows"),
    ]
    description = f"Interval to expect over rows drawn; with {needed.looks:,}, {needed.low:.3f} to {needed.high:.3f}."
    return Figure("plan", "The interval to expect", description, Markup("").join(drawing), legend)


def _column(course: tuple[Known, ...], name: str) -> FloatArray:
    return np.array([getattr(one, name) for one in course], dtype=np.float64)
