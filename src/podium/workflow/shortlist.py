"""Select rows of a table with a model and a guarantee."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from podium import _input
from podium import shortlist as shortlists
from podium._results.result import Result
from podium._types import BoolArray, FloatArray
from podium.exceptions import DegenerateSampleError, InputError
from podium.report import Report
from podium.shortlist import Shortlist
from podium.tables import TableModel, positives, to_table
from podium.tables.listing import LIST
from podium.tables.table import labeled_rows
from podium.workflow.explore import about_exploring, check_explore, explored
from podium.workflow.score import as_model, save_list, score
from podium.workflow.shortlist_page import in_words, shortlist_page
from podium.workflow.stages.roles import INCLUSION


def _first_rows(y_cal: BoolArray, s_cal: FloatArray, s_new: FloatArray, *, rows: float) -> Shortlist:
    """The longest cut of the path with at most so many rows."""
    return shortlists.path(y_cal, s_cal, s_new).choose(n_rows=_input.check_integer("rows", rows, 1))


QUESTIONS: dict[str, Callable[..., Shortlist]] = {
    "fdr": shortlists.by_fdr,
    "recall": shortlists.by_recall,
    "fpr": shortlists.by_fpr,
    "precision": shortlists.by_precision,
    "cost": shortlists.by_cost,
    "rows": _first_rows,
}
_EXPECTATIONS = {"fdr": "The false discovery rate (fdr)", "rows": "The stated share of the first rows"}


@dataclass(frozen=True, kw_only=True, repr=False)
class ShortlistResult(Result):
    """The selected rows and their guarantee.

    Attributes
    ----------
    scores : pandas.DataFrame
        Columns id, score, rank and percentile of the selected rows, best first.
    shortlist : Shortlist
        The cutoff and its guarantee.
    n_rows : int
        Number of rows to select from.
    warnings : tuple of str
        Reasons to doubt the guarantee: dependent held-out rows, doubts from the evaluation of the model, a table that
        does not resemble the training rows.
    notes : tuple of str
        Harmless differences between this table and the training table.
    report : Report
        A page: what was asked, the guarantee, the cut in a picture, the first rows.
    """

    scores: pd.DataFrame
    shortlist: Shortlist
    n_rows: int
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    report: Report

    def to_dict(self) -> dict[str, Any]:
        cut = self.shortlist.to_dict()
        del cut["chosen"]
        remarks = {"warnings": list(self.warnings), "notes": list(self.notes)}
        return {"scores": self.scores.to_dict("records"), **cut, "n_rows": self.n_rows, **remarks}

    def save(self, path: str | os.PathLike[str]) -> tuple[Path, Path]:
        """Write the selected rows (.csv, .parquet, .xlsx) and, beside them, the page (.html); both or none.

        In CSV, text that a spreadsheet would evaluate as a formula is prefixed with an apostrophe.

        Parameters
        ----------
        path : str or path
            The file to write; its ending determines the format.

        Returns
        -------
        tuple of pathlib.Path
            The files of the list and of its page.
        """
        return save_list(path, self.scores, self.report)

    def __repr__(self) -> str:
        return repr(self.shortlist)


def shortlist(
    model: TableModel | str | os.PathLike[str],
    table: Any,
    *,
    by: str = "fdr",
    rate: float | None = None,
    gain: float | None = None,
    cost: float | None = None,
    confidence_level: float | None = None,
    calibration: Any = None,
    tie_break: str | None = None,
    randomize: bool = False,
    explore: int = 0,
    explore_for: str = "recall",
    random_state: int = 0,
    command: str | None = None,
    on_step: Callable[[str], Any] = lambda step: None,
) -> ShortlistResult:
    """Select rows of a table so that few are false, hardly any positive is missed, or most are positive.

    Parameters
    ----------
    model : TableModel or path
        The model of a `FitResult`, or a file written by `fit`, with scores and labels of the held-out rows. Unless
        ``calibration`` is given, rows are scored by the evaluated model, before it was retrained on all rows: the
        guarantee needs the same scorer for both.
    table : path, pandas.DataFrame, polars.DataFrame or pyarrow.Table
        The rows to select from.
    by : {"fdr", "recall", "fpr", "precision", "cost", "rows"}
        The question; see `podium.shortlist`. With ``"rows"`` the first rows, up to a cut that may be chosen after
        looking (`podium.shortlist.path`).
    rate : float, optional
        The target rate; by default that of the function in `podium.shortlist`. With ``"rows"`` the most rows to select.
    gain, cost : float, optional
        The gain of a selected positive and the cost of every selected row, with ``by="cost"``.
    confidence_level : float, optional
        The probability of the guarantee; 0.95 by default. Not for ``"fdr"`` and ``"rows"``, which bound an expectation.
    calibration : path or table, optional
        Other labeled rows for calibration, instead of the held-out rows; training rows are refused.
    tie_break : str, optional
        With ``"fdr"``: a column of numbers, of both the table and ``calibration``, that orders rows of equal score,
        largest first. Scores of few grades then select more.
    randomize : bool
        Whether to break ties (``"fdr"``) or to reach the level exactly (``"recall"``, ``"fpr"``, ``"precision"``) at
        random, by the seed ``random_state``.
    explore : int
        How many further rows to draw from those not selected, with known probabilities; see `score`.
    explore_for : {"recall", "auc", "hits"}
        What these are to make known of the whole list.
    random_state : int
        Seed of the draw of explored rows, and of ``randomize``.
    command : str, optional
        The command line shown on the page.
    on_step : callable, optional
        Called with a short description as each stage begins.

    Returns
    -------
    ShortlistResult
        The selected rows, the cutoff, and its guarantee.
    """
    find, options = _question(by, rate, gain, cost, confidence_level)
    _check_ties(by, tie_break, randomize, calibration)
    explore = check_explore(explore, 10**9, explore_for)
    scorer = as_model(model)
    about = [f"{date.today():%Y-%m-%d}", *([f"model: {scorer.facts['chosen']}"] if scorer.facts else [])]
    if calibration is None:
        y_cal, s_cal = _held_out(scorer)
        about += ["as it was judged, before it was retrained"] if scorer.judged is not None else []
        scorer = scorer.as_judged()
    else:
        y_cal, s_cal, ties = _calibrated(scorer, calibration, tie_break, on_step)
    on_step("scoring")
    ranked = score(scorer, table, keep=[tie_break] if tie_break else ())
    s_new = ranked.scores["score"].to_numpy()
    if tie_break:
        options["tie_break"] = ties, _numbers(ranked.scores, tie_break, "the table")
    if randomize:
        options |= {"randomize": True, "rng": random_state}
    settled = [] if calibration is None else [str(doubt) for doubt in scorer.doubts()]  # those are of held-out rows
    cut = find(y_cal, s_cal, s_new, **options)
    assert cut.chosen is not None
    n_first, notes = int(cut.chosen.sum()), ranked.notes
    listed = ranked.scores.iloc[np.flatnonzero(cut.chosen)].reset_index(drop=True)
    if explore:
        if LIST in listed:
            raise InputError(
                "Rows to explore below one cut are drawn from one list; this model makes one every period.",
                "podium score --explore draws from each list below its top.",
            )
        listed = explored(ranked.scores, n_first, explore, explore_for, random_state)
        notes = (*notes, about_exploring(listed, ranked.n_rows))
    warnings = (*scorer.dependence(), *(each for each in ranked.warnings if each not in settled))
    page = shortlist_page(
        cut,
        listed.head(n_first),
        (y_cal, s_cal),
        s_new,
        asked=in_words(by, find, options),
        outcome=f"{scorer.label} = {scorer.positive}",
        doubts=warnings,
        notes=notes,
        about=about,
        has_path=LIST not in listed,
        provenance={} if command is None else {"command": command},
    )
    return ShortlistResult(
        scores=listed,
        shortlist=cut,
        n_rows=ranked.n_rows,
        warnings=warnings,
        notes=notes,
        report=page,
    )


def _question(
    by: str, rate: float | None, gain: float | None, cost: float | None, confidence_level: float | None
) -> tuple[Callable[..., Shortlist], dict[str, Any]]:
    """The function that answers, and its options; options that do not apply are refused."""
    if by not in QUESTIONS:
        raise InputError(f"by must be one of {', '.join(map(repr, QUESTIONS))}; got {by!r}.")
    options = {"rate": rate, "gain": gain, "cost": cost, "confidence_level": confidence_level}
    asked = {name: value for name, value in options.items() if value is not None}
    if by in _EXPECTATIONS and confidence_level is not None:
        raise InputError(
            f"{_EXPECTATIONS[by]} is an expectation without a confidence level; got {confidence_level:g}.",
            "omit the confidence level, or ask for a precision, which holds with that confidence.",
        )
    if by == "rows" and rate is None:
        raise InputError("A shortlist by rows needs the most rows to select as rate; got none.")
    needed = {"gain", "cost"} if by == "cost" else set()
    if not needed <= asked.keys():
        raise InputError("A shortlist by cost needs both a gain and a cost; got one of them or none.")
    unused = [name for name in ("rate", "gain", "cost") if name in asked and (name == "rate") == bool(needed)]
    if unused:
        raise InputError(f"A shortlist by {by} takes no {' and no '.join(unused)}; got {asked[unused[0]]:g}.")
    return QUESTIONS[by], {by if name == "rate" else name: value for name, value in asked.items()}


def _check_ties(by: str, tie_break: str | None, randomize: bool, calibration: Any) -> None:
    if randomize and by in ("cost", "rows"):
        raise InputError(f"A shortlist by {by} has nothing to randomize; got randomize.", "omit it.")
    if tie_break is not None and by != "fdr":
        raise InputError(f"tie_break is for the false discovery rate (fdr); got it for {by}, whose cut is a score.")
    if tie_break is not None and calibration is None:
        raise InputError(
            "tie_break needs calibration rows that have its column; got none, and the model keeps scores only.",
            "pass labeled rows that the model was not trained on as calibration.",
        )


def _numbers(frame: pd.DataFrame, column: str, where: str) -> FloatArray:
    """A column to break ties by."""
    values = pd.to_numeric(frame[column], errors="coerce").to_numpy(np.float64) if column in frame else None
    if values is None or not np.isfinite(values).all():
        got = "no such column" if values is None else f"{int((~np.isfinite(values)).sum()):,} values that are no number"
        raise InputError(f"tie_break must be a column of numbers of {where}; got {got} for {column!r}.")
    return values


def _held_out(model: TableModel) -> tuple[BoolArray, FloatArray]:
    if model.calibration is None:
        raise DegenerateSampleError(
            "A shortlist needs held-out rows; got a model without any.",
            "train it again, or pass labeled rows as calibration.",
        )
    if model.facts.get("weight") == INCLUSION:
        raise InputError(
            "A shortlist needs held-out rows that are like those of the list; those of this model were drawn with "
            "unequal probabilities.",
            "pass labeled rows drawn at random as calibration.",
        )
    return model.calibration


def _calibrated(
    model: TableModel, table: Any, tie_break: str | None, on_step: Callable[[str], Any]
) -> tuple[BoolArray, FloatArray, FloatArray | None]:
    """Labels, scores and tie breaks of other labeled rows, none of which the model may recognize."""
    on_step("scoring the calibration rows")
    frame = labeled_rows(to_table(table, known=model.known), model.label).frame
    is_positive, _ = positives(frame[model.label], model.positive)
    model.check(list(map(str, frame.columns)))
    if model.recognizes(frame):
        raise InputError(
            "Calibration rows must not have been used in training; the model recognizes some of these.",
            "omit calibration to use the held-out rows, or pass other labeled rows.",
        )
    ties = _numbers(frame, tie_break, "the calibration rows") if tie_break else None
    return is_positive, model.scores(frame), ties
