"""Rank the rows of a table with a model; a file may be larger than memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from podium import _input, _memory, persist
from podium._files import write
from podium._results.doubts import KINDS
from podium._results.result import Result
from podium._results.wording import quoted
from podium._types import FloatArray
from podium.exceptions import InputError
from podium.inference import rank_test
from podium.metrics import auc
from podium.report import Report
from podium.tables import Table, TableModel, chunks, column_names, is_path, to_table
from podium.tables.files.source import file_of_list, memory_to_use, sheets_named
from podium.tables.formats.recognize import Format
from podium.tables.listing import LIST, Listing
from podium.tables.profile import ListProfile
from podium.tables.table import require_names, row_names
from podium.workflow.explore import EXPLORED, ROW, about_exploring, check_explore, explored
from podium.workflow.list_names import ListNames
from podium.workflow.list_page import NewList, list_page
from podium.workflow.reasons import CHANCES, Chances, with_reasons

_SHOWN = 20  # rows on the page
_LISTED = (LIST, "id", "score", "rank", "percentile", *CHANCES)
_SCORES_COMPARED = 20_000
_SHIFTED = 0.1  # from one half: how far the probability that a new row outranks one held out may be
_CHANCE = 1e-5


@dataclass(frozen=True, kw_only=True, repr=False)
class ScoreResult(Result):
    """The ranked list.

    Attributes
    ----------
    scores : pandas.DataFrame
        Columns id, score, rank (1 is best; tied rows share the better rank), percentile (100 is best), probability with
        95 % limits (see Notes of `score`), the kept columns and the requested reasons; best row first.
    n_rows : int
        Number of rows ranked, including those not listed.
    report : Report
        A page about the list: expected hits, how it compares with the training rows, its first rows.
    warnings : tuple of str
        Doubts from the evaluation of the model, and how the list differs from the training rows.
    notes : tuple of str
        Harmless differences between this table and the training table.
    contributions : pandas.DataFrame or None
        With ``reasons``: the contribution of each column to the score of each listed row, and a ``base``; each row sums
        to its score.
    """

    scores: pd.DataFrame
    n_rows: int
    report: Report
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    contributions: pd.DataFrame | None = None

    def to_dict(self) -> dict[str, Any]:
        remarks = {"warnings": list(self.warnings), "notes": list(self.notes)}
        return {"scores": self.scores.to_dict("records"), "n_rows": self.n_rows, **remarks}

    def save(self, path: str | os.PathLike[str]) -> tuple[Path, Path]:
        """Write the list (.csv, .parquet, .xlsx) and, beside it, the page about it (.html); both or none.

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
        return f"ScoreResult(the first {len(self.scores):,} of {self.n_rows:,} rows)"

    def _repr_html_(self) -> str:
        return self.scores.head(100).to_html(index=False)


def list_files(path: str | os.PathLike[str]) -> tuple[Path, Path]:
    """The file of a list, and that of the page about it."""
    return file_of_list(Path(path)).path, Path(path).with_suffix(".html")


def save_list(path: str | os.PathLike[str], scores: pd.DataFrame, page: Report) -> tuple[Path, Path]:
    """Write a list and its page, both or none."""
    files = list_files(path)
    contents = file_of_list(files[0]).contents(scores)
    write(files[0].parent, {files[0].name: contents, files[1].name: page.html})
    return files


