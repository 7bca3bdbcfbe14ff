"""Choose rows of a table by a model, with a guarantee."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from podium import shortlist as shortlists
from podium._files import write_file
from podium._results.result import Result
from podium._types import BoolArray, FloatArray
from podium.exceptions import DegenerateSampleError, InputError
from podium.shortlist import Shortlist
from podium.tables import TableModel, positives, to_table
from podium.tables.columns import by_name
from podium.tables.listing import to_file
from podium.workflow.score import as_model, score

QUESTIONS: dict[str, Callable[..., Shortlist]] = {
    "fdr": shortlists.by_fdr,
    "recall": shortlists.by_recall,
    "fpr": shortlists.by_fpr,
    "precision": shortlists.by_precision,
    "cost": shortlists.by_cost,
}


@dataclass(frozen=True, kw_only=True, repr=False)
class ShortlistResult(Result):
    """The rows chosen.

    Attributes
    ----------
    scores : pandas.DataFrame
        Columns id, score, rank and percentile of the chosen rows, best first.
    shortlist : Shortlist
        The cut and what is guaranteed of it.
    n_rows : int
        How many rows there were to choose from.
    warnings : tuple of str
        What speaks against the promise: rows held out that were no independent draws, warnings that stood when the
        model was judged, a table unlike that of the training.
    notes : tuple of str
        Harmless differences between the table and that of the training.
    """

    scores: pd.DataFrame
    shortlist: Shortlist
    n_rows: int
    warnings: tuple[str, ...]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        cut = self.shortlist.to_dict()
        del cut["chosen"]
        said = {"warnings": list(self.warnings), "notes": list(self.notes)}
        return {"scores": self.scores.to_dict("records"), **cut, "n_rows": self.n_rows, **said}

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the chosen rows (.csv, .parquet, .xlsx); in CSV, what a spreadsheet would run gets an apostrophe.

        Parameters
        ----------
        path : str or path
            The file to write; its ending says what it is.

        Returns
        -------
        pathlib.Path
            The file that was written.
        """
        write_file(Path(path), to_file(self.scores, Path(path)))
        return Path(path)

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
    on_step: Callable[[str], Any] = lambda step: None,
) -> ShortlistResult:
    """Choose rows of a table so that few are false, hardly any positive is missed, or most are positive.

    Parameters
    ----------
    model : TableModel or path
        The model of a `FitResult`, or a file that `fit` wrote; it holds scores and labels of the rows held out. These
        are by the model as it was judged, before it was trained on all rows, and so is the list unless ``calibration``
        is given: the guarantee holds for one and the same scorer.
    table : path, pandas.DataFrame, polars.DataFrame or pyarrow.Table
        The rows to choose from.
    by : {"fdr", "recall", "fpr", "precision", "cost"}
        The question; see `podium.shortlist`.
    rate : float, optional
        The rate asked for; by default that of the function in `podium.shortlist`.
    gain, cost : float, optional
        What a chosen positive brings and what every chosen row costs, with ``by="cost"``.
    confidence_level : float, optional
        The probability of the guarantee; 0.95 by default. ``"fdr"`` takes none: it guarantees an expectation.
    calibration : path or table, optional
        Other labeled rows to calibrate by, instead of those held out; ones that trained the model are refused.
    on_step : callable, optional
        Called with a few words as each stage begins.

    Returns
    -------
    ShortlistResult
        The chosen rows, the cut, and what is guaranteed of it.
    """
    find, options = _question(by, rate, gain, cost, confidence_level)
    scorer = as_model(model)
    if calibration is None:
        y_cal, s_cal = _held_out(scorer)
        scorer = scorer.as_judged()
    else:
        y_cal, s_cal = _calibrated(scorer, calibration, on_step)
    on_step("scoring")
    ranked = score(scorer, table)
    s_new = ranked.scores["score"].to_numpy()
    found = find(y_cal, s_cal, s_new, **options)
    assert found.chosen is not None
    return ShortlistResult(
        scores=ranked.scores.iloc[np.flatnonzero(found.chosen)].reset_index(drop=True),
        shortlist=found,
        n_rows=ranked.n_rows,
        warnings=(*(scorer.doubts() if calibration is None else scorer.dependence()), *ranked.warnings),
        notes=ranked.notes,
    )


def _question(
    by: str, rate: float | None, gain: float | None, cost: float | None, confidence_level: float | None
) -> tuple[Callable[..., Shortlist], dict[str, float]]:
    """The function that answers, and its options; what has no meaning to it is refused."""
    if by not in QUESTIONS:
        raise InputError(f"by must be one of {', '.join(map(repr, QUESTIONS))}; got {by!r}.")
    options = {"rate": rate, "gain": gain, "cost": cost, "confidence_level": confidence_level}
    asked = {name: value for name, value in options.items() if value is not None}
    if by == "fdr" and confidence_level is not None:
        raise InputError(
            f"An expected share of negatives (fdr) holds on average, at no confidence level; got {confidence_level:g}.",
            "leave the confidence level out, or ask for a precision, which holds with that confidence.",
        )
    needed = {"gain", "cost"} if by == "cost" else set()
    if not needed <= asked.keys():
        raise InputError("A cut by cost needs both a gain and a cost; got one of them or none.")
    unused = [name for name in ("rate", "gain", "cost") if name in asked and (name == "rate") == bool(needed)]
    if unused:
        raise InputError(f"A cut by {by} takes no {' and no '.join(unused)}; got {asked[unused[0]]:g}.")
    return QUESTIONS[by], {by if name == "rate" else name: value for name, value in asked.items()}


def _held_out(model: TableModel) -> tuple[BoolArray, FloatArray]:
    if model.calibration is None:
        raise DegenerateSampleError(
            "A shortlist needs rows that were held out; got a model that keeps none.",
            "train it again, or pass labeled rows as calibration.",
        )
    return model.calibration


def _calibrated(model: TableModel, table: Any, on_step: Callable[[str], Any]) -> tuple[BoolArray, FloatArray]:
    """Labels and scores of other labeled rows, none of which the model may recognize."""
    on_step("scoring the calibration rows")
    frame = by_name.labeled(to_table(table, known=model.known), model.label).frame
    is_positive, _ = positives(frame[model.label], model.positive)
    model.check(list(map(str, frame.columns)))
    if model.recognizes(frame):
        raise InputError(
            "Calibration rows must have had no part in training; the model recognizes some of these.",
            "leave calibration out to use the rows held out, or take other labeled rows.",
        )
    return is_positive, model.scores(frame)