def score(
    model: TableModel | str | os.PathLike[str],
    table: Any,
    *,
    top: int | None = None,
    id_column: str | None = None,
    keep: Sequence[str] = (),
    reasons: int = 0,
    explore: int = 0,
    explore_for: str = "recall",
    strict: bool = False,
    memory: float | None = None,
    random_state: int = 0,
    command: str | None = None,
) -> ScoreResult:
    """Rank the rows of a table, and say whether they are like those the model was trained on.

    Parameters
    ----------
    model : TableModel or path
        The model of a `FitResult`, or a file that `fit` wrote.
    table : path, pandas.DataFrame, polars.DataFrame or pyarrow.Table
        The rows; a file, or all files of a folder, is read in chunks. Columns are matched by name; other columns are
        ignored.
    top : int, optional
        List only the first ``top`` rows, of every list if there are several; all rows are ranked in any case. The page
        reports hits among these, or else among the budget given when the model was fitted.
    id_column : str, optional
        The column that identifies rows; by default the one used in training, or row numbers if it is absent.
    keep : sequence of str
        Columns of the table to copy into the list, unchanged.
    reasons : int
        How many columns to name for each listed row: those that raise or lower its score the most, compared with the
        training rows. Contributions are exact for linear models, SHAP values for trees, and sampled Shapley values for
        other models; they add up to the score, together with the base of a typical row.
    explore : int
        How many of the ``top`` rows to draw from the rest of the list instead, with known probabilities: strata along
        the score, rows drawn at random from each. Columns ``inclusion`` (that probability), ``why`` ("top" or
        "explored") and ``tied`` (rows of the list with this score) say so, and the labels of the list then say what
        the whole list is like; see `evaluate`.
    explore_for : {"recall", "auc", "hits"}
        What the explored rows are to make known of the whole list: the recall of the top, the AUC, or all hits.
    strict : bool
        Raise an error, instead of a warning, if the list does not resemble the training rows.
    memory : float, optional
        Memory the list may use, in bytes; by default a quarter of what is free. With ``top`` and without ``explore``,
        any length fits.
    random_state : int
        Seed of the draw of explored rows.
    command : str, optional
        The command line shown on the page.

    Returns
    -------
    ScoreResult
        The ranked list, a page about it, and how it differs from the training rows.

    Notes
    -----
    ``probability`` is the share of positives among labeled rows with such a score, each scored by a model that had not
    seen it, on the scale of the final one. It assumes that the rows of the list come from the same source, with the
    same share of positives. The limits hold for each row separately. There are no probabilities while a doubt about
    the model touches them, nor for a list that does not resemble the training rows. (With a model file of an earlier
    version, it is estimated with the evaluated model, before that was retrained: its order may differ slightly from
    that of the list.)
    """
    top = None if top is None else _input.check_integer("top", top, 1)
    explore = check_explore(explore, top, explore_for)
    listing = Listing(None if explore else top)
    allowed = memory_to_use(memory)
    scorer = as_model(model)
    names = _names(table)
    with sheets_named(table):
        notes = dict.fromkeys(scorer.check(names))  # in order, each once
    id_column = _identifier(scorer, id_column, names, notes)
    _check_kept(keep, names, EXPLORED if explore else ())
    n_reasons = _input.check_integer("reasons", reasons, 0)
    seen, judged, chances = ListProfile(scorer.profile), _SomeScores(scorer.as_judged()), Chances(scorer)
    lists = ListNames.of(scorer, names, notes)
    as_text = [*keep, *([] if id_column is None else [id_column])]
    for piece in _pieces(table, scorer, as_text, lists.known):
        notes |= dict.fromkeys(piece.notes)
        scores = scorer.scores(piece.frame)
        more = chances.columns(piece.frame, scores) | {name: piece.texts[name].to_numpy() for name in keep}
        if explore or n_reasons:
            more[ROW] = np.arange(listing.n_rows, listing.n_rows + len(scores))
        listing.add(row_names(piece.texts, id_column), scores, more, lists.of_rows(piece.frame))
        if top is None or explore:
            _require_room(listing, allowed, explore)
        seen.add(piece.frame)
        judged.add(piece.frame)
    if not listing.n_rows:
        raise InputError(f"A list needs rows; {table if is_path(table) else 'the table'} has only column names.")
    differences = (*seen.differences(), *_moved_scores(scorer, judged.scores))
    if strict and differences:
        raise InputError(
            f"The list must resemble the training rows; it differs: {' '.join(differences)}",
            "without the argument strict it is scored anyway.",
        )
    ranked, parts = _with_chances(listing.frame(), differences), None
    scores_listed = ranked["score"].to_numpy(np.float64)
    if top is not None and explore:
        ranked = explored(ranked, top - explore, explore, explore_for, random_state)
        notes[about_exploring(ranked, listing.n_rows)] = None
        top -= explore
    rows = ranked.pop(ROW).to_numpy() if ROW in ranked else None
    if rows is not None and n_reasons:
        frames = (piece.frame for piece in _pieces(table, scorer, as_text, {}))
        ranked, parts = with_reasons(scorer, frames, ranked, n_reasons, rows)
    n_lists = len(listing.lengths)
    new = NewList(
        first=ranked.head(_SHOWN),
        scores=scores_listed,
        n_rows=listing.n_rows,
        n_lists=n_lists,
        differences=differences,
        notes=(*notes, *lists.about_lengths(listing.n_rows / n_lists)),
    )
    return ScoreResult(
        scores=ranked,
        n_rows=listing.n_rows,
        report=_page(scorer, new, lists, top, command),
        warnings=(*map(str, scorer.doubts()), *differences),
        notes=tuple(notes),
        contributions=parts,
    )


def _with_chances(ranked: pd.DataFrame, differences: Sequence[str]) -> pd.DataFrame:
    """Probabilities are those of rows from the same source; a list that is unlike these has none."""
    unlike = bool(differences) and "probability" in KINDS["source"][1]
    return ranked.drop(columns=list(CHANCES), errors="ignore") if unlike else ranked


def as_model(model: TableModel | str | os.PathLike[str]) -> TableModel:
    """A model, or the one in a file."""
    if isinstance(model, TableModel):
        return model
    loaded = persist.load(model)
    if not isinstance(loaded, TableModel):
        raise InputError(f"The model file {model} must contain a table model; it contains a {type(loaded).__name__}.")
    return loaded


def _require_room(listing: Listing, allowed: float, explore: int) -> None:
    if listing.n_bytes > allowed:
        raise InputError(
            f"A list of all rows{', from which to draw,' if explore else ''} needs more than "
            f"{_memory.readable(allowed)} of memory.",
            "list only the first rows (top), explore none, or allow more memory.",
        )


def _identifier(model: TableModel, asked: str | None, names: list[str], notes: dict[str, None]) -> str | None:
    if asked is not None:
        require_names(names, [asked], "identifier")
        return asked
    if model.id_column is not None and model.id_column not in names:
        notes[f"The identifier column {model.id_column!r} is missing: rows are numbered from 1."] = None
        return None
    return model.id_column


def _check_kept(keep: Sequence[str], names: list[str], more: Sequence[str]) -> None:
    require_names(names, keep, "column to keep")
    reserved = [name for name in keep if name in (*_LISTED, *more)]
    if reserved:
        raise InputError(
            f"Columns to keep must not have the name of a column of the list; got {quoted(reserved)}.",
            "rename them first.",
        )


def _names(table: Any) -> list[str]:
    return column_names(table) if is_path(table) else [str(name) for name in to_table(table).frame.columns]


def _pieces(table: Any, scorer: TableModel, as_text: list[str], more: Mapping[str, Format]) -> Iterator[Table]:
    known = {**scorer.known, **more}
    if not is_path(table):
        yield to_table(table, known=known, as_text=as_text)
        return
    first = 1
    for piece in chunks(table, known, as_text):
        n_rows = len(piece.frame)
        piece.frame.index = piece.texts.index = pd.RangeIndex(first, first + n_rows)
        first += n_rows
        yield piece


class _SomeScores:
    """Scores of rows at even distances in a list of any length, by the evaluated model."""

    def __init__(self, model: TableModel) -> None:
        self.scores: FloatArray = np.zeros(0)
        self._model, self._step = model, 1

    def add(self, frame: pd.DataFrame) -> None:
        self.scores = np.concatenate([self.scores, self._model.scores(frame.iloc[:: self._step])])
        while len(self.scores) > _SCORES_COMPARED:
            self.scores, self._step = self.scores[::2], 2 * self._step


def _moved_scores(model: TableModel, scores: FloatArray) -> list[str]:
    """Whether scores are significantly and substantially higher or lower than those of the held-out rows."""
    if model.calibration is None or not len(scores):
        return []
    known = _unweighted(model.calibration[1], model.calibration_weight)
    above = auc(np.repeat([True, False], [len(scores), len(known)]), np.concatenate([scores, known]))
    if abs(above - 0.5) <= _SHIFTED or rank_test(scores, known, method="asymptotic").pvalue > _CHANCE:
        return []
    return [
        f"Its scores are {'higher' if above > 0.5 else 'lower'} than those of the held-out rows: a row of this list "
        f"outranks a held-out row in {100 * above:.0f} % of all pairs, where 50 % is usual."
    ]


def _unweighted(scores: FloatArray, weight: FloatArray | None) -> FloatArray:
    """As many of the ascending scores as they are worth, spread evenly over their weight."""
    if weight is None:
        return scores
    upto = np.cumsum(weight) / weight.sum()
    n_worth = max(1, int(weight.sum() ** 2 / (weight @ weight)))
    return scores[np.searchsorted(upto, (np.arange(n_worth) + 0.5) / n_worth)]


def _page(model: TableModel, new: NewList, lists: ListNames, top: int | None, command: str | None) -> Report:
    made = f"model: {model.facts['chosen']}, trained on {model.facts['trained_on']:,} rows" if model.facts else ""
    return list_page(
        new,
        model.outlook if "every" not in model.facts or model.calibration_list is not None else None,
        doubts=model.doubts(),
        options=model.options,
        is_judged=model.judged is None,
        is_own_scale=model.foretelling is model,
        weight=model.calibration_weight,
        budget=top or model.budget_of(round(new.n_rows / new.n_lists)),
        lists=lists.judged,
        outcome=model.outcome,
        title=f"Ranked list: {model.label} = {model.positive}",
        about=[f"{date.today():%Y-%m-%d}", f"{new.n_rows:,} rows", *([made] if made else [])],
        provenance={} if command is None else {"command": command},
    )
